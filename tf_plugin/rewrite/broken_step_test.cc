// Planned steps that were broken on purpose after every check of the graph had passed. Each must end as an error of the
// step, with a code and a name, never as a report of success.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tensorflow/core/graph/algorithm.h"
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/rewrite/program_text.h"
#include "tf_plugin/rewrite/rewrite_pass.h"
#include "tf_plugin/rewrite/step_function.h"
#include "tf_plugin/testing/graph_builder.h"
#include "tf_plugin/testing/step_session.h"
#include "tf_plugin/testing/training_graph.h"

namespace str::rewrite {
namespace {

using tensorflow::Edge;
using tensorflow::Graph;
using tensorflow::Node;
using tensorflow::Tensor;
using testing::BitEqual;
using testing::FindNode;
using testing::GraphBuilder;
using testing::StepSession;
using Strings = std::vector<std::string>;

constexpr int kRows = 512;
constexpr int kWidth = 256;
constexpr int64_t kMiB = int64_t{1} << 20;

[[maybe_unused]] const bool registered = [] {
  device::RegisterLimitedDevice(device::kNoLimit);
  return true;
}();

// The training graph with the error `e` as its result, and a predicate that is false.
std::unique_ptr<Graph> BuildStep() {
  GraphBuilder b;
  testing::BuildTraining(b, kRows, kWidth);
  b.Add("_Retval", "result", {"e"}, {{"index", 0}});
  b.Constant("never", Tensor(false));
  return b.Release();
}

// h is recomputed, r goes out and comes back.
const Strings kProgram = {
    "run v1", "run v2",  "run w1",      "run h",  "run r",  "swap_out r:0", "run w2", "run y",  "swap_out_wait r:0",
    "run e",  "rerun h", "swap_in r:0", "run g2", "run dr", "run dh",       "run g1", "run d1", "run d2",
    "run u1", "run u2"};

class BrokenStepTest : public ::testing::Test {
 protected:
  BrokenStepTest() : graph_(BuildStep()), strategy_(ProgramFor(graph::MakeGraphView(*graph_), kProgram)) {}

  // Plans the graph, lets `damage` change it, and runs it.
  void Start(const std::function<void(GraphBuilder&)>& damage, bool strict = false, bool verify = true) {
    Strategies strategies;
    strategies.by_fingerprint[strategy_.graph_fingerprint()] = {
        "plan.conf", std::make_shared<const config::StrategyFile>(strategy_)};
    const std::unique_ptr<Graph> plain = BuildStep();
    absl::StatusOr<PlannedGraph> planned = PlanGraph(strategies, {strict, verify, {}}, *graph_);
    ASSERT_EQ(planned.status(), absl::OkStatus());
    ASSERT_NE(planned->graph, nullptr);
    GraphBuilder b(std::move(planned->graph));
    damage(b);
    ASSERT_EQ(WrapStep(planned->name, b.graph(), graph_->flib_def(), Register(*planned), strict, graph_),
              absl::OkStatus());
    observer_ = planned->observer;
    session_ = std::make_unique<StepSession>(*graph_, kWidth);
    plain_ = std::make_unique<StepSession>(*plain, kWidth);
  }

  // The first step fails with `code` and words from what is wrong, and nothing is reported.
  void ExpectError(const std::string& code, const std::string& words) {
    ::testing::internal::CaptureStderr();
    const absl::Status status = session_->Run().status();
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_FALSE(status.ok()) << "trained on in silence; said: " << said;
    EXPECT_TRUE(absl::StrContains(status.message(), code)) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), words)) << status;
    EXPECT_FALSE(absl::StrContains(said, "STR-3001")) << said;
  }

  std::unique_ptr<Graph> graph_;
  config::StrategyFile strategy_;
  std::unique_ptr<StepSession> session_, plain_;
  std::shared_ptr<PlanObserver> observer_;
};

void Nothing(GraphBuilder&) {}

