#include "tf_plugin/rewrite/program_rewriter.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/synchronization/mutex.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/rewrite/graph_verifier.h"
#include "tf_plugin/rewrite/program_text.h"
#include "tf_plugin/testing/graph_builder.h"
#include "tf_plugin/testing/graph_session.h"
#include "tf_plugin/testing/training_graph.h"

namespace str::rewrite {
namespace {

using tensorflow::DT_FLOAT;
using tensorflow::Graph;
using tensorflow::Node;
using tensorflow::Tensor;
using testing::AddWeights;
using testing::BitEqual;
using testing::BuildTraining;
using testing::FindNode;
using testing::GraphBuilder;
using testing::GraphSession;
using testing::InputsOf;
using Strings = std::vector<std::string>;

[[maybe_unused]] const bool registered = [] {
  device::RegisterLimitedDevice(device::kNoLimit);
  return true;
}();

// A graph and the program that it is rewritten by.
class ProgramRewriterTest : public ::testing::Test {
 protected:
  // Forward: x -> a -> b -> c, backward: da = c * b, db = da * a. Everything later needs something early.
  ProgramRewriterTest() {
    b_.Floats("x", {6, 4});
    b_.Add("Exp", "a", {"x"});
    b_.Add("Tanh", "b", {"a"});
    b_.Add("Sigmoid", "c", {"b"});
    b_.Add("Mul", "da", {"c", "b"});
    b_.Add("Mul", "db", {"da", "a"});
  }

  absl::Status Rewrite(const Strings& program) {
    Graph& graph = b_.graph();
    const graph::GraphView view = graph::MakeGraphView(graph);
    strategy_ = ProgramFor(view, program);
    result_ = RewriteResult();
    if (absl::Status status = ProgramRewriter(strategy_, view, graph).Rewrite(result_); !status.ok()) return status;
    if (absl::Status status = VerifyGraph(graph); !status.ok()) return status;
    EXPECT_EQ(result_.nodes.size(), program.size());
    return VerifyChain(result_.nodes);
  }

  // Inputs of the node of step `step`, from 0.
  Strings StepInputs(int step) { return InputsOf(*result_.nodes[step]); }
  std::string StepName(int step) { return result_.nodes[step] == nullptr ? "" : result_.nodes[step]->name(); }
  std::string StepOp(int step) { return result_.nodes[step]->type_string(); }

