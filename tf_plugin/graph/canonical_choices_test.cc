#include "tf_plugin/graph/canonical_choices.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tensorflow/core/common_runtime/optimization_registry.h"
#include "tensorflow/core/util/util.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/testing/graph_builder.h"
#include "tf_plugin/testing/graph_session.h"

namespace str::graph {
namespace {

using str::testing::Attr;
using str::testing::BitEqual;
using str::testing::FindNode;
using str::testing::GraphBuilder;
using str::testing::GraphSession;
using str::testing::InputsOf;
using tensorflow::Graph;
using tensorflow::GraphOptimizationPass;
using tensorflow::Node;
using tensorflow::OptimizationPassRegistry;

constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";

// Small whole numbers, whose sums are exact in any order.
tensorflow::Tensor WholeNumbers(const tensorflow::TensorShape& shape) {
  tensorflow::Tensor tensor(tensorflow::DT_FLOAT, shape);
  auto flat = tensor.flat<float>();
  for (int64_t i = 0; i < flat.size(); ++i) flat(i) = static_cast<float>(i * i % 7) - 3;
  return tensor;
}

std::unique_ptr<Graph> OnCpu(GraphBuilder& b) {
  for (Node* node : b.graph().op_nodes()) {
    node->set_requested_device(kCpu);
    node->set_assigned_device_name(kCpu);
  }
  return b.Release();
}

// The gradients of convolutions with bias whose outputs are added: nodes that take "gradient:0", or "gradient:1", which
// is another tensor. Each bias gradient "x" is used by "use_x".
class Gradients {
 public:
  Gradients() {
    b_.Constant("image", WholeNumbers({2, 6, 6, 3}));
    b_.Ints("filter_shape", {3, 3, 3, 4});
    b_.Constant("both", WholeNumbers({2, 6, 6, 8}));
    b_.Constant("axis", tensorflow::Tensor(3));
    b_.Add("Split", "gradient", {"axis", "both"}, {{"num_split", 2}});
  }

  Gradients& Filter(const std::string& name, const std::string& gradient = "gradient:0",
                    const std::string& padding = "SAME", const std::vector<std::string>& controls = {}) {
    std::vector<std::string> inputs = {"image", "filter_shape", gradient};
    inputs.insert(inputs.end(), controls.begin(), controls.end());
    std::vector<Attr> attrs = {{"strides", std::vector<int>{1, 1, 1, 1}}, {"padding", padding}};
    if (padding == "EXPLICIT") attrs.push_back({"explicit_paddings", std::vector<int>{0, 0, 1, 1, 1, 1, 0, 0}});
    b_.Add("Conv2DBackpropFilter", name, inputs, attrs);
    return *this;
  }

  Gradients& Bias(const std::string& name, const std::string& gradient = "gradient:0") {
    b_.Add("BiasAddGrad", name, {gradient});
    b_.Add("Neg", absl::StrCat("use_", name), {name});
    return *this;
  }

  std::unique_ptr<Graph> Release() { return OnCpu(b_); }

  std::unique_ptr<Graph> Settle() {
    std::unique_ptr<Graph> graph = Release();
    CHECK_OK(SettleChoices(graph));
    return graph;
  }