Node* FindByOp(GraphBuilder& b, const std::string& op) {
  for (Node* node : b.graph().op_nodes()) {
    if (node->type_string() == op) return node;
  }
  return nullptr;
}

// The node of this op whose name has `part` in it.
Node* FindCopy(GraphBuilder& b, const std::string& op, const std::string& part) {
  for (Node* node : b.graph().op_nodes()) {
    if (node->type_string() == op && absl::StrContains(node->name(), part)) return node;
  }
  return nullptr;
}

Node* FindClone(GraphBuilder& b) {
  for (Node* node : b.graph().op_nodes()) {
    if (absl::StrContains(node->name(), "str/rerun/")) return node;
  }
  return nullptr;
}

// A node that is dead in every step.
Node* AddDead(GraphBuilder& b, const std::string& value) {
  b.Add("Switch", "switch", {value, "never"});
  return b.Add("Identity", "dead", {"switch:1"});
}

// Takes a node out of the chain: the one before it is tied to the one behind it.
void Unchain(GraphBuilder& b, Node* node) {
  std::vector<const Edge*> in, out;
  for (const Edge* edge : node->in_edges()) {
    if (edge->IsControlEdge() && edge->src()->IsOp()) in.push_back(edge);
  }
  for (const Edge* edge : node->out_edges()) {
    if (edge->IsControlEdge() && edge->dst()->IsOp()) out.push_back(edge);
  }
  for (const Edge* before : in) {
    for (const Edge* behind : out) b.graph().AddControlEdge(before->src(), behind->dst());
  }
  for (const Edge* edge : in) b.graph().RemoveControlEdge(edge);
  for (const Edge* edge : out) b.graph().RemoveControlEdge(edge);
}

TEST_F(BrokenStepTest, AnUnbrokenStepTrainsAndIsReported) {
  Start(Nothing);
  ::testing::internal::CaptureStderr();
  const absl::StatusOr<Tensor> result = session_->Run();
  const std::string said = ::testing::internal::GetCapturedStderr();
  ASSERT_EQ(result.status(), absl::OkStatus());
  EXPECT_TRUE(absl::StrContains(said, "Checked: ")) << said;
  EXPECT_TRUE(absl::StrContains(said, " values as first computed")) << said;
  EXPECT_TRUE(BitEqual(*result, *plain_->Run()));
  EXPECT_TRUE(BitEqual(session_->Weights()[0], plain_->Weights()[0]));
  EXPECT_TRUE(BitEqual(session_->Weights()[1], plain_->Weights()[1]));
}

TEST_F(BrokenStepTest, AChainBehindADeadNodeIsAnError) {
  Start([](GraphBuilder& b) { b.graph().AddControlEdge(AddDead(b, "x"), b.Find("g2")); });
  ExpectError("STR-4001", "node 'g2' did not run, nor did 7 more");
}

TEST_F(BrokenStepTest, AResultWithoutAValueIsAnError) {
  Start([](GraphBuilder& b) {
    AddDead(b, "e");
    b.Redirect("result", 0, "dead");
  });
  ExpectError("STR-4002", "result 0 of the step, 'e:0', has no value");
}

TEST_F(BrokenStepTest, AResultOfAnotherValueIsAnError) {
  Start([](GraphBuilder& b) { b.Redirect("result", 0, "y"); });
  ExpectError("STR-4004", "result 0 of the step has other bytes than 'e:0'");
}

TEST_F(BrokenStepTest, ARecomputationFromAnotherValueIsAnError) {
  Start([](GraphBuilder& b) { b.Redirect(FindClone(b)->name(), 0, "r"); });
  ExpectError("STR-4004", "has other bytes than 'h:0'");
}

TEST_F(BrokenStepTest, ACopyOfAnotherTensorIsAnError) {
  // x has the shape of r.
  Start([](GraphBuilder& b) { b.Redirect(FindByOp(b, "StrSwapOut")->name(), 0, "x"); });
  ExpectError("STR-4004", "has other bytes than 'r:0'");
}

