#include <random>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "config/atomic_file.h"
#include "gtest/gtest.h"
#include "optimizer/ilp/highs_solver.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/placement/fit.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"
#include "strategies/registry.h"
#include "strategies/str_paper/swap_columns.h"
#include "strategies/str_paper/swap_program.h"
#include "strategies/testing/planned_graph.h"

namespace str::strategies {
namespace {

using optimizer::LinearModel;
using optimizer::SolveStatus;

class StrPaperTest : public ::testing::Test, protected PlannedGraph {
 protected:
  bool LoadShared(absl::string_view name) {
    const std::string path = optimizer::SharedData(name);
    if (path.empty()) return false;
    Load(*optimizer::ReadAnyGraph(path, absl::Microseconds(100)));
    return true;
  }
};

// As in checkmate_ilp_test.cc, but b costs 1000 to make again, and while c and d run there is time to copy it.
config::GraphFile SwapWorthwhile() {
  optimizer::GraphBuilder b;
  b.Add("a", {}, {10}, 100);
  b.Add("b", {"a:0"}, {100}, 1000);
  b.Add("c", {"b:0"}, {100}, 200);
  b.Add("d", {"c:0"}, {100}, 200);
  b.Add("e", {"d:0"}, {10}, 200);
  b.Add("f", {"e:0"}, {10}, 200);
  b.Add("g", {"f:0", "b:0"}, {10}, 200);
  return b.file();
}

TEST_F(StrPaperTest, SwapsWhatIsHidden) {
  Load(SwapWorthwhile());
  const PlanResult result = Plan("str-paper", 250);
  ASSERT_EQ(result.status, PlanStatus::kOptimal);
  const absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(*graph_, costs_, result.program);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->counts.swapped_tensors, 1);
  EXPECT_EQ(verdict->counts.recomputed_nodes, 0);
  EXPECT_NEAR(verdict->seconds(), 2100e-9, 1e-12);
  EXPECT_EQ(Plan("str-paper", 199).status, PlanStatus::kInfeasible);
  EXPECT_EQ(Plan("str-approx", 199).status, PlanStatus::kInfeasible);
}

TEST_F(StrPaperTest, PinsAreKept) {
  Load(SwapWorthwhile());
  request_.pins.assign(graph_->tensor_count(), Pin::kRecompute);
  const PlanResult result = Plan("str-paper", 250);
  ASSERT_FALSE(result.program.empty());
  const absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(*graph_, costs_, result.program);
  EXPECT_EQ(verdict->counts.swapped_tensors, 0);
  EXPECT_EQ(verdict->counts.recomputed_nodes, 1);
}

TEST_F(StrPaperTest, WithoutCopyRatesItSaysWhatToDo) {
  Load(SwapWorthwhile());
  costs_.copy_in_bytes_per_second = 0;
  for (const char* name : {"str-paper", "str-approx"}) {
    EXPECT_EQ(FindPlanner(name)->Plan(request_, nullptr, nullptr).status().code(),
              absl::StatusCode::kFailedPrecondition);
  }
}

// Whatever a schedule says, its program can be run.
TEST_F(StrPaperTest, EverySchedulesProgramIsValid) {
  Load(SwapWorthwhile());
  const StagedGraph staged(*graph_, costs_, optimizer::CapturedOrder(*graph_), {});
  std::vector<double> seconds;
  for (int i = 0; i < staged.size(); ++i) seconds.push_back(costs_.CopyOutSeconds(staged.node(i).bytes));
  const SwapTables tables = {SwapTable(staged, seconds), SwapTable(staged, seconds)};
  int copying = 0;
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    SwapSchedule schedule = {StageMatrix(staged.size()), StageMatrix(staged.size()), StageMatrix(staged.size())};
    for (int stage = 0; stage < staged.size(); ++stage) {
      for (int i = 0; i < stage; ++i) {
        schedule.held.Set(stage, i, random() % 2 == 0);
        schedule.out.Set(stage, i, random() % 3 == 0);
        schedule.in.Set(stage, i, random() % 3 == 0);
      }
    }
    const optimizer::Program program = SwapProgram(*graph_, staged, tables, schedule);
    const absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(*graph_, costs_, program);
    ASSERT_TRUE(verdict.ok()) << verdict.status() << "\n" << optimizer::ProgramText(*graph_, program);
    copying += verdict->counts.swapped_tensors > 0;
  }
  EXPECT_GT(copying, 300);
}

std::vector<std::vector<int>> ReadMatrix(absl::string_view name) {
  std::vector<std::vector<int>> rows;
  const absl::StatusOr<std::string> text = config::ReadFile(optimizer::SharedData(name));
  EXPECT_TRUE(text.ok()) << text.status();
  for (absl::string_view line : absl::StrSplit(*text, '\n', absl::SkipEmpty())) {
    rows.emplace_back();
    for (absl::string_view word : absl::StrSplit(line, ' ', absl::SkipEmpty())) {
      EXPECT_TRUE(absl::SimpleAtoi(word, &rows.back().emplace_back()));
    }
  }
  return rows;
}