 private:
  GraphBuilder b_;
};

const std::map<int, std::vector<std::unique_ptr<GraphOptimizationPass>>>& PassesAfterPartitioning() {
  return OptimizationPassRegistry::Global()->groups().at(OptimizationPassRegistry::POST_PARTITIONING);
}

// Runs TensorFlow's own layout pass.
std::unique_ptr<Graph> AfterLayoutPass(std::unique_ptr<Graph> graph) {
  std::unordered_map<std::string, std::unique_ptr<Graph>> partitions;
  partitions[kCpu] = std::move(graph);
  tensorflow::GraphOptimizationPassOptions options;
  options.partition_graphs = &partitions;
  int runs = 0;
  for (const auto& [phase, passes] : PassesAfterPartitioning()) {
    for (const auto& pass : passes) {
      if (pass->name() != "MklLayoutRewritePass") continue;
      CHECK_OK(pass->Run(options));
      ++runs;
    }
  }
  CHECK_EQ(runs, 1);
  return std::move(partitions[kCpu]);
}

// Which tensor is each bias gradient: output 1 of the filter with which it was merged, or output 0 of its own node.
std::map<std::string, std::string> BiasesAfterLayoutPass(std::unique_ptr<Graph> graph) {
  std::map<std::string, std::string> biases;
  const std::unique_ptr<Graph> after = AfterLayoutPass(std::move(graph));
  for (const Node* node : after->op_nodes()) {
    if (node->type_string() == "Neg") biases[node->name()] = InputsOf(*node)[0];
  }
  return biases;
}

int NodesAdded(Gradients& gradients) {
  std::unique_ptr<Graph> graph = gradients.Release();
  const int before = graph->num_op_nodes();
  CHECK_OK(SettleChoices(graph));
  return graph->num_op_nodes() - before;
}

TEST(SettlingPhaseTest, IsBeforeEveryPassOfTensorFlow) {
  ASSERT_TRUE(tensorflow::IsMKLEnabled());
  EXPECT_GT(PassesAfterPartitioning().begin()->first, kSettlingPhase);
}

// What this file is for: if it fails, TensorFlow has learnt to choose by itself.
TEST(WithoutSettlingTest, TheOrderOfInsertionDecides) {
  EXPECT_NE(BiasesAfterLayoutPass(Gradients().Filter("a").Filter("b").Bias("bias").Release()),
            BiasesAfterLayoutPass(Gradients().Filter("b").Filter("a").Bias("bias").Release()));
}

TEST(SettleChoicesTest, TheFirstFilterByNameGetsTheBias) {
  const std::map<std::string, std::string> first = {{"use_bias", "a:1"}};
  EXPECT_EQ(BiasesAfterLayoutPass(Gradients().Filter("a").Filter("b").Bias("bias").Settle()), first);
  EXPECT_EQ(BiasesAfterLayoutPass(Gradients().Filter("b").Filter("a").Bias("bias").Settle()), first);
  EXPECT_EQ(BiasesAfterLayoutPass(Gradients().Bias("bias").Filter("b").Filter("a").Settle()), first);
}

TEST(SettleChoicesTest, PairsByNameWhateverTheOrder) {
  std::vector<std::string> filters, biases;
  std::map<std::string, std::string> expected;
  for (int i = 10; i < 25; ++i) filters.push_back(absl::StrCat("filter", i));
  for (int i = 10; i < 15; ++i) {
    biases.push_back(absl::StrCat("bias", i));
    expected[absl::StrCat("use_bias", i)] = absl::StrCat("filter", i, ":1");
  }
  for (int turn = 0; turn < 8; ++turn) {
    std::rotate(filters.begin(), filters.begin() + 4, filters.end());
    std::next_permutation(biases.begin(), biases.end());
    Gradients gradients;
    for (const std::string& name : filters) gradients.Filter(name);
    for (const std::string& name : biases) gradients.Bias(name);
    EXPECT_EQ(BiasesAfterLayoutPass(gradients.Settle()), expected) << "turn " << turn;
  }
}

TEST(SettleChoicesTest, BiasesThatAreLeftOverStayWhatTheyAre) {
  EXPECT_EQ(BiasesAfterLayoutPass(Gradients().Bias("y").Bias("x").Bias("z").Filter("a").Settle()),
            (std::map<std::string, std::string>{{"use_x", "a:1"}, {"use_y", "y:0"}, {"use_z", "z:0"}}));
}

// TensorFlow itself would compute a bias gradient from the wrong output.
TEST(SettleChoicesTest, DoesNotPairDifferentOutputsOfANode) {
  EXPECT_EQ(BiasesAfterLayoutPass(Gradients()
                                      .Filter("a", "gradient:1")
                                      .Filter("b", "gradient:0")
                                      .Bias("x", "gradient:0")
                                      .Bias("y", "gradient:1")
                                      .Settle()),
            (std::map<std::string, std::string>{{"use_x", "b:1"}, {"use_y", "a:1"}}));
}

TEST(SettleChoicesTest, PassesOverFiltersThatCannotBeMerged) {
  EXPECT_EQ(BiasesAfterLayoutPass(Gradients()
                                      .Filter("a", "gradient:0", "EXPLICIT")
                                      .Filter("b", "gradient:0", "SAME", {"^axis"})
                                      .Filter("d")
                                      .Filter("c")
                                      .Bias("bias")
                                      .Settle()),
            (std::map<std::string, std::string>{{"use_bias", "c:1"}}));
}

TEST(SettleChoicesTest, LeavesGraphsAloneThatLeaveNoChoice) {
  EXPECT_EQ(NodesAdded(Gradients().Filter("a").Bias("x")), 0);
  EXPECT_EQ(NodesAdded(Gradients().Filter("a").Filter("b")), 0);
  EXPECT_EQ(NodesAdded(Gradients().Bias("x").Bias("y")), 0);
  EXPECT_EQ(NodesAdded(Gradients().Filter("a").Filter("b", "gradient:0", "EXPLICIT").Bias("x")), 0);
  EXPECT_EQ(NodesAdded(Gradients().Filter("a").Filter("b", "gradient:0", "SAME", {"^axis"}).Bias("x")), 0);
}

TEST(SettleChoicesTest, LeavesOtherDevicesAlone) {
  std::unique_ptr<Graph> graph = Gradients().Filter("a").Filter("b").Bias("bias").Release();
  for (Node* node : graph->op_nodes()) node->set_assigned_device_name("/job:localhost/replica:0/task:0/device:GPU:0");
  const int before = graph->num_op_nodes();
  ASSERT_TRUE(SettleChoices(graph).ok());
  EXPECT_EQ(graph->num_op_nodes(), before);
}

TEST(SettleChoicesTest, AddsOneNodeForAllFiltersThatAreLeftOver) {
  const std::unique_ptr<Graph> graph = Gradients().Filter("c").Filter("b").Filter("a").Bias("bias").Settle();
  const std::string own_source = absl::StrCat(kNodePrefix, "own_source/b");
  EXPECT_EQ(InputsOf(*FindNode(*graph, "a"))[2], "gradient:0");
  EXPECT_EQ(InputsOf(*FindNode(*graph, "bias"))[0], "gradient:0");
  EXPECT_EQ(InputsOf(*FindNode(*graph, "b"))[2], absl::StrCat(own_source, ":0"));
  EXPECT_EQ(InputsOf(*FindNode(*graph, "c"))[2], absl::StrCat(own_source, ":0"));
  const Node* const added = FindNode(*graph, own_source);
  ASSERT_NE(added, nullptr);
  EXPECT_TRUE(added->IsIdentity());
  EXPECT_EQ(InputsOf(*added), std::vector<std::string>{"gradient:0"});
  EXPECT_EQ(added->output_type(0), tensorflow::DT_FLOAT);
  EXPECT_EQ(added->requested_device(), kCpu);
  EXPECT_EQ(added->assigned_device_name(), kCpu);
}

TEST(SettleChoicesTest, IsIdempotent) {
  Gradients gradients;
  for (const char* name : {"a", "b", "c", "d"}) gradients.Filter(name);
  for (const char* name : {"x", "y"}) gradients.Bias(name);
  std::unique_ptr<Graph> graph = gradients.Settle();
  const std::string once = MakeGraphView(*graph).fingerprint;
  ASSERT_TRUE(SettleChoices(graph).ok());
  EXPECT_EQ(MakeGraphView(*graph).fingerprint, once);
}

TEST(SettleChoicesTest, ComputesTheSame) {
  const auto build = [] { return std::move(Gradients().Filter("b").Filter("c").Filter("a").Bias("x").Bias("y")); };
  const std::vector<std::string> fetches = {"a:0", "b:0", "c:0", "use_x:0", "use_y:0"};
  const auto plain = GraphSession(*build().Release()).Run(fetches);
  const auto settled = GraphSession(*build().Settle()).Run(fetches);
  ASSERT_TRUE(plain.ok()) << plain.status();
  ASSERT_TRUE(settled.ok()) << settled.status();
  for (size_t i = 0; i < fetches.size(); ++i) EXPECT_TRUE(BitEqual((*settled)[i], (*plain)[i])) << fetches[i];
}

// x = start; repeat three times: x = body(x). The layout pass enters the loop at its head, or, from the constants that
// the body takes, in the middle: what it finds first depends on which were added first.
class Loop {
 public:
  using Constants = std::vector<std::pair<std::string, tensorflow::Tensor>>;