TEST_F(BrokenStepTest, ACopyBackOfAnotherTensorIsAnError) {
  // r and dr have one shape, and both go out and come back.
  strategy_ = ProgramFor(graph::MakeGraphView(*graph_), {"run v1",
                                                         "run v2",
                                                         "run w1",
                                                         "run h",
                                                         "run r",
                                                         "swap_out r:0",
                                                         "run w2",
                                                         "run y",
                                                         "run e",
                                                         "run dr",
                                                         "swap_out_wait r:0",
                                                         "swap_out dr:0",
                                                         "swap_in r:0",
                                                         "run g2",
                                                         "run d2",
                                                         "swap_out_wait dr:0",
                                                         "swap_in dr:0",
                                                         "run dh",
                                                         "run g1",
                                                         "run d1",
                                                         "run u1",
                                                         "run u2"});
  Start([](GraphBuilder& b) {
    Node* const in = FindCopy(b, "StrSwapIn", "/dr");
    b.Redirect(in->name(), 0, FindCopy(b, "StrSwapOut", "/r")->name());
  });
  ExpectError("STR-4004", "input 0 of node 'dh' has other bytes than 'dr:0'");
}

TEST_F(BrokenStepTest, AUserOfAnotherTensorIsAnError) {
  Start([](GraphBuilder& b) { b.Redirect("g2", 0, "x"); });
  ExpectError("STR-4004", "input 0 of node 'g2' has other bytes than 'r:0'");
}

TEST_F(BrokenStepTest, ANodeThatWasLeftOutIsAnError) {
  Start([](GraphBuilder& b) {
    Unchain(b, b.Find("u1"));
    b.graph().RemoveNode(b.Find("u1"));
  });
  ExpectError("STR-4001", "node 'u1' did not run");
}

TEST_F(BrokenStepTest, ANodeThatRunsTwiceIsAnError) {
  Start([](GraphBuilder& b) {
    absl::Status status;
    tensorflow::NodeDef again = b.Find("u1")->def();
    again.set_name("u1_again");
    Node* const node = b.graph().AddNode(again, &status);
    ASSERT_EQ(status, absl::OkStatus());
    b.graph().AddEdge(b.Find("v1"), 0, node, 0);
    b.graph().AddEdge(b.Find("d1"), 0, node, 1);
    b.graph().AddControlEdge(b.Find("u1"), node);
    b.graph().AddControlEdge(node, b.Find("u2"));
  });
  ExpectError("STR-4001", "node 'u1' ran more than once");
}

TEST_F(BrokenStepTest, AnotherOrderIsAnError) {
  Start([](GraphBuilder& b) {
    Unchain(b, b.Find("d1"));
    b.graph().AddControlEdge(b.Find("d2"), b.Find("d1"));
    b.graph().AddControlEdge(b.Find("d1"), b.Find("u1"));
  });
  ExpectError("STR-4001", "node 'd1' ran after 'd2'");
}

TEST_F(BrokenStepTest, PlacesThatNothingTookAreAnError) {
  for (config::Step& step : *strategy_.mutable_step()) {
    if (step.run() != "h" && step.run() != "dr") continue;
    config::Place& place = *step.add_place();
    place.set_bytes(3 * kMiB);
  }
  Start(Nothing);
  ExpectError("STR-4003", "none of 2 planned allocations took its place");
}

TEST_F(BrokenStepTest, APeakFarBelowThePredictedOneIsAnError) {
  strategy_.set_predicted_peak_bytes(4096 * kMiB);
  Start(Nothing);
  ExpectError("STR-4003", "less than half of the predicted 4.00 GiB");
}

TEST_F(BrokenStepTest, APeakAboveTheBudgetIsAnError) {
  strategy_.set_budget_bytes(kMiB);
  strategy_.set_external_bytes(16 * kMiB);
  Start(Nothing);
  ExpectError("STR-4003", "above the budget of 1.00 MiB");
}

