#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "optimizer/placement/fit.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "strategies/registry.h"

namespace str::strategies {
namespace {

using optimizer::Graph;

// A training step as TensorFlow runs it: convolutions with their activation in place, a mask that may not be drawn
// twice, gradients of weights beside those of values, updates in between.
config::GraphFile CapturedLike(int layers) {
  optimizer::GraphBuilder b;
  std::string value = "x:0";
  b.Add("x", {}, {1000}, 10);
  for (int i = 0; i < layers; ++i) {
    const std::string name = absl::StrCat("layer", i, "/");
    b.AddArgument(name + "w", 8);
    b.AddRead(name + "read", name + "w", 10);
    b.Add(name + "conv", {value, name + "read:0"}, {1000}, 100);
    b.Add(name + "relu", {name + "conv:0"}, {1000}, 10)->mutable_output(0)->add_forwards_input(0);
    value = name + "relu:0";
  }
  b.Add("mask", {}, {1000}, 10)->set_recompute(config::RECOMPUTE_RANDOM);
  b.Add("drop", {value, "mask:0"}, {1000}, 10);
  b.Add("loss", {"drop:0"}, {4}, 10);
  b.AddResult("loss_result", "loss:0");
  b.Add("gradient_tape/loss", {"drop:0"}, {1000}, 10);
  b.Add("gradient_tape/drop", {"gradient_tape/loss:0", "mask:0"}, {1000}, 10)->mutable_output(0)->add_forwards_input(0);
  std::string gradient = "gradient_tape/drop:0";
  for (int i = layers - 1; i >= 0; --i) {
    const std::string name = absl::StrCat("layer", i, "/");
    const std::string input = i == 0 ? "x:0" : absl::StrCat("layer", i - 1, "/relu:0");
    b.Add("gradient_tape/" + name + "relu", {gradient, name + "relu:0"}, {1000}, 10)
        ->mutable_output(0)
        ->add_forwards_input(0);
    gradient = "gradient_tape/" + name + "relu:0";
    b.Add("gradient_tape/" + name + "filter", {input, gradient}, {10}, 100);
    b.AddUpdate(name + "update", name + "w", "gradient_tape/" + name + "filter:0");
    b.Add("gradient_tape/" + name + "input", {name + "read:0", gradient}, {1000}, 100);
    gradient = "gradient_tape/" + name + "input:0";
  }
  b.AddResult("gradient_result", gradient);
  return b.file();
}

class BaselinePlannersTest : public ::testing::Test {
 protected:
  BaselinePlannersTest()
      : file_(CapturedLike(16)), graph_(*Graph::FromFile(file_)), costs_(optimizer::MeasuredCosts(file_)) {
    request_.graph = &graph_;
    request_.costs = &costs_;
  }

  PlanResult Plan(absl::string_view name, int64_t budget_bytes) {
    request_.budget_bytes = budget_bytes;
    absl::StatusOr<PlanResult> result = FindPlanner(name)->Plan(request_, nullptr, nullptr);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : PlanResult();
  }

  optimizer::Fit Judge(const optimizer::Program& program) {
    absl::StatusOr<optimizer::Fit> fit = optimizer::FitProgram(graph_, costs_, program, request_.budget_bytes);
    EXPECT_TRUE(fit.ok()) << fit.status();
    return fit.ok() ? *std::move(fit) : optimizer::Fit();
  }

  const config::GraphFile file_;
  const Graph graph_;
  const optimizer::Costs costs_;
  PlanRequest request_;
};

// 17 values of 1000 bytes are taken by the gradients: with checkpoints at every fourth, four of them and a segment of
// three are held at once, beside the last value, its mask and the gradients.
TEST_F(BaselinePlannersTest, CheckpointsSaveMemoryForOneMoreForwardPassAtMost) {
  const optimizer::Verdict kept = Judge(optimizer::KeepAll(graph_, optimizer::CapturedOrder(graph_))).verdict;
  EXPECT_GT(kept.peak_bytes(), 18000);
  double forward_seconds = 0;
  for (optimizer::NodeId id = 0; id < graph_.FindNode("loss"); ++id) forward_seconds += costs_.node_seconds[id];
  for (const absl::string_view name : {"chen-sqrt", "chen-sqrt-noap", "chen-greedy", "chen-greedy-noap", "griewank"}) {
    SCOPED_TRACE(name);
    const PlanResult result = Plan(name, 11000);
    ASSERT_EQ(result.status, PlanStatus::kFeasible);
    const optimizer::Fit fit = Judge(result.program);
    EXPECT_LE(fit.fit_bytes, 11000);
    EXPECT_GT(fit.verdict.counts.recomputed_nodes, 0);
    EXPECT_LE(fit.verdict.seconds(), kept.seconds() + forward_seconds);
  }
}

TEST_F(BaselinePlannersTest, LessMemoryTakesMoreSnapshotsOrTime) {
  const PlanResult last = Plan("checkpoint-last", 100000);
  const PlanResult griewank = Plan("griewank", 1);
  ASSERT_EQ(griewank.status, PlanStatus::kInfeasible);
  EXPECT_LE(griewank.min_budget_bytes, 7000);
  EXPECT_LE(last.min_budget_bytes, 7000);
  const double least_memory_seconds = Judge(griewank.least_memory_program).verdict.seconds();
  EXPECT_LE(least_memory_seconds, Judge(last.program).verdict.seconds());
  EXPECT_LT(Judge(Plan("griewank", 9000).program).verdict.seconds(), least_memory_seconds);
}

TEST_F(BaselinePlannersTest, PinnedValuesAreKept) {
  request_.pins.assign(graph_.tensor_count(), Pin::kFree);
  const optimizer::NodeId relu = graph_.FindNode("layer3/relu");
  request_.pins[graph_.node(relu).first_tensor] = Pin::kKeep;
  for (const absl::string_view name : {"checkpoint-last", "chen-sqrt", "chen-greedy", "griewank"}) {
    for (const optimizer::Step& step : Plan(name, 100000).least_memory_program) {
      EXPECT_FALSE(step == (optimizer::Step{optimizer::Action::kRerun, relu})) << name;
    }
  }
}

}  // namespace
}  // namespace str::strategies