  Loop(const tensorflow::TensorShape& shape, const Constants& constants, bool constants_first) {
    const Constants of_the_head = {{"start", WholeNumbers(shape)},
                                   {"zero", tensorflow::Tensor(0)},
                                   {"limit", tensorflow::Tensor(3)},
                                   {"one", tensorflow::Tensor(1)}};
    for (const Constants& group :
         {constants_first ? constants : of_the_head, constants_first ? of_the_head : constants}) {
      for (const auto& [name, value] : group) b_.Constant(name, value);
    }
    for (const auto& [name, value] : constants) Enter(name);
    for (const char* name : {"limit", "one"}) Enter(name);
    for (const auto& [name, start] : {std::pair<std::string, std::string>{"i", "zero"}, {"x", "start"}}) {
      b_.Add("Enter", name + "_enter", {start}, {{"frame_name", "loop"}});
      b_.Add("Merge", name + "_merge", {name + "_enter", name + "_enter"});
    }
    b_.Add("Less", "less", {"i_merge", "limit_inside"});
    b_.Add("LoopCond", "cond", {"less"});
    for (const std::string name : {"i", "x"}) {
      b_.Add("Switch", name + "_switch", {name + "_merge", "cond"});
      b_.Add("Identity", name, {name + "_switch:1"});
      b_.Add("Exit", name + "_exit", {name + "_switch:0"});
    }
    b_.Add("Add", "i_plus_1", {"i", "one_inside"});
    Close("i", "i_plus_1");
  }