  GraphBuilder b_;
  config::StrategyFile strategy_;
  RewriteResult result_;
};

TEST_F(ProgramRewriterTest, RunsAreTiedInTheOrderOfTheProgram) {
  b_.Add("Neg", "free", {"x"});
  EXPECT_OK(Rewrite({"run a", "run b", "run free", "run c", "run da", "run db"}));
  EXPECT_EQ(StepInputs(0), Strings({"x:0"}));
  EXPECT_EQ(StepInputs(1), Strings({"a:0", "^a"}));
  EXPECT_EQ(StepInputs(2), Strings({"x:0", "^b"}));
  EXPECT_EQ(StepInputs(3), Strings({"b:0", "^free"}));
  EXPECT_EQ(StepInputs(5), Strings({"da:0", "a:0", "^da"}));
  EXPECT_EQ(result_.changes.recomputed_nodes + result_.changes.swapped_tensors, 0);
  EXPECT_TRUE(result_.refusals.empty());
}

TEST_F(ProgramRewriterTest, ARerunIsACloneThatLaterUsersTake) {
  EXPECT_OK(Rewrite({"run a", "run b", "run c", "run da", "rerun a", "run db"}));
  const Node& clone = *result_.nodes[4];
  EXPECT_TRUE(absl::StartsWith(clone.name(), "str/rerun/")) << clone.name();
  EXPECT_TRUE(absl::EndsWith(clone.name(), "/a")) << clone.name();
  EXPECT_EQ(clone.type_string(), "Exp");
  EXPECT_EQ(InputsOf(clone), Strings({"x:0", "^da"}));
  EXPECT_NE(clone.attrs().Find(kCloneAttr), nullptr) << "or it would be merged into its original";
  EXPECT_EQ(InputsOf(*b_.Find("db")), Strings({"da:0", clone.name() + ":0", "^" + clone.name()}));
  EXPECT_EQ(InputsOf(*b_.Find("b")), Strings({"a:0", "^a"})) << "earlier users keep the first instance";
  EXPECT_EQ(result_.changes.recomputed_nodes, 1);
}

TEST_F(ProgramRewriterTest, ARerunTakesTheNewestInstances) {
  EXPECT_OK(Rewrite({"run a", "run b", "run c", "rerun a", "rerun b", "run da", "run db"}));
  EXPECT_EQ(StepInputs(4), Strings({StepName(3) + ":0", "^" + StepName(3)}));
  EXPECT_EQ(InputsOf(*b_.Find("da")), Strings({"c:0", StepName(4) + ":0", "^" + StepName(4)}));
  EXPECT_EQ(InputsOf(*b_.Find("db")), Strings({"da:0", StepName(3) + ":0", "^da"}));
}

TEST_F(ProgramRewriterTest, AllOutputsOfARerunAreNew) {
  b_.Add("Unpack", "parts", {"a"}, {{"num", 4}, {"axis", 1}});
  b_.Add("Neg", "first", {"parts:0"});
  b_.Add("Neg", "last", {"parts:3"});
  EXPECT_OK(
      Rewrite({"run a", "run b", "run c", "run da", "run db", "run parts", "rerun parts", "run first", "run last"}));
  EXPECT_EQ(InputsOf(*b_.Find("first"))[0], StepName(6) + ":0");
  EXPECT_EQ(InputsOf(*b_.Find("last"))[0], StepName(6) + ":3");
}

TEST_F(ProgramRewriterTest, ClonesForgetTheirOriginalsColocation) {
  b_.Find("a")->AddAttr("_class", Strings({"loc:@x"}));
  b_.Find("a")->set_assigned_device_name("/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_OK(Rewrite({"run a", "run b", "run c", "run da", "rerun a", "run db"}));
  EXPECT_EQ(result_.nodes[4]->attrs().Find("_class"), nullptr);
  EXPECT_EQ(result_.nodes[4]->assigned_device_name(), "/job:localhost/replica:0/task:0/device:CPU:0");
}

TEST_F(ProgramRewriterTest, ASwapGoesWhereItsTierSays) {
  EXPECT_OK(Rewrite({"run a", "run b", "swap_out a:0", "swap_out_disk b:0", "swap_out_wait a:0", "swap_out_wait b:0",
                     "swap_in b:0", "run c", "run da", "swap_in a:0", "run db"}));
  EXPECT_FALSE(result_.nodes[2]->def().attr().at("disk").b());
  EXPECT_TRUE(result_.nodes[3]->def().attr().at("disk").b());
  EXPECT_EQ(result_.changes.swapped_tensors, 2);
  EXPECT_EQ(result_.changes.disk_tensors, 1);
}

TEST_F(ProgramRewriterTest, ASwapIsFourOps) {
  EXPECT_OK(
      Rewrite({"run a", "run b", "swap_out a:0", "run c", "swap_out_wait a:0", "run da", "swap_in a:0", "run db"}));
  EXPECT_EQ(StepOp(2), "StrSwapOut");
  EXPECT_EQ(StepInputs(2), Strings({"a:0", "^b"}));
  EXPECT_EQ(StepInputs(3), Strings({"b:0", "^" + StepName(2)}));
  EXPECT_EQ(StepOp(4), "StrSwapOutWait");
  EXPECT_EQ(StepInputs(4), Strings({StepName(2) + ":0", "a:0", "^c"}));
  EXPECT_EQ(StepOp(6), "StrSwapIn");
  EXPECT_EQ(StepInputs(6), Strings({StepName(2) + ":0", "^da"}));
  // The wait is put before the first user, and is no step of the program.
  const Strings users = InputsOf(*b_.Find("db"));
  const std::string wait = users[1].substr(0, users[1].rfind(':'));
  EXPECT_EQ(users, Strings({"da:0", wait + ":0", "^" + wait}));
  EXPECT_EQ(b_.Find(wait)->type_string(), "StrSwapInWait");
  EXPECT_EQ(InputsOf(*b_.Find(wait)), Strings({StepName(6) + ":0", "^" + StepName(6)}));
  for (const int step : {2, 4, 6}) EXPECT_TRUE(absl::StartsWith(StepName(step), kNodePrefix)) << StepName(step);
  EXPECT_EQ(result_.changes.swapped_tensors, 1);
}

TEST_F(ProgramRewriterTest, ASwapInStaysPendingUntilItIsTaken) {
  EXPECT_OK(
      Rewrite({"run a", "run b", "swap_out a:0", "swap_out_wait a:0", "swap_in a:0", "run c", "run da", "run db"}));
  EXPECT_EQ(InputsOf(*b_.Find("c")), Strings({"b:0", "^" + StepName(4)})) << "c does not wait";
  EXPECT_EQ(InputsOf(*b_.Find("da")), Strings({"c:0", "b:0", "^c"}));
}

TEST_F(ProgramRewriterTest, OneWaitServesAllUsers) {
  b_.Add("Neg", "also", {"a"});
  EXPECT_OK(Rewrite(
      {"run a", "run b", "swap_out a:0", "swap_out_wait a:0", "run c", "run da", "swap_in a:0", "run db", "run also"}));
  EXPECT_EQ(InputsOf(*b_.Find("also"))[0], InputsOf(*b_.Find("db"))[1]);
  int waits = 0;
  for (const Node* node : b_.graph().op_nodes()) waits += node->type_string() == "StrSwapInWait";
  EXPECT_EQ(waits, 1);
}

TEST_F(ProgramRewriterTest, ATensorMayGoOutTwice) {
  EXPECT_OK(Rewrite({"run a", "run b", "swap_out b:0", "swap_out_wait b:0", "swap_in b:0", "run c", "swap_out b:0",
                     "swap_out_wait b:0", "swap_in b:0", "run da", "run db"}));
  // The second time it is the instance that came back, as that is what c took.
  EXPECT_EQ(StepInputs(6)[0], InputsOf(*b_.Find("c"))[0]);
  EXPECT_EQ(StepInputs(8)[0], StepName(6) + ":0");
}

TEST_F(ProgramRewriterTest, SumsOfMoreThanTwoHoldTheirOtherAddends) {
  b_.Add("AddN", "sum", {"a", "b", "c"});
  Graph& graph = b_.graph();
  const graph::GraphView view = graph::MakeGraphView(graph);
  strategy_ = ProgramFor(view, {"run a", "run b", "run c", "run sum", "run da", "run db"});
  strategy_.mutable_step(3)->set_first_addend(2);
  EXPECT_OK(ProgramRewriter(strategy_, view, graph).Rewrite(result_));
  EXPECT_OK(VerifyChain(result_.nodes));
  EXPECT_EQ(InputsOf(*b_.Find("sum")), Strings({"c:0", "b:0", "a:0", "^c"})) << "the one to start with comes first";
  const Strings next = InputsOf(*b_.Find("da"));
  ASSERT_TRUE(absl::StartsWith(next.back(), "^str/hold/")) << next.back();
  EXPECT_EQ(InputsOf(*b_.Find(next.back().substr(1))), Strings({"b:0", "a:0", "^sum"}));
}

TEST_F(ProgramRewriterTest, AnAddendThatIsNotThereIsAnError) {
  b_.Add("AddN", "sum", {"a", "b", "c"});
  Graph& graph = b_.graph();
  const graph::GraphView view = graph::MakeGraphView(graph);
  strategy_ = ProgramFor(view, {"run a", "run b", "run c", "run sum", "run da", "run db"});
  strategy_.mutable_step(3)->set_first_addend(3);
  EXPECT_FALSE(ProgramRewriter(strategy_, view, graph).Rewrite(result_).ok());
}

TEST_F(ProgramRewriterTest, ARerunOfWhatHasStateIsRefusedAndTheOldInstanceTaken) {
  b_.Ints("dims", {4});
  b_.Add("RandomUniform", "random", {"dims"}, {{"dtype", DT_FLOAT}});
  b_.Add("Neg", "user", {"random"});
  EXPECT_OK(Rewrite({"run random", "run a", "run b", "run c", "run da", "run db", "rerun random", "run user"}));
  EXPECT_EQ(result_.nodes[6], nullptr);
  EXPECT_EQ(InputsOf(*b_.Find("user")), Strings({"random:0", "^db"}));
  EXPECT_EQ(result_.refusals, Strings({"rerun of 'random': this node may not run twice (RECOMPUTE_RANDOM)"}));
  EXPECT_EQ(result_.changes.recomputed_nodes, 0);
}

TEST_F(ProgramRewriterTest, ASwapOfStringsIsRefusedWithAllItsSteps) {
  b_.Add("AsString", "text", {"a"});
  b_.Add("StringLower", "user", {"text"});
  EXPECT_OK(Rewrite({"run a", "run text", "swap_out text:0", "run b", "swap_out_wait text:0", "run c", "run da",
                     "run db", "swap_in text:0", "run user"}));
  for (const int step : {2, 4, 8}) EXPECT_EQ(result_.nodes[step], nullptr);
  EXPECT_EQ(InputsOf(*b_.Find("user")), Strings({"text:0", "^db"}));
  EXPECT_EQ(result_.refusals, Strings({"swap of 'text:0': tensors of type string cannot be copied as bytes"}))
      << "said once, not for each of its three steps";
  EXPECT_EQ(result_.changes.swapped_tensors, 0);
}

TEST_F(ProgramRewriterTest, AnOutputThatIsNotThereIsRefused) {
  EXPECT_OK(
      Rewrite({"run a", "swap_out a:1", "run b", "swap_out_wait a:1", "run c", "run da", "swap_in a:1", "run db"}));
  ASSERT_FALSE(result_.refusals.empty());
  EXPECT_EQ(result_.refusals[0], "a:1: no such tensor in this graph");
  EXPECT_EQ(InputsOf(*b_.Find("db")), Strings({"da:0", "a:0", "^da"}));
}

TEST_F(ProgramRewriterTest, AnOrderAgainstTheEdgesIsCaught) {
  EXPECT_TRUE(
      config::IsError(Rewrite({"run b", "run a", "run c", "run da", "run db"}), absl::StatusCode::kInternal, "cycle"));
}

// Programs are run, on STR's device, and give what the graph gave before, bit by bit.

// Counts how often each step of the program ran.
class CountingObserver : public device::GraphObserver {
 public:
  void Starting(int index, tensorflow::OpKernelContext&, device::OpRecord&) override {
    absl::MutexLock lock(&mutex_);
    ++runs_[index];
  }
  void Finished(int, tensorflow::OpKernelContext&, const device::OpRecord&, int64_t) override {}
  std::map<int, int> runs() {
    absl::MutexLock lock(&mutex_);
    return runs_;
  }

 private:
  absl::Mutex mutex_;
  std::map<int, int> runs_;
};

struct Trained {
  std::vector<Tensor> losses;
  std::vector<Tensor> weights;
};

Trained Train(GraphBuilder& b, int steps) {
  AddWeights(b);
  GraphSession session(b.graph());
  EXPECT_OK(session.Run({}, {"start1", "start2"}).status());
  Trained trained;
  for (int i = 0; i < steps; ++i) {
    const absl::StatusOr<std::vector<Tensor>> loss = session.Run({"e:0"}, {"u1", "u2"});
    EXPECT_OK(loss.status());
    if (loss.ok()) trained.losses.push_back(loss->at(0));
  }
  const absl::StatusOr<std::vector<Tensor>> weights = session.Run({"weights1:0", "weights2:0"});
  EXPECT_OK(weights.status());
  trained.weights = weights.value_or(std::vector<Tensor>());
  return trained;
}

void ExpectEqual(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(BitEqual(a[i], b[i])) << i;
}

void ExpectTrainsAsBefore(const Strings& steps) {
  // The handles come first, as the weights' start needs them too.
  Strings program = {"run v1", "run v2"};
  const size_t handles = program.size();
  program.insert(program.end(), steps.begin(), steps.end());
  GraphBuilder plain;
  BuildTraining(plain);
  const Trained expected = Train(plain, 4);

  GraphBuilder rewritten;
  BuildTraining(rewritten);
  const graph::GraphView view = graph::MakeGraphView(rewritten.graph());
  const config::StrategyFile strategy = ProgramFor(view, program);
  RewriteResult result;
  ASSERT_TRUE(ProgramRewriter(strategy, view, rewritten.graph()).Rewrite(result).ok());
  EXPECT_OK(VerifyGraph(rewritten.graph()));
  EXPECT_OK(VerifyChain(result.nodes));
  EXPECT_TRUE(result.refusals.empty());
  const auto observer = std::make_shared<CountingObserver>();
  device::SetObserver("counted", observer);
  for (size_t i = 0; i < result.nodes.size(); ++i) {
    device::MarkNode(result.nodes[i], "counted", static_cast<int>(i));
  }
  const Trained trained = Train(rewritten, 4);
  ExpectEqual(trained.losses, expected.losses);
  ExpectEqual(trained.weights, expected.weights);
  // Nothing was merged or pruned: every step of the program ran in every step of training. Handles are not computed.
  for (size_t i = handles; i < program.size(); ++i) EXPECT_EQ(observer->runs()[static_cast<int>(i)], 4) << program[i];
}

TEST(ProgramExecutionTest, InAnotherOrder) {
  ExpectTrainsAsBefore({"run w2", "run w1", "run h", "run r", "run y", "run e", "run dr", "run dh", "run g1", "run d1",
                        "run u1", "run g2", "run d2", "run u2"});
}

TEST(ProgramExecutionTest, WithRecomputedNodes) {
  ExpectTrainsAsBefore({"run w1", "run h", "run r", "run w2", "run y", "run e", "rerun h", "rerun r", "run g2",
                        "run dr", "run dh", "run g1", "run d1", "run d2", "run u1", "run u2"});
}

// The recomputed product must be of the weights before the update, although it runs after it.
TEST(ProgramExecutionTest, WithANodeRecomputedBehindAnUpdateOfItsWeights) {
  ExpectTrainsAsBefore({"run w1", "run h", "run r", "run w2", "run y", "run e", "run dr", "run dh", "run g1", "run d1",
                        "run u1", "rerun h", "rerun r", "run g2", "run d2", "run u2"});
}

TEST(ProgramExecutionTest, WithSwappedTensors) {
  ExpectTrainsAsBefore({"run w1",
                        "run h",
                        "run r",
                        "swap_out r:0",
                        "run w2",
                        "run y",
                        "swap_out_wait r:0",
                        "run e",
                        "swap_out e:0",
                        "swap_out_wait e:0",
                        "swap_in e:0",
                        "run dr",
                        "swap_in r:0",
                        "run g2",
                        "run dh",
                        "run g1",
                        "run d1",
                        "run d2",
                        "run u1",
                        "run u2"});
}

TEST(ProgramExecutionTest, WithSwappedAndRecomputedTensors) {
  ExpectTrainsAsBefore({"run w1",
                        "swap_out w1:0",
                        "swap_out_wait w1:0",
                        "swap_in w1:0",
                        "run h",
                        "swap_out h:0",
                        "run r",
                        "swap_out_wait h:0",
                        "run w2",
                        "run y",
                        "run e",
                        "swap_in h:0",
                        "rerun r",
                        "run g2",
                        "run dr",
                        "swap_in w1:0",
                        "rerun h",
                        "rerun r",
                        "run dh",
                        "run g1",
                        "run d1",
                        "run d2",
                        "run u1",
                        "run u2"});
}

TEST(ProgramExecutionTest, SumsStartWithTheAddendOfTheProgram) {
  // 1 + 1e8 - 1e8 in floats: the 1 is lost unless it comes last.
  const auto build = [](GraphBuilder& b) {
    b.Ints("dims", {1});
    b.Constant("large", Tensor(1e8f));
    b.Constant("minus_large", Tensor(-1e8f));
    b.Constant("one", Tensor(1.0f));
    b.Add("RandomUniform", "random", {"dims"}, {{"dtype", DT_FLOAT}});
    b.Add("ZerosLike", "zero", {"random"});
    b.Add("AddV2", "a", {"zero", "one"});
    b.Add("AddV2", "b", {"zero", "large"});
    b.Add("AddV2", "c", {"zero", "minus_large"});
    b.Add("AddN", "sum", {"a", "b", "c"});
  };
  for (const auto& [first, expected] : {std::pair<int, float>{0, 0.0f}, {1, 0.0f}, {2, 1.0f}}) {
    GraphBuilder b;
    build(b);
    Graph& graph = b.graph();
    const graph::GraphView view = graph::MakeGraphView(graph);
    config::StrategyFile strategy = ProgramFor(view, {"run random", "run zero", "run a", "run b", "run c", "run sum"});
    strategy.mutable_step(5)->set_first_addend(first);
    RewriteResult result;
    EXPECT_OK(ProgramRewriter(strategy, view, graph).Rewrite(result));
    const absl::StatusOr<std::vector<Tensor>> sum = GraphSession(graph).Run({"sum:0"});
    ASSERT_TRUE(sum.ok()) << sum.status();
    EXPECT_EQ(sum->at(0).flat<float>()(0), expected) << "starting with " << first;
  }
}

}  // namespace
}  // namespace str::rewrite