TEST_F(BrokenStepTest, WhatIsOutsideOfTheStepIsNotThePlansFault) {
  strategy_.set_budget_bytes(8 * kMiB);
  Start(Nothing);
  void* const outside = device::SharedDeviceMemory()->AllocateRaw(64, 64 * kMiB);
  ::testing::internal::CaptureStderr();
  const absl::Status status = session_->Run().status();
  const std::string said = ::testing::internal::GetCapturedStderr();
  device::SharedDeviceMemory()->DeallocateRaw(outside);
  EXPECT_EQ(status, absl::OkStatus());
  EXPECT_TRUE(absl::StrContains(said, "WARNING: the peak is above the budget of 8.00 MiB")) << said;
}

TEST_F(BrokenStepTest, WrongValuesAreSaidBeforeAWrongPeak) {
  strategy_.set_predicted_peak_bytes(4096 * kMiB);
  Start([](GraphBuilder& b) { b.Redirect("g2", 0, "x"); });
  ExpectError("STR-4004", "input 0 of node 'g2' has other bytes than 'r:0'");
}

TEST_F(BrokenStepTest, ValuesAreOnlySaidToBeRightIfTheyWereCompared) {
  strategy_.set_predicted_peak_bytes(4096 * kMiB);
  Start(Nothing);
  ExpectError("STR-4003", "Values are as they should be.");
}

TEST_F(BrokenStepTest, ValuesThatWereNotComparedAreSaidNotToBe) {
  strategy_.set_predicted_peak_bytes(4096 * kMiB);
  Start(Nothing, /*strict=*/false, /*verify=*/false);
  ExpectError("STR-4003", "Values were not compared.");
}

// g2 takes the weights, whose shape does not fit: the kernel fails.
void TakeAnotherShape(GraphBuilder& b) { b.Redirect("g2", 0, "w1"); }

TEST_F(BrokenStepTest, AStepThatFailsBecauseOfThePlanIsThePlansFault) {
  Start(TakeAnotherShape);
  ExpectError("STR-4004",
              "input 0 of node 'g2' has other bytes than 'r:0' had when it was first computed, and the step "
              "failed: ");
  EXPECT_EQ(session_->Run().status(), absl::OkStatus()) << "without the plan";
}

TEST_F(BrokenStepTest, AStepThatFailsOtherwiseKeepsItsError) {
  Start(TakeAnotherShape, /*strict=*/false, /*verify=*/false);
  for (int i = 0; i < 2; ++i) {
    const absl::Status status = session_->Run().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_FALSE(absl::StrContains(status.message(), "STR-")) << status;
  }
}

// An op without a kernel for the CPU.
void AddWhatCannotBeBuilt(GraphBuilder& b) {
  Node* const node = b.Add("TPUOrdinalSelector", "unbuildable");
  b.graph().AddControlEdge(node, b.Find("u1"));
}

TEST_F(BrokenStepTest, AStepThatCannotBeBuiltTrainsWithoutThePlan) {
  Start(AddWhatCannotBeBuilt);
  ::testing::internal::CaptureStderr();
  const absl::StatusOr<Tensor> result = session_->Run();
  const std::string said = ::testing::internal::GetCapturedStderr();
  ASSERT_EQ(result.status(), absl::OkStatus());
  EXPECT_TRUE(absl::StartsWith(said, "STR-2003 the planned step cannot be built: ")) << said;
  EXPECT_FALSE(absl::StrContains(said, "STR-3001")) << said;
  EXPECT_TRUE(BitEqual(*result, *plain_->Run()));
  EXPECT_TRUE(BitEqual(session_->Weights()[0], plain_->Weights()[0]));
  EXPECT_TRUE(BitEqual(*session_->Run(), *plain_->Run()));
}

