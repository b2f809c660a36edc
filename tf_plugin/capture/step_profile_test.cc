// Small graphs run by TensorFlow on STR's device, and what is then known of them. The tables of graph/op_facts.h are
// checked here against what the kernels do.
#include "tf_plugin/capture/step_profile.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "absl/log/log.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "config/in_program.h"
#include "gtest/gtest.h"
#include "tensorflow/core/common_runtime/dma_helper.h"
#include "tf_plugin/capture/graph_description.h"
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/graph/op_facts.h"
#include "tf_plugin/testing/graph_builder.h"
#include "tf_plugin/testing/graph_session.h"

namespace str::capture {
namespace {

using tensorflow::DT_FLOAT;
using tensorflow::Node;
using tensorflow::OpKernelContext;
using testing::Attr;
using testing::GraphBuilder;

[[maybe_unused]] const bool registered = [] {
  device::RegisterLimitedDevice(device::kNoLimit);
  return true;
}();

class ProfileObserver : public device::GraphObserver {
 public:
  explicit ProfileObserver(int nodes) : profile_(nodes) {}

  void Starting(int index, OpKernelContext& context, device::OpRecord& op) override {
    op.in_marked_graph = true;
    absl::MutexLock lock(&mutex_);
    inputs_[index] = SeeInputs(context);
  }

  void Finished(int index, OpKernelContext& context, const device::OpRecord& op, int64_t elapsed_ns) override {
    absl::MutexLock lock(&mutex_);
    profile_.AddOp(index, context, inputs_[index], op, elapsed_ns);
  }

  StepProfile& profile() { return profile_; }

