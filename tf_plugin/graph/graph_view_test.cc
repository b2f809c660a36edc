#include "tf_plugin/graph/graph_view.h"

#include <functional>
#include <map>
#include <string>

#include "gtest/gtest.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::graph {
namespace {

using tensorflow::DT_DOUBLE;
using tensorflow::DT_FLOAT;
using tensorflow::PartialTensorShape;
using testing::GraphBuilder;

std::string FingerprintOf(const std::function<void(GraphBuilder&)>& build) {
  GraphBuilder b;
  build(b);
  return MakeGraphView(b.graph()).fingerprint;
}

// The graph that the tests of the fingerprint change in one point each.
struct Parts {
  tensorflow::DataType type = DT_FLOAT;
  PartialTensorShape shape = PartialTensorShape({4, 4});
  std::string left_name = "left";
  std::string left_op = "Exp";
  std::string sum_second = "right";
  std::string control = "^right";
};

void Build(const Parts& parts, GraphBuilder& b) {
  b.Argument("x", parts.type, parts.shape);
  b.Add(parts.left_op, parts.left_name, {"x"});
  b.Add("Neg", "right", {"x"});
  b.Add("AddV2", "sum", {parts.left_name, parts.sum_second, "^x"});
  b.Add("Tanh", "end", {"sum", parts.control});
}

TEST(FingerprintTest, IsSixteenHexDigits) {
  const std::string fingerprint = FingerprintOf([](GraphBuilder& b) { Build({}, b); });
  EXPECT_EQ(fingerprint.size(), 16);
  EXPECT_EQ(fingerprint.find_first_not_of("0123456789abcdef"), std::string::npos) << fingerprint;
}

TEST(FingerprintTest, DoesNotDependOnTheOrderOfConstruction) {
  const std::string built_otherwise = FingerprintOf([](GraphBuilder& b) {
    b.Add("NoOp", "removed_again");
    b.Argument("x", DT_FLOAT, PartialTensorShape({4, 4}));
    b.Add("Neg", "right", {"x"});
    b.Add("Exp", "left", {"x"});
    tensorflow::Node* const sum = b.Add("AddV2", "sum", {"left", "right"});
    b.Add("Tanh", "end", {"sum"});
    b.graph().AddControlEdge(b.Find("right"), b.Find("end"));
    b.graph().AddControlEdge(b.Find("x"), sum);
    b.graph().RemoveNode(b.Find("removed_again"));
  });
  EXPECT_EQ(built_otherwise, FingerprintOf([](GraphBuilder& b) { Build({}, b); }));
}

TEST(FingerprintTest, ChangesWithEverythingThatMatters) {
  std::map<std::string, Parts> variants;
  variants["nothing"];
  variants["name"].left_name = "other";
  variants["op"].left_op = "Log";
  variants["data edge"].sum_second = "left";
  variants["control edge"].control = "^left";
  variants["dtype"].type = DT_DOUBLE;
  variants["shape"].shape = PartialTensorShape({8, 4});
  variants["unknown dimension"].shape = PartialTensorShape({-1, 4});
  variants["unknown rank"].shape = PartialTensorShape();
  std::map<std::string, std::string> seen;
  for (const auto& [what, parts] : variants) {
    const std::string fingerprint = FingerprintOf([&parts = parts](GraphBuilder& b) { Build(parts, b); });
    const auto [first, is_new] = seen.emplace(fingerprint, what);
    EXPECT_TRUE(is_new) << "the same for '" << what << "' and '" << first->second << "'";
  }
}

TEST(FingerprintTest, TellsAnInputFromTheOther) {
  const auto build = [](const std::string& first, const std::string& second) {
    return FingerprintOf([&](GraphBuilder& b) {
      b.Argument("a", DT_FLOAT, PartialTensorShape({4}), 0);
      b.Argument("b", DT_FLOAT, PartialTensorShape({4}), 1);
      b.Add("Sub", "difference", {first, second});
    });
  };
  EXPECT_NE(build("a", "b"), build("b", "a"));
}

// Every node once, sources before users but for the back edges of loops.
void ExpectTopological(const GraphView& view, const tensorflow::Graph& graph) {
  std::map<const tensorflow::Node*, size_t> place;
  for (size_t i = 0; i < view.order.size(); ++i) place[view.order[i]] = i;
  EXPECT_EQ(place.size(), graph.num_op_nodes());
  for (const tensorflow::Edge* edge : graph.edges()) {
    if (!edge->src()->IsOp() || !edge->dst()->IsOp() || edge->src()->IsNextIteration()) continue;
    EXPECT_LT(place[edge->src()], place[edge->dst()]) << edge->src()->name() << " -> " << edge->dst()->name();
  }
}

TEST(GraphViewTest, TheOrderIsTopological) {
  GraphBuilder b;
  Build({}, b);
  const tensorflow::Graph& graph = b.graph();
  ExpectTopological(MakeGraphView(graph), graph);
}

TEST(GraphViewTest, TheOrderIsTopologicalInsideOfLoopsToo) {
  GraphBuilder b;
  b.Floats("start", {});
  b.Floats("limit", {});
  // Walking from these one comes into the middle of the loop, whether the first or the last name is taken first.
  for (const std::string name : {"a", "z"}) {
    b.Floats(name, {});
    b.Add("Enter", name + "_enter", {name}, {{"frame_name", "w"}, {"is_constant", true}});
  }
  b.Add("Enter", "enter", {"start"}, {{"frame_name", "w"}});
  b.Add("Enter", "limit_enter", {"limit"}, {{"frame_name", "w"}, {"is_constant", true}});
  b.Add("Merge", "merge", {"enter", "enter"});
  b.Add("Less", "less", {"merge", "limit_enter"});
  b.Add("LoopCond", "cond", {"less"});
  b.Add("Switch", "switch", {"merge", "cond"});
  b.Add("Identity", "body", {"switch:1"});
  b.Add("AddV2", "add", {"body", "a_enter"});
  b.Add("AddV2", "add_more", {"add", "z_enter"});
  b.Add("NextIteration", "next", {"add_more"});
  b.Redirect("merge", 1, "next");
  b.Add("Exit", "exit", {"switch:0"});
  b.Add("Neg", "after", {"exit"});
  const tensorflow::Graph& graph = b.graph();
  const GraphView view = MakeGraphView(graph);
  ExpectTopological(view, graph);
  EXPECT_EQ(view.recompute[b.Find("add")->id()], config::RECOMPUTE_CONTROL_FLOW);
  EXPECT_EQ(view.recompute[b.Find("after")->id()], config::RECOMPUTE_ALLOWED);
}

TEST(GraphViewTest, OutputsAreDescribedAsFilesWriteThem) {
  GraphBuilder b;
  b.Argument("x", DT_FLOAT, PartialTensorShape({-1, 4}), 0);
  b.Argument("unknown", DT_DOUBLE, PartialTensorShape(), 1);
  const GraphView view = MakeGraphView(b.graph());
  const config::Output x = DescribeOutput(*b.Find("x"), 0, view.shapes);
  EXPECT_EQ(x.dtype(), "float");
  EXPECT_TRUE(x.known_rank());
  ASSERT_EQ(x.dim_size(), 2);
  EXPECT_EQ(x.dim(0), -1);
  EXPECT_EQ(x.dim(1), 4);
  const config::Output unknown = DescribeOutput(*b.Find("unknown"), 0, view.shapes);
  EXPECT_EQ(unknown.dtype(), "double");
  EXPECT_FALSE(unknown.known_rank());
  EXPECT_EQ(unknown.dim_size(), 0);
}

TEST(GraphViewTest, TrainingNeedsGradientsAndUpdates) {
  GraphBuilder gradients;
  gradients.Floats("x", {2});
  gradients.Add("ReluGrad", "grad", {"x", "x"});
  EXPECT_FALSE(IsTrainingGraph(gradients.graph()));

  GraphBuilder updates;
  updates.Floats("x", {2});
  updates.Variable("v", {2});
  updates.Add("AssignSubVariableOp", "update", {"v", "x"});
  EXPECT_FALSE(IsTrainingGraph(updates.graph())) << "initialising a variable is not training";

  updates.Add("ReluGrad", "grad", {"x", "x"});
  EXPECT_TRUE(IsTrainingGraph(updates.graph()));
}

TEST(GraphViewTest, GradientsAreAlsoKnownByTheirScope) {
  GraphBuilder b;
  b.Floats("x", {2, 2});
  b.Variable("v", {2, 2});
  b.Add("MatMul", "gradient_tape/MatMul", {"x", "x"});
  b.Add("AssignSubVariableOp", "update", {"v", "gradient_tape/MatMul"});
  EXPECT_TRUE(IsTrainingGraph(b.graph()));
}

TEST(GraphViewTest, TheCpusPartOfAStepOverSeveralDevicesIsRefusedByTheNode) {
  GraphBuilder b;
  b.Floats("x", {2});
  EXPECT_EQ(WhyNotPlannable(b.graph()), "");
  b.Add("_Send", "to_elsewhere", {"x"},
        {{"tensor_name", "x"},
         {"send_device", "/job:localhost/replica:0/task:0/device:CPU:0"},
         {"send_device_incarnation", int64_t{1}},
         {"recv_device", "/job:localhost/replica:0/task:0/device:GPU:0"}});
  EXPECT_NE(WhyNotPlannable(b.graph()).find("'to_elsewhere'"), std::string::npos);
}

TEST(GraphViewTest, StepsOnOtherDevicesThanCpusAndGpusAreRefusedByTheNode) {
  GraphBuilder b;
  b.Floats("x", {2});
  b.Add("Neg", "y", {"x"});
  b.Find("x")->set_assigned_device_name("/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(WhyNotPlannable(b.graph()), "");
  b.Find("y")->set_assigned_device_name("/job:localhost/replica:0/task:0/device:GPU:0");
  EXPECT_EQ(WhyNotPlannable(b.graph()), "");
  b.Find("y")->set_assigned_device_name("/job:localhost/replica:0/task:0/device:TPU:0");
  EXPECT_EQ(WhyNotPlannable(b.graph()), "node 'y' runs on a TPU; only steps on CPUs and GPUs are supported");
}

}  // namespace
}  // namespace str::graph