// STR's published solution for VGG16 keeps every row of the model at its published peak, and not below.
TEST_F(StrPaperTest, ThePublishedSolutionIsOneOfTheModel) {
  if (optimizer::SharedData("str/vgg16_b256/S").empty() || !LoadShared("checkmate_graphs/vgg16_b256.json")) {
    GTEST_SKIP() << optimizer::kNoSharedData;
  }
  const StagedGraph staged(*graph_, costs_, optimizer::CapturedOrder(*graph_), {});
  std::vector<double> seconds;
  for (int i = 0; i < staged.size(); ++i) seconds.push_back(static_cast<double>(staged.node(i).bytes) / 1e10);
  const SwapTables tables = {SwapTable(staged, seconds), SwapTable(staged, seconds)};
  const std::vector<std::vector<int>> held = ReadMatrix("str/vgg16_b256/S"), out = ReadMatrix("str/vgg16_b256/P"),
                                      in = ReadMatrix("str/vgg16_b256/Q"), computed = ReadMatrix("str/vgg16_b256/R");
  constexpr int64_t kPublishedPeak = 15208546304;
  for (const int64_t budget : {kPublishedPeak, kPublishedPeak - 10000000}) {
    SwapColumns columns(&staged, &tables, std::vector<bool>(staged.size(), true), SwapRows::kPublished);
    const StagedModel staged_model(&staged, budget, &columns);
    LinearModel model = staged_model.model();
    for (int stage = 0; stage < staged.size(); ++stage) {
      for (int i = 0; i < stage; ++i) {
        const std::pair<Term, int> cells[] = {{staged_model.held(stage, i), held[stage][i]},
                                              {staged_model.computed(stage, i), computed[stage][i]},
                                              {columns.out(stage, i), out[stage][i]},
                                              {columns.in(stage, i), in[stage][i]}};
        for (const auto& [term, value] : cells) {
          if (term.column >= 0) model.AddRow(value, {{term.column, 1}}, value);
        }
      }
    }
    const absl::StatusOr<optimizer::Solution> solution = optimizer::SolveWithHighs(model, {});
    ASSERT_TRUE(solution.ok()) << solution.status();
    if (budget == kPublishedPeak) {
      ASSERT_EQ(solution->status, SolveStatus::kOptimal);
      EXPECT_NEAR(staged_model.Seconds(solution->objective), 1.55, 1e-6);
    } else {
      EXPECT_EQ(solution->status, SolveStatus::kInfeasible);
    }
  }
  // As a program it copies what was published, and the judge finds that it can be run.
  SwapSchedule schedule = {StageMatrix(staged.size()), StageMatrix(staged.size()), StageMatrix(staged.size())};
  for (int stage = 0; stage < staged.size(); ++stage) {
    for (int i = 0; i < stage; ++i) {
      schedule.held.Set(stage, i, held[stage][i] == 1);
      schedule.out.Set(stage, i, out[stage][i] == 1);
      schedule.in.Set(stage, i, in[stage][i] == 1);
    }
  }
  costs_.copy_in_bytes_per_second = costs_.copy_out_bytes_per_second = 1e10;
  const absl::StatusOr<optimizer::Verdict> verdict =
      optimizer::Judge(*graph_, costs_, SwapProgram(*graph_, staged, tables, schedule));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->counts.recomputed_nodes, 0);
  EXPECT_EQ(verdict->counts.swapped_tensors, 13);
  EXPECT_LE(verdict->peak_bytes(), kPublishedPeak);
}

TEST_F(StrPaperTest, PlansUNetWithinTheBudget) {
  if (!LoadShared("planning_graphs/unet_b32.json")) GTEST_SKIP() << optimizer::kNoSharedData;
  const absl::StatusOr<optimizer::Fit> kept =
      optimizer::FitProgram(*graph_, costs_, optimizer::KeepAll(*graph_, optimizer::CapturedOrder(*graph_)));
  ASSERT_TRUE(kept.ok()) << kept.status();
  request_.time_limit = absl::Minutes(1);
  const PlanResult result = Plan("str-approx", kept->verdict.peak_bytes() * 8 / 10);
  ASSERT_FALSE(result.program.empty());
  const absl::StatusOr<optimizer::Fit> fit =
      optimizer::FitProgram(*graph_, costs_, result.program, request_.budget_bytes);
  ASSERT_TRUE(fit.ok()) << fit.status();
  EXPECT_LE(fit->fit_bytes, request_.budget_bytes);
}

}  // namespace
}  // namespace str::strategies