 private:
  absl::Mutex mutex_;
  std::map<int, std::vector<InputSeen>> inputs_;
  StepProfile profile_;
};

// Runs the graph's nodes `steps` times, one after the other, and returns it as measured.
config::GraphFile Measure(GraphBuilder& b, const std::vector<std::string>& targets, int steps = 2) {
  static int graphs = 0;
  const std::string name = "graph" + std::to_string(graphs++);
  tensorflow::Graph& graph = b.graph();
  const graph::GraphView view = graph::MakeGraphView(graph);
  config::GraphFile file = DescribeGraph(view, name, "CPU:0");
  std::vector<int> marked;
  Node* previous = nullptr;
  for (size_t i = 0; i < view.order.size(); ++i) {
    Node* const node = view.order[i];
    marked.push_back(config::InProgram(view.recompute[node->id()]) ? static_cast<int>(i) : -1);
    if (marked.back() < 0) continue;
    device::MarkNode(node, name, static_cast<int>(i));
    if (previous != nullptr) graph.AddControlEdge(previous, node);
    previous = node;
  }
  const auto observer = std::make_shared<ProfileObserver>(static_cast<int>(view.order.size()));
  device::SetObserver(name, observer);
  testing::GraphSession session(graph);
  for (int i = 0; i < steps; ++i) {
    const uint64_t step = device::SharedDeviceMemory()->BeginStep();
    CHECK_OK(session.Run({}, targets).status());
    observer->profile().AddStep(device::SharedDeviceMemory()->EndStep(step).value());
  }
  EXPECT_TRUE(observer->profile().Complete(marked, file).ok());
  return file;
}

const config::Node& Find(const config::GraphFile& graph, const std::string& name) {
  for (const config::Node& node : graph.node()) {
    if (node.name() == name) return node;
  }
  LOG(FATAL) << "no node " << name;
}

// Numbers in a buffer of their own, made in the step.
void AddRandom(GraphBuilder& b, const std::string& name, const std::vector<int>& dims) {
  b.Ints(name + "/dims", dims);
  b.Add("RandomUniform", name, {name + "/dims"}, {{"dtype", DT_FLOAT}});
}

tensorflow::Tensor ZeroInts(int64_t count) {
  tensorflow::Tensor tensor(tensorflow::DT_INT32, {count});
  tensor.flat<int32_t>().setZero();
  return tensor;
}

TEST(StepProfileTest, BytesAndTimesAreMeasured) {
  GraphBuilder b;
  AddRandom(b, "x", {100, 100});
  b.Add("MatMul", "product", {"x", "x"});
  const config::GraphFile graph = Measure(b, {"product"}, 3);
  EXPECT_EQ(graph.steps_measured(), 3);
  EXPECT_EQ(Find(graph, "product").output(0).bytes(), 40000);
  EXPECT_GT(Find(graph, "product").time_ns(), 0);
  EXPECT_FALSE(Find(graph, "product").output(0).external());
  EXPECT_TRUE(Find(graph, "product").output(0).forwards_input().empty());
  // The two tensors, rounded to 256 bytes; the session's constants are external.
  EXPECT_EQ(graph.measured_peak_bytes() - graph.external_bytes(), 2 * 40192);
}

TEST(StepProfileTest, ScratchMemoryIsTemporary) {
  GraphBuilder b;
  AddRandom(b, "logits", {2000, 10});
  b.Constant("labels", ZeroInts(2000));
  b.Add("SparseSoftmaxCrossEntropyWithLogits", "loss", {"logits", "labels"});
  AddRandom(b, "x", {2000});
  b.Add("Exp", "exp", {"x"});
  const config::GraphFile graph = Measure(b, {"loss", "exp"});
  // One float per row, rounded to 256 bytes.
  EXPECT_EQ(Find(graph, "loss").temporary_bytes(), 8192);
  EXPECT_EQ(Find(graph, "exp").temporary_bytes(), 0);
}

TEST(StepProfileTest, AVariablesBufferIsExternal) {
  GraphBuilder b;
  b.Variable("v", {100});
  AddRandom(b, "value", {100});
  b.Add("AssignVariableOp", "assign", {"v", "value"});
  b.Add("ReadVariableOp", "read", {"v", "^assign"}, {{"dtype", DT_FLOAT}});
  b.Add("Exp", "exp", {"read"});
  const config::GraphFile graph = Measure(b, {"exp"});
  EXPECT_TRUE(Find(graph, "read").output(0).external());
  EXPECT_FALSE(Find(graph, "value").output(0).external());
  EXPECT_FALSE(Find(graph, "exp").output(0).external());
}

TEST(StepProfileTest, AnEmptyOutputHasNoBuffer) {
  GraphBuilder b;
  AddRandom(b, "empty", {0, 3});
  b.Add("Exp", "exp", {"empty"});
  const config::GraphFile graph = Measure(b, {"exp"});
  EXPECT_EQ(Find(graph, "exp").output(0).bytes(), 0);
}

// Without running anything.
config::GraphFile AfterSteps(const std::vector<device::StepMemory>& steps) {
  StepProfile profile(0);
  for (const device::StepMemory& step : steps) profile.AddStep(step);
  config::GraphFile graph;
  EXPECT_TRUE(profile.Complete({}, graph).ok());
  return graph;
}

TEST(StepProfileTest, TheFirstStepCountsOnlyIfItIsTheOnlyOne) {
  device::StepMemory first;
  first.peak_bytes = 9000;
  first.external_bytes = 800;
  device::StepMemory second;
  second.peak_bytes = 5000;
  second.external_bytes = 700;
  device::StepMemory third;
  third.peak_bytes = 6000;
  third.external_bytes = 500;
  EXPECT_EQ(AfterSteps({first}).measured_peak_bytes(), 9000);
  const config::GraphFile graph = AfterSteps({first, second, third});
  EXPECT_EQ(graph.measured_peak_bytes(), 6000) << "the highest of the others";
  EXPECT_EQ(graph.external_bytes(), 700);
  EXPECT_EQ(graph.steps_measured(), 3);
}

// One op of a table, with inputs that it can run on.
struct Case {
  std::string op;
  std::vector<std::string> inputs = {"a"};
  std::vector<Attr> attrs = {};
};

// The op's output with a second user of each of the inputs in `held`, which runs after the op.
config::Output MeasureOutput(const Case& test, const std::vector<std::string>& held) {
  GraphBuilder b;
  AddRandom(b, "a", {8, 16});
  AddRandom(b, "b", {8, 16});
  AddRandom(b, "bias", {16});
  b.Constant("labels", ZeroInts(8));
  b.Add("Less", "condition", {"a", "b"});
  b.Ints("shape", {16, 8});
  b.Ints("zero", {0});
  b.Add(test.op, "op", test.inputs, test.attrs);
  std::vector<std::string> targets = {"op"};
  for (const std::string& input : held) {
    b.Add("Sum", "user_of_" + input, {input, "zero", "^op"});
    targets.push_back("user_of_" + input);
  }
  return Find(Measure(b, targets), "op").output(0);
}

std::string Text(const google::protobuf::RepeatedField<int>& values) { return absl::StrJoin(values, ","); }

TEST(ForwardingTableTest, OpsOfOneInputTakeItOver) {
  for (const char* op :
       {"Neg",       "Exp",        "Log",        "Log1p", "Expm1", "Sqrt",  "Rsqrt", "Square", "Tanh",
        "Sigmoid",   "Reciprocal", "Abs",        "Sign",  "Erf",   "Relu",  "Relu6", "Elu",    "Selu",
        "LeakyRelu", "Softmax",    "LogSoftmax", "Floor", "Ceil",  "Round", "Sin",   "Cos",    "Snapshot"}) {
    const config::Output output = MeasureOutput({op}, {});
    EXPECT_EQ(Text(output.forwards_input()), "0") << op;
    EXPECT_EQ(output.view_of_input_plus1(), 0) << op;
    EXPECT_FALSE(output.external()) << op;
    const config::Output held = MeasureOutput({op}, {"a"});
    EXPECT_EQ(Text(held.forwards_input()), "0") << op << ": could, if nobody else held it";
    EXPECT_EQ(held.view_of_input_plus1(), 0) << op << ": what others hold is copied";
  }
}

TEST(ForwardingTableTest, BiasAddTakesOverWhatTheBiasIsAddedTo) {
  const Case test{"BiasAdd", {"a", "bias"}};
  EXPECT_EQ(Text(MeasureOutput(test, {}).forwards_input()), "0");
  EXPECT_EQ(Text(MeasureOutput(test, {"a"}).forwards_input()), "0");
}

TEST(ForwardingTableTest, OpsOfTwoInputsTakeOverEither) {
  for (const char* op :
       {"Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "DivNoNan", "MulNoNan", "Maximum", "Minimum",
        "SquaredDifference", "RsqrtGrad", "SqrtGrad", "TanhGrad", "SigmoidGrad", "InvGrad", "ReciprocalGrad", "AddN"}) {
    const Case test{op, {"a", "b"}};
    EXPECT_EQ(Text(MeasureOutput(test, {}).forwards_input()), "0,1") << op;
    // If it does not take over the second when it can, it is struck off.
    EXPECT_EQ(Text(MeasureOutput(test, {"a"}).forwards_input()), "0,1") << op;
    EXPECT_FALSE(MeasureOutput(test, {"a"}).external()) << op;
  }
}

TEST(ForwardingTableTest, SelectTakesOverEitherOfItsValues) {
  for (const char* op : {"SelectV2", "Select"}) {
    const Case test{op, {"condition", "a", "b"}};
    EXPECT_EQ(Text(MeasureOutput(test, {}).forwards_input()), "1,2") << op;
    EXPECT_EQ(Text(MeasureOutput(test, {"a"}).forwards_input()), "1,2") << op;
  }
}

TEST(ForwardingTableTest, AddNKeepsItsFirstAddend) {
  GraphBuilder b;
  for (const char* name : {"a", "b", "c"}) AddRandom(b, name, {16});
  b.Ints("zero", {0});
  b.Add("AddN", "sum", {"a", "b", "c"});
  b.Add("Sum", "user", {"a", "zero", "^sum"});
  const config::GraphFile graph = Measure(b, {"sum", "user"});
  EXPECT_EQ(Find(graph, "sum").first_addend(), 1) << "the first that nobody else held";
  EXPECT_EQ(Text(Find(graph, "sum").output(0).forwards_input()), "1");
}

TEST(ForwardingTableTest, OpsThatNeverTakeOverAreNotListed) {
  for (const Case& test :
       {Case{"MatMul", {"a", "b"}, {{"transpose_b", true}}}, Case{"Sum", {"a", "zero"}}, Case{"Less", {"a", "b"}}}) {
    EXPECT_EQ(Text(MeasureOutput(test, {}).forwards_input()), "") << test.op;
  }
}

// Whether output 0 is in the buffer of input 0.
class SharingObserver : public device::GraphObserver {
 public:
  void Starting(int, OpKernelContext& context, device::OpRecord&) override { input_ = SeeInputs(context)[0].buffer; }
  void Finished(int, OpKernelContext& context, const device::OpRecord&, int64_t) override {
    shares_ = tensorflow::DMAHelper::buffer(context.mutable_output(0))->root_buffer()->data() == input_;
  }
  bool shares() const { return shares_; }