  Loop& Add(const std::string& op, const std::string& name, const std::vector<std::string>& inputs,
            const std::vector<Attr>& attrs = {}) {
    b_.Add(op, name, inputs, attrs);
    return *this;
  }

  Loop& Close(const std::string& variable, const std::string& result) {
    b_.Add("NextIteration", variable + "_next", {result});
    b_.Redirect(variable + "_merge", 1, variable + "_next");
    return *this;
  }

  std::unique_ptr<Graph> Release() { return OnCpu(b_); }

 private:
  void Enter(const std::string& name) {
    b_.Add("Enter", name + "_inside", {name}, {{"frame_name", "loop"}, {"is_constant", true}});
  }

  GraphBuilder b_;
};

// A window of three in each direction, moved by one.
std::vector<Attr> Window(int dims) {
  std::vector<int> size(dims, 3);
  size.front() = size.back() = 1;
  return {{"ksize", size}, {"strides", std::vector<int>(dims, 1)}, {"padding", std::string("SAME")}};
}

std::unique_ptr<Graph> PoolingLoop(bool constants_first) {
  return Loop({2, 6, 6, 4}, {{"gradient", WholeNumbers({2, 6, 6, 4})}}, constants_first)
      .Add("MaxPool", "pool", {"x"}, Window(4))
      .Add("MaxPoolGrad", "pool_gradient", {"x", "pool", "gradient_inside"}, Window(4))
      .Close("x", "pool_gradient")
      .Release();
}

std::unique_ptr<Graph> Pooling3DLoop(bool constants_first) {
  return Loop({2, 6, 6, 6, 4}, {{"gradient", WholeNumbers({2, 6, 6, 6, 4})}}, constants_first)
      .Add("MaxPool3D", "pool", {"x"}, Window(5))
      .Add("MaxPool3DGrad", "pool_gradient", {"x", "pool", "gradient_inside"}, Window(5))
      .Close("x", "pool_gradient")
      .Release();
}

std::unique_ptr<Graph> PaddingLoop(bool constants_first) {
  tensorflow::Tensor paddings(tensorflow::DT_INT32, {4, 2});
  paddings.flat<int>().setValues({0, 0, 1, 1, 1, 1, 0, 0});
  return Loop({2, 6, 6, 4},
              {{"paddings", paddings}, {"filter", WholeNumbers({3, 3, 4, 4})}, {"bias", WholeNumbers({4})}},
              constants_first)
      .Add("Pad", "padded", {"x", "paddings_inside"})
      .Add("Conv2D", "convolution", {"padded", "filter_inside"},
           {{"strides", std::vector<int>{1, 1, 1, 1}}, {"padding", std::string("VALID")}})
      .Add("BiasAdd", "biased", {"convolution", "bias_inside"})
      .Close("x", "biased")
      .Release();
}

class LoopTest : public ::testing::TestWithParam<std::unique_ptr<Graph> (*)(bool)> {
 protected:
  static std::unique_ptr<Graph> Make(bool constants_first) { return GetParam()(constants_first); }