TEST_F(BrokenStepTest, AStepThatCannotBeBuiltEndsStrictTraining) {
  Start(AddWhatCannotBeBuilt, /*strict=*/true);
  ExpectError("STR-2003", "the planned step cannot be built: ");
  ExpectError("STR-2003", "No step is run (STR_STRICT=1).");
}

// The observer alone: when calls overlap is decided here, not by TensorFlow.
class CallsAtOnceTest : public BrokenStepTest {
 protected:
  static constexpr int64_t kStepId = 7;

  void Begin() { observer_->Begin(kStepId); }
  absl::Status End(bool delivered = true) { return observer_->End(kStepId, {delivered}); }
};

TEST_F(CallsAtOnceTest, NodesThatDidNotRunAreAnErrorOfTheLastCall) {
  Start(Nothing);
  Begin();
  Begin();
  EXPECT_EQ(End(), absl::OkStatus()) << "its nodes may be those that are still to come";
  const absl::Status status = End();
  EXPECT_TRUE(absl::StrContains(status.message(), "STR-4001")) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "did not run in each of 2 calls at once")) << status;
}

TEST_F(CallsAtOnceTest, AMissingResultIsAnErrorOfItsCall) {
  Start(Nothing);
  Begin();
  Begin();
  const absl::Status status = End(/*delivered=*/false);
  EXPECT_TRUE(absl::StrContains(status.message(), "STR-4002")) << status;
}

TEST_F(CallsAtOnceTest, WhereACallFailedRunsAreNotCounted) {
  Start(Nothing);
  Begin();
  Begin();
  EXPECT_EQ(observer_->Abandon(kStepId, absl::CancelledError("stopped")), absl::CancelledError("stopped"));
  EXPECT_EQ(End(), absl::OkStatus());
}

TEST_F(CallsAtOnceTest, TheStepOfTheDeviceEnds) {
  Start(Nothing);
  device::DeviceMemory& memory = *device::SharedDeviceMemory();
  const uint64_t before = memory.BeginStep();
  memory.EndStep(before);
  Begin();
  Begin();
  EXPECT_EQ(End(), absl::OkStatus());
  EXPECT_FALSE(End().ok());
  EXPECT_FALSE(memory.EndStep(before + 1).has_value()) << "it has ended";
}

TEST_F(CallsAtOnceTest, AStepThatCallsTheFunctionTwiceTrains) {
  Start(Nothing);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(session_->RunTwiceAtOnce(), absl::OkStatus());
  EXPECT_EQ(session_->Run().status(), absl::OkStatus());
}

TEST_F(BrokenStepTest, TheStepAfterTheErrorRunsWithoutThePlan) {
  Start([](GraphBuilder& b) { b.graph().AddControlEdge(AddDead(b, "x"), b.Find("v1")); });
  ExpectError("STR-4001", "Later steps run without the plan.");
  const absl::StatusOr<Tensor> second = session_->Run();
  ASSERT_EQ(second.status(), absl::OkStatus());
  // The broken step did nothing at all, so that the second is the first.
  EXPECT_TRUE(BitEqual(*second, *plain_->Run()));
  EXPECT_TRUE(BitEqual(session_->Weights()[0], plain_->Weights()[0]));
}

TEST_F(BrokenStepTest, StrictTrainingEndsWithTheError) {
  Start([](GraphBuilder& b) { b.graph().AddControlEdge(AddDead(b, "x"), b.Find("v1")); }, /*strict=*/true);
  ExpectError("STR-4001", "No later step is run (STR_STRICT=1).");
  ExpectError("STR-4001", "did not run");
}

TEST_F(BrokenStepTest, WithoutTheFirstStepsCheckNodesAndResultsAreStillCounted) {
  Start([](GraphBuilder& b) { b.graph().AddControlEdge(AddDead(b, "x"), b.Find("g2")); }, /*strict=*/false,
        /*verify=*/false);
  ExpectError("STR-4001", "node 'g2' did not run");
}