 private:
  const void* input_ = nullptr;
  bool shares_ = false;
};

TEST(ViewTableTest, ViewsShareTheirInputsBufferWhoeverElseHoldsIt) {
  const std::vector<Case> views = {{"Identity"},
                                   {"IdentityN"},
                                   {"Reshape", {"a", "shape"}},
                                   {"Squeeze"},
                                   {"ExpandDims", {"a", "zero"}},
                                   {"StopGradient"},
                                   {"PreventGradient"},
                                   {"EnsureShape", {"a"}, {{"shape", tensorflow::TensorShape({8, 16})}}},
                                   {"Bitcast", {"a"}, {{"type", tensorflow::DT_INT32}}}};
  for (const Case& test : views) {
    EXPECT_TRUE(graph::IsView(test.op)) << test.op;
    for (const bool held : {false, true}) {
      GraphBuilder b;
      AddRandom(b, "a", {8, 16});
      b.Ints("shape", {16, 8});
      b.Ints("zero", {0});
      b.Add(test.op, "op", test.inputs, test.attrs);
      if (held) b.Add("Sum", "user", {"a", "zero", "^op"});
      const auto observer = std::make_shared<SharingObserver>();
      device::SetObserver("view", observer);
      device::MarkNode(b.Find("op"), "view", 0);
      testing::GraphSession session(b.graph());
      CHECK_OK(session.Run({}, held ? std::vector<std::string>{"user"} : std::vector<std::string>{"op"}).status());
      EXPECT_TRUE(observer->shares()) << test.op << (held ? ", held by another" : "");
    }
  }
}

TEST(ViewTableTest, MeasuredViewsAreViewsOfTheirInput) {
  for (const std::vector<std::string>& held : {std::vector<std::string>{}, std::vector<std::string>{"a"}}) {
    const config::Output output = MeasureOutput({"Reshape", {"a", "shape"}}, held);
    EXPECT_EQ(output.view_of_input_plus1(), 1);
    EXPECT_TRUE(output.forwards_input().empty());
    EXPECT_FALSE(output.external());
  }
}

}  // namespace
}  // namespace str::capture
