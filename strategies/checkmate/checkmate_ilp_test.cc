#include "gtest/gtest.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/placement/fit.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"
#include "strategies/registry.h"

namespace str::strategies {
namespace {

using optimizer::Graph;

class CheckmateIlpTest : public ::testing::Test {
 protected:
  void Load(const config::GraphFile& file) {
    graph_.emplace(*Graph::FromFile(file));
    costs_ = optimizer::MeasuredCosts(file);
    request_.graph = &*graph_;
    request_.costs = &costs_;
  }

  PlanResult Plan(int64_t budget_bytes) {
    request_.budget_bytes = budget_bytes;
    absl::StatusOr<PlanResult> result = FindPlanner("checkmate-ilp")->Plan(request_, nullptr, nullptr);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : PlanResult();
  }

  std::optional<Graph> graph_;
  optimizer::Costs costs_;
  PlanRequest request_;
};

// b is large and cheap: at 250 it is made again for e, at 200 nothing helps.
TEST_F(CheckmateIlpTest, RecomputesWhatIsCheapest) {
  optimizer::GraphBuilder b;
  b.Add("a", {}, {10}, 100);
  b.Add("b", {"a:0"}, {100}, 1);
  b.Add("c", {"b:0"}, {100}, 5);
  b.Add("d", {"c:0"}, {100}, 5);
  b.Add("e", {"d:0", "b:0"}, {10}, 5);
  Load(b.file());
  PlanResult result = Plan(310);
  EXPECT_EQ(result.status, PlanStatus::kOptimal);
  EXPECT_EQ(optimizer::ProgramText(*graph_, result.program), "a b c d e");
  result = Plan(250);
  EXPECT_EQ(result.status, PlanStatus::kOptimal);
  EXPECT_EQ(optimizer::ProgramText(*graph_, result.program), "a b c d again:b e");
  EXPECT_EQ(result.solver.substr(0, 6), "HiGHS ");
  EXPECT_EQ(Plan(200).status, PlanStatus::kInfeasible);
  request_.pins.assign(graph_->tensor_count(), Pin::kFree);
  request_.pins[1] = Pin::kKeep;
  EXPECT_EQ(Plan(250).status, PlanStatus::kInfeasible);
}

TEST_F(CheckmateIlpTest, PlansVgg16AsPublished) {
  const std::string path = optimizer::SharedData("checkmate_graphs/vgg16_b256.json");
  if (path.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  const absl::StatusOr<config::GraphFile> file = optimizer::ReadAnyGraph(path, absl::Microseconds(100));
  ASSERT_TRUE(file.ok()) << file.status();
  Load(*file);
  const PlanResult result = Plan(14500000000);
  ASSERT_FALSE(result.program.empty());
  const absl::StatusOr<optimizer::Fit> fit =
      optimizer::FitProgram(*graph_, costs_, result.program, request_.budget_bytes);
  ASSERT_TRUE(fit.ok()) << fit.status();
  EXPECT_LE(fit->fit_bytes, request_.budget_bytes);
  EXPECT_NEAR(fit->verdict.seconds(), 1.5805, 1e-6);
}

}  // namespace
}  // namespace str::strategies
