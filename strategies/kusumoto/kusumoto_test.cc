// Against what mksch itself made of its authors' graphs: every row of ../shared/data/expected/mksch_*.jsonl.
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "optimizer/importers/mksch_graph.h"
#include "optimizer/importers/mksch_schedule.h"
#include "optimizer/importers/mksch_verifier.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"
#include "strategies/registry.h"

namespace str::strategies {
namespace {

struct Row {
  // 0: the schedule does not depend on one.
  int64_t budget = 0;
  std::string mode;
  int64_t peak = 0;
  int64_t peak_without_leaves = 0;
  double recompute = 0;
};

std::vector<Row> ReadRows(const std::string& path, const std::string& graph) {
  std::vector<Row> rows;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    google::protobuf::Struct object;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(line, &object).ok());
    const auto& fields = object.fields();
    if (fields.at("graph").string_value() != graph) continue;
    // "noopt": without forgetting early, which no program here does.
    if (fields.at("budget").string_value() == "noopt") continue;
    EXPECT_EQ(fields.at("status").string_value(), "ok");
    const auto number = [&](const char* name) { return fields.at(name).number_value(); };
    rows.push_back({static_cast<int64_t>(number("budget")), fields.at("mode").string_value(),
                    static_cast<int64_t>(number("peak")), static_cast<int64_t>(number("peak_noparam")),
                    number("recompute")});
  }
  return rows;
}

struct Case {
  const char* graph;
  const char* rows;
  const char* planner;
  // How much worse it may be.
  double share;
  int count;
};

class MkschRowsTest : public ::testing::TestWithParam<Case> {};

TEST_P(MkschRowsTest, IsNoWorseThanTheTool) {
  const std::string path = optimizer::SharedData(absl::StrCat("mksch/", GetParam().graph));
  const std::string expected = optimizer::SharedData(absl::StrCat("expected/", GetParam().rows));
  if (path.empty() || expected.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  const absl::StatusOr<std::string> text = config::ReadFile(path);
  ASSERT_TRUE(text.ok()) << text.status();
  const absl::StatusOr<optimizer::MkschGraph> mksch = optimizer::ParseMksch(*text);
  ASSERT_TRUE(mksch.ok()) << mksch.status();
  const absl::StatusOr<optimizer::MkschImport> import = optimizer::ImportMksch(*mksch, 1e-4);
  ASSERT_TRUE(import.ok()) << import.status();
  const optimizer::Graph graph = *optimizer::Graph::FromFile(import->file);
  const optimizer::Costs costs = optimizer::MeasuredCosts(import->file);
  PlanRequest request;
  request.graph = &graph;
  request.costs = &costs;
  request.placed = false;
  const std::vector<Row> rows = ReadRows(expected, GetParam().graph);
  EXPECT_EQ(rows.size(), GetParam().count);
  int64_t smallest = rows[0].budget;
  for (const Row& row : rows) {
    SCOPED_TRACE(absl::StrCat("budget ", row.budget, ", mode ", row.mode));
    smallest = std::min(smallest, row.budget);
    const std::string mode = row.mode == "T" ? ":time" : row.mode == "M" ? ":memory" : "";
    // Chen's schedule fits what the tool's needs.
    request.budget_bytes = row.budget > 0 ? row.budget : row.peak_without_leaves;
    const absl::StatusOr<PlanResult> result =
        FindPlanner(absl::StrCat(GetParam().planner, mode))->Plan(request, nullptr, nullptr);
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_EQ(result->status, PlanStatus::kFeasible);
    if (row.budget > 0) {
      EXPECT_LE(result->min_budget_bytes, smallest);
    }
    const absl::StatusOr<std::string> schedule = optimizer::MkschSchedule(*mksch, import->nodes, result->program);
    ASSERT_TRUE(schedule.ok()) << schedule.status();
    const absl::StatusOr<optimizer::MkschFigures> figures = optimizer::RunMkschSchedule(*mksch, *schedule);
    ASSERT_TRUE(figures.ok()) << figures.status();
    EXPECT_LE(figures->recompute_time, row.recompute * GetParam().share);
    EXPECT_LE(figures->peak_bytes, row.peak * GetParam().share);
    EXPECT_LE(figures->peak_bytes_without_leaves, row.peak_without_leaves * GetParam().share);
    EXPECT_LE(figures->peak_bytes_without_leaves, request.budget_bytes);
  }
}

constexpr Case kCases[] = {
    {"cg_vgg19.txt", "mksch_exact.jsonl", "kusumoto-exact", 1, 15},
    {"cg_unet.txt", "mksch_exact.jsonl", "kusumoto-exact", 1, 15},
    {"cg_resnet50.txt", "mksch_exact.jsonl", "kusumoto-exact", 1, 15},
    {"cg_vgg19.txt", "mksch_approx.jsonl", "kusumoto-approx", 1.01, 15},
    {"cg_unet.txt", "mksch_approx.jsonl", "kusumoto-approx", 1.01, 15},
    {"cg_resnet50.txt", "mksch_approx.jsonl", "kusumoto-approx", 1.01, 15},
    {"cg_vgg19.txt", "mksch_chen.jsonl", "kusumoto-chen", 1, 1},
    {"cg_unet.txt", "mksch_chen.jsonl", "kusumoto-chen", 1, 1},
    {"cg_resnet50.txt", "mksch_chen.jsonl", "kusumoto-chen", 1, 1},
};
INSTANTIATE_TEST_SUITE_P(All, MkschRowsTest, ::testing::ValuesIn(kCases));

// Four branches of 15 values have 16^4 lower sets.
TEST(KusumotoTest, GoesOnWithThePrunedFamilyWhereThereAreTooManyLowerSets) {
  optimizer::GraphBuilder b;
  std::vector<std::string> ends;
  for (int branch = 0; branch < 4; ++branch) {
    std::vector<std::string> input;
    for (int i = 0; i < 15; ++i) {
      const std::string name = absl::StrCat("n", branch, "_", i);
      b.Add(name, input, {100});
      input = {absl::StrCat(name, ":0")};
    }
    ends.push_back(input[0]);
  }
  b.Add("join", ends, {100});
  std::string last = "join:0";
  for (int branch = 0; branch < 4; ++branch) {
    for (int i = 14; i >= 0; --i) {
      const std::string name = absl::StrCat("d", branch, "_", i);
      b.Add(name, {last, absl::StrCat("n", branch, "_", i, ":0")}, {100})->set_recompute(config::RECOMPUTE_NOT_WANTED);
      last = absl::StrCat(name, ":0");
    }
  }
  const optimizer::Graph graph = b.Build();
  const optimizer::Costs costs = optimizer::MeasuredCosts(b.file());
  PlanRequest request;
  request.graph = &graph;
  request.costs = &costs;
  request.placed = false;
  request.budget_bytes = 5800;
  std::string said;
  const absl::StatusOr<PlanResult> result =
      FindPlanner("kusumoto-exact")
          ->Plan(
              request, [&](absl::string_view line) { absl::StrAppend(&said, line, "\n"); }, nullptr);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->status, PlanStatus::kFeasible);
  EXPECT_TRUE(absl::StrContains(said, "more than 50000 lower sets")) << said;
  EXPECT_EQ(result->program, FindPlanner("kusumoto-approx")->Plan(request, nullptr, nullptr)->program);
}

}  // namespace
}  // namespace str::strategies