  static std::unique_ptr<Graph> MakeSettled(bool constants_first) {
    std::unique_ptr<Graph> graph = Make(constants_first);
    CHECK_OK(SettleChoices(graph));
    return graph;
  }

  static std::string After(std::unique_ptr<Graph> graph) {
    return MakeGraphView(*AfterLayoutPass(std::move(graph))).fingerprint;
  }
};

TEST_P(LoopTest, WithoutSettlingTheOrderOfInsertionDecides) { EXPECT_NE(After(Make(false)), After(Make(true))); }

TEST_P(LoopTest, SettledItDoesNot) { EXPECT_EQ(After(MakeSettled(false)), After(MakeSettled(true))); }

TEST_P(LoopTest, IsIdempotent) {
  std::unique_ptr<Graph> graph = MakeSettled(false);
  const int nodes = graph->num_op_nodes();
  ASSERT_TRUE(SettleChoices(graph).ok());
  EXPECT_EQ(graph->num_op_nodes(), nodes);
}

TEST_P(LoopTest, ComputesTheSame) {
  const auto plain = GraphSession(*Make(false)).Run({"x_exit:0"});
  const auto settled = GraphSession(*MakeSettled(false)).Run({"x_exit:0"});
  ASSERT_TRUE(plain.ok()) << plain.status();
  ASSERT_TRUE(settled.ok()) << settled.status();
  EXPECT_TRUE(BitEqual((*settled)[0], (*plain)[0]));
}

INSTANTIATE_TEST_SUITE_P(Loops, LoopTest, ::testing::Values(PoolingLoop, Pooling3DLoop, PaddingLoop));

TEST(SettleChoicesTest, LeavesPoolingAloneThatNoLoopLeadsBackTo) {
  std::unique_ptr<Graph> graph = Loop({2, 6, 6, 4}, {{"gradient", WholeNumbers({2, 6, 6, 4})}}, false)
                                     .Add("MaxPool", "pool", {"x"}, Window(4))
                                     .Add("MaxPoolGrad", "pool_gradient", {"x", "pool", "gradient_inside"}, Window(4))
                                     .Close("x", "x")
                                     .Release();
  const int before = graph->num_op_nodes();
  ASSERT_TRUE(SettleChoices(graph).ok());
  EXPECT_EQ(graph->num_op_nodes(), before);
}

}  // namespace
}  // namespace str::graph

// The layout pass does nothing without oneDNN, which .bazelrc and some processors turn off, and TensorFlow looks at the
// variable while it is loaded: start again with it.
int main(int argc, char** argv) {
  if (const char* one_dnn = getenv("TF_ENABLE_ONEDNN_OPTS"); one_dnn == nullptr || one_dnn != std::string("1")) {
    setenv("TF_ENABLE_ONEDNN_OPTS", "1", /*overwrite=*/1);
    execv("/proc/self/exe", argv);
    perror("cannot start again");
    return 1;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