// The training graph with a loop beside it: `late` enters it, `left` uses what leaves it.
std::unique_ptr<Graph> BuildStepWithLoop() {
  GraphBuilder b;
  testing::BuildTraining(b, kRows, kWidth);
  b.Constant("zero", Tensor(0.0f));
  b.Constant("limit", Tensor(3.0f));
  b.Add("Neg", "late", {"rate"});
  for (const auto& [variable, start] : {std::pair<std::string, std::string>{"i", "zero"}, {"s", "late"}}) {
    b.Add("Enter", variable + "/enter", {start}, {{"frame_name", "loop"}});
    b.Add("Merge", variable + "/merge", {variable + "/enter", variable + "/enter"});
  }
  b.Add("Enter", "limit/enter", {"limit"}, {{"frame_name", "loop"}, {"is_constant", true}});
  b.Add("Less", "less", {"i/merge", "limit/enter"});
  b.Add("LoopCond", "cond", {"less"});
  for (const std::string variable : {"i", "s"}) {
    b.Add("Switch", variable + "/switch", {variable + "/merge", "cond"});
    b.Add("Identity", variable + "/body", {variable + "/switch:1"});
    b.Add("Exit", variable + "/exit", {variable + "/switch:0"});
  }
  b.Constant("one", Tensor(1.0f));
  b.Add("Enter", "one/enter", {"one"}, {{"frame_name", "loop"}, {"is_constant", true}});
  // What leaves as i depends on what entered as s, but only in the second iteration: over a back edge.
  b.Add("Add", "i/grown", {"i/body", "one/enter"});
  b.Add("Maximum", "i/sum", {"i/grown", "s/body"});
  b.Add("NextIteration", "i/next", {"i/sum"});
  b.Redirect("i/merge", 1, "i/next");
  b.Add("NextIteration", "s/next", {"s/body"});
  b.Redirect("s/merge", 1, "s/next");
  b.Add("Square", "left", {"i/exit"});
  b.Add("_Retval", "result", {"e"}, {{"index", 0}});
  return b.Release();
}

absl::StatusOr<PlannedGraph> PlanLoop(const Graph& graph, Strings program) {
  for (const std::string& step : kProgram) program.push_back(step);
  const graph::GraphView view = graph::MakeGraphView(graph);
  Strategies strategies;
  strategies.by_fingerprint[view.fingerprint] = {
      "plan.conf", std::make_shared<const config::StrategyFile>(ProgramFor(view, program))};
  return PlanGraph(strategies, {/*strict=*/true}, graph);
}

TEST(StuckStepTest, AProgramThatAsksALoopForAValueBeforeAllHasEnteredIsRefused) {
  EXPECT_TRUE(config::IsError(PlanLoop(*BuildStepWithLoop(), {"run left", "run late"}).status(),
                              absl::StatusCode::kFailedPrecondition, "is on or behind a cycle"));
}

// No node is dead, and yet some never run: TensorFlow ends such a step without an error.
TEST(StuckStepTest, AStepThatWaitsForItselfIsAnError) {
  std::unique_ptr<Graph> graph = BuildStepWithLoop();
  absl::StatusOr<PlannedGraph> planned = PlanLoop(*graph, {"run late", "run left"});
  ASSERT_EQ(planned.status(), absl::OkStatus());
  ASSERT_NE(planned->graph, nullptr);
  GraphBuilder broken(std::move(planned->graph));
  Unchain(broken, broken.Find("late"));
  broken.graph().AddControlEdge(broken.Find("left"), broken.Find("late"));
  ASSERT_EQ(WrapStep(planned->name, broken.graph(), graph->flib_def(), Register(*planned), false, graph),
            absl::OkStatus());
  StepSession session(*graph, kWidth);
  const absl::Status status = session.Run().status();
  EXPECT_TRUE(absl::StrContains(status.message(), "STR-4001")) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "node 'left' did not run, nor did 18 more")) << status;
}

}  // namespace
}  // namespace str::rewrite
