#include "tf_plugin/graph/control_flow.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "tf_plugin/testing/graph_builder.h"
#include "tf_plugin/testing/graph_session.h"

namespace str::graph {
namespace {

using testing::GraphBuilder;
using Names = std::set<std::string>;

Names Inside(GraphBuilder& builder) {
  const tensorflow::Graph& graph = builder.graph();
  const std::vector<bool> inside = AnalyzeControlFlow(graph).inside;
  Names names;
  for (const tensorflow::Node* node : graph.op_nodes()) {
    if (inside[node->id()]) names.insert(node->name());
  }
  return names;
}

// The names in `parts`, each with `prefix`.
Names Prefixed(const std::string& prefix, const Names& parts) {
  Names names;
  for (const std::string& part : parts) names.insert(prefix + part);
  return names;
}

Names Union(Names a, const Names& b) {
  a.insert(b.begin(), b.end());
  return a;
}

// Nodes that Loop adds.
const char* const kLoopNodes[] = {"enter", "merge", "limit", "less", "cond", "switch", "body", "next", "exit"};

Names LoopNames(const std::string& prefix) {
  return Prefixed(prefix, Names(std::begin(kLoopNodes), std::end(kLoopNodes)));
}

// while (v < limit) v = ..., as TensorFlow lowers it; `limit` is the same in every iteration. The body starts at
// PREFIXbody, its result is given to CloseLoop; what comes out is PREFIXexit.
void OpenLoop(GraphBuilder& b, const std::string& prefix, const std::string& start, const std::string& limit) {
  b.Add("Enter", prefix + "enter", {start}, {{"frame_name", prefix}});
  b.Add("Enter", prefix + "limit", {limit}, {{"frame_name", prefix}, {"is_constant", true}});
  b.Add("Merge", prefix + "merge", {prefix + "enter", prefix + "enter"});
  b.Add("Less", prefix + "less", {prefix + "merge", prefix + "limit"});
  b.Add("LoopCond", prefix + "cond", {prefix + "less"});
  b.Add("Switch", prefix + "switch", {prefix + "merge", prefix + "cond"});
  b.Add("Identity", prefix + "body", {prefix + "switch:1"});
  b.Add("Exit", prefix + "exit", {prefix + "switch:0"});
}

void CloseLoop(GraphBuilder& b, const std::string& prefix, const std::string& result) {
  b.Add("NextIteration", prefix + "next", {result});
  b.Redirect(prefix + "merge", 1, prefix + "next");
}

class ControlFlowTest : public ::testing::Test {
 protected:
  ControlFlowTest() {
    b_.Argument("x", tensorflow::DT_FLOAT, tensorflow::PartialTensorShape({}), 0);
    b_.Argument("limit", tensorflow::DT_FLOAT, tensorflow::PartialTensorShape({}), 1);
    b_.Argument("p", tensorflow::DT_BOOL, tensorflow::PartialTensorShape({}), 2);
    b_.Argument("q", tensorflow::DT_BOOL, tensorflow::PartialTensorShape({}), 3);
    b_.Add("Neg", "before", {"x"});
  }

  GraphBuilder b_;
};

TEST_F(ControlFlowTest, AGraphWithoutControlFlowHasNothingInside) {
  b_.Add("Exp", "after", {"before"});
  EXPECT_EQ(Inside(b_), Names());
}

TEST_F(ControlFlowTest, TheBranchesOfAConditionalAreInside) {
  b_.Add("Switch", "switch", {"before", "p"});
  b_.Add("Exp", "when_true", {"switch:1"});
  b_.Add("Square", "when_false", {"switch:0"});
  b_.Add("Merge", "merge", {"when_false", "when_true"});
  b_.Add("Neg", "after", {"merge:0"});
  b_.Add("Add", "beside", {"before", "after"});
  EXPECT_EQ(Inside(b_), Names({"switch", "when_true", "when_false", "merge"}));
}

TEST_F(ControlFlowTest, WhatABranchHoldsByControlEdgesAloneIsInside) {
  b_.Add("Switch", "switch", {"p", "p"});
  b_.Add("Identity", "pivot_true", {"switch:1"});
  b_.Add("Identity", "pivot_false", {"switch:0"});
  b_.Add("Neg", "when_true", {"x", "^pivot_true"});
  b_.Add("Exp", "when_false", {"x", "^pivot_false"});
  b_.Add("Merge", "merge", {"when_false", "when_true"});
  b_.Add("Neg", "after", {"merge:0"});
  EXPECT_EQ(Inside(b_), Names({"switch", "pivot_true", "pivot_false", "when_true", "when_false", "merge"}));
}

TEST_F(ControlFlowTest, BehindAnInnerMergeOneIsStillInsideOfTheOuterConditional) {
  b_.Add("Switch", "outer", {"before", "p"});
  b_.Add("Switch", "q_inside", {"q", "p"});
  b_.Add("Switch", "inner", {"outer:1", "q_inside:1"});
  b_.Add("Exp", "inner_true", {"inner:1"});
  b_.Add("Neg", "inner_false", {"inner:0"});
  b_.Add("Merge", "inner_merge", {"inner_false", "inner_true"});
  // Fed by the inner Merge alone, and dead whenever p is false.
  b_.Add("Square", "between", {"inner_merge:0"});
  b_.Add("Neg", "outer_false", {"outer:0"});
  b_.Add("Merge", "outer_merge", {"outer_false", "between"});
  b_.Add("Neg", "after", {"outer_merge:0"});
  EXPECT_EQ(Inside(b_), Names({"outer", "q_inside", "inner", "inner_true", "inner_false", "inner_merge", "between",
                               "outer_false", "outer_merge"}));
}

TEST_F(ControlFlowTest, SeveralBranchesMeetInOneMerge) {
  b_.Argument("branch", tensorflow::DT_INT32, tensorflow::PartialTensorShape({}), 4);
  b_.Add("_SwitchN", "switch", {"before", "branch"}, {{"num_outs", 3}});
  b_.Add("Exp", "case0", {"switch:0"});
  b_.Add("Neg", "case1", {"switch:1"});
  b_.Add("Square", "case2", {"switch:2"});
  b_.Add("Merge", "merge", {"case0", "case1", "case2"});
  b_.Add("Neg", "after", {"merge:0"});
  EXPECT_EQ(Inside(b_), Names({"switch", "case0", "case1", "case2", "merge"}));
}

TEST_F(ControlFlowTest, BehindASwitchOfReferencesOneIsInside) {
  b_.Add("VariableV2", "reference", {}, {{"shape", tensorflow::TensorShape({})}, {"dtype", tensorflow::DT_FLOAT}});
  b_.Add("RefSwitch", "switch", {"reference", "p"});
  b_.Add("Identity", "when_true", {"switch:1"});
  b_.Add("Identity", "when_false", {"switch:0"});
  b_.Add("Merge", "merge", {"when_false", "when_true"});
  b_.Add("Neg", "after", {"merge:0"});
  EXPECT_EQ(Inside(b_), Names({"switch", "when_true", "when_false", "merge"}));
}

TEST(ZeroIterationsTest, WhatIsBehindTheLoopRunsWithTheFirstValue) {
  GraphBuilder b;
  b.Constant("start", tensorflow::Tensor(5.0f));
  b.Constant("limit", tensorflow::Tensor(0.0f));
  OpenLoop(b, "w/", "start", "limit");
  b.Add("Exp", "w/exp", {"w/body"});
  CloseLoop(b, "w/", "w/exp");
  b.Add("Neg", "after", {"w/exit"});
  EXPECT_EQ(Inside(b), Union(LoopNames("w/"), {"w/exp"}));
  const auto result = testing::GraphSession(b.graph()).Run({"after"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->front().scalar<float>()(), -5.0f);
}

TEST_F(ControlFlowTest, ALoopIsInsideAsAWhole) {
  OpenLoop(b_, "w/", "before", "limit");
  b_.Add("Exp", "w/exp", {"w/body"});
  CloseLoop(b_, "w/", "w/exp");
  b_.Add("Neg", "after", {"w/exit"});
  EXPECT_EQ(Inside(b_), Union(LoopNames("w/"), {"w/exp"}));
}

TEST_F(ControlFlowTest, ALoopsConditionIsInside) {
  OpenLoop(b_, "w/", "before", "limit");
  // Fed by the Merge alone: runs once more than the body.
  b_.Add("Square", "w/square", {"w/merge"});
  b_.Redirect("w/less", 0, "w/square");
  CloseLoop(b_, "w/", "w/body");
  b_.Add("Neg", "after", {"w/exit"});
  EXPECT_EQ(Inside(b_), Union(LoopNames("w/"), {"w/square"}));
}

TEST_F(ControlFlowTest, BehindAConditionalInALoopOneIsStillInsideOfTheLoop) {
  OpenLoop(b_, "w/", "before", "limit");
  b_.Add("Enter", "w/p", {"p"}, {{"frame_name", "w/"}, {"is_constant", true}});
  b_.Add("Switch", "w/choice", {"w/body", "w/p"});
  b_.Add("Exp", "w/when_true", {"w/choice:1"});
  b_.Add("Merge", "w/choice_merge", {"w/choice:0", "w/when_true"});
  b_.Add("Square", "w/between", {"w/choice_merge"});
  CloseLoop(b_, "w/", "w/between");
  b_.Add("Neg", "after", {"w/exit"});
  EXPECT_EQ(Inside(b_), Union(LoopNames("w/"), {"w/p", "w/choice", "w/when_true", "w/choice_merge", "w/between"}));
}

TEST_F(ControlFlowTest, BehindAnInnerLoopOneIsStillInsideOfTheOuterLoop) {
  OpenLoop(b_, "o/", "before", "limit");
  OpenLoop(b_, "i/", "o/body", "o/limit");
  b_.Add("Exp", "i/exp", {"i/body"});
  CloseLoop(b_, "i/", "i/exp");
  b_.Add("Square", "o/between", {"i/exit"});
  CloseLoop(b_, "o/", "o/between");
  b_.Add("Neg", "after", {"o/exit"});
  EXPECT_EQ(Inside(b_), Union(Union(LoopNames("o/"), LoopNames("i/")), {"i/exp", "o/between"}));
}

TEST_F(ControlFlowTest, BehindALoopInABranchOneIsStillInsideOfTheBranch) {
  b_.Add("Switch", "switch", {"before", "p"});
  b_.Add("Switch", "limit_switch", {"limit", "p"});
  OpenLoop(b_, "w/", "switch:1", "limit_switch:1");
  CloseLoop(b_, "w/", "w/body");
  b_.Add("Square", "between", {"w/exit"});
  b_.Add("Merge", "merge", {"switch:0", "between"});
  b_.Add("Neg", "after", {"merge:0"});
  EXPECT_EQ(Inside(b_), Union(LoopNames("w/"), {"switch", "limit_switch", "between", "merge"}));
}

TEST_F(ControlFlowTest, BehindAMergeWhoseInputsCanAllBeDeadOneIsInside) {
  // p false and q false: neither input is alive.
  b_.Add("Switch", "on_p", {"before", "p"});
  b_.Add("Switch", "on_q", {"before", "q"});
  b_.Add("Merge", "merge", {"on_p:1", "on_q:1"});
  b_.Add("Neg", "after", {"merge:0"});
  EXPECT_EQ(Inside(b_), Names({"on_p", "on_q", "merge", "after"}));
}

TEST_F(ControlFlowTest, AMergeOfAllCasesOfTwoPredicatesIsAlwaysAlive) {
  b_.Add("Switch", "on_p", {"before", "p"});
  b_.Add("Switch", "q_when_p", {"q", "p"});
  b_.Add("Switch", "on_q", {"on_p:1", "q_when_p:1"});
  b_.Add("Merge", "merge", {"on_p:0", "on_q:0", "on_q:1"});
  b_.Add("Neg", "after", {"merge:0"});
  EXPECT_EQ(Inside(b_), Names({"on_p", "q_when_p", "on_q", "merge"}));
}

TEST_F(ControlFlowTest, APredicateIsTheSameBehindAnIdentity) {
  b_.Add("Identity", "p_again", {"p"});
  b_.Add("Switch", "switch1", {"before", "p"});
  b_.Add("Switch", "switch2", {"before", "p_again"});
  b_.Add("Merge", "merge", {"switch1:1", "switch2:0"});
  b_.Add("Neg", "after", {"merge:0"});
  EXPECT_EQ(Inside(b_), Names({"switch1", "switch2", "merge"}));
}

TEST_F(ControlFlowTest, AControlEdgeFromADeadNodeKillsAllButAMerge) {
  b_.Add("Switch", "switch", {"before", "p"});
  b_.Add("Exp", "when_true", {"switch:1"});
  b_.Add("Neg", "behind", {"x", "^when_true"});
  b_.Add("Merge", "merge", {"switch:0", "switch:1", "^when_true"});
  b_.Add("Neg", "after", {"merge:0"});
  EXPECT_EQ(Inside(b_), Names({"switch", "when_true", "behind", "merge"}));
}

TEST_F(ControlFlowTest, AControlTriggerRunsAlways) {
  b_.Add("Switch", "switch", {"before", "p"});
  b_.Add("Exp", "when_true", {"switch:1"});
  b_.Add("ControlTrigger", "trigger", {"^when_true"});
  b_.Add("Neg", "after", {"x", "^trigger"});
  EXPECT_EQ(Inside(b_), Names({"switch", "when_true"}));
}

TEST_F(ControlFlowTest, FunctionalConditionalsAndLoopsThatWereNotLoweredRunOnce) {
  tensorflow::NameAttrList function;
  function.set_name("f");
  b_.Add("StatelessIf", "if", {"p", "x"},
         {{"then_branch", function},
          {"else_branch", function},
          {"Tout", std::vector<tensorflow::DataType>({tensorflow::DT_FLOAT})}});
  b_.Add("StatelessWhile", "while", {"x"}, {{"cond", function}, {"body", function}});
  b_.Add("PartitionedCall", "call", {"x"},
         {{"f", function}, {"Tout", std::vector<tensorflow::DataType>({tensorflow::DT_FLOAT})}});
  b_.Argument("branch", tensorflow::DT_INT32, tensorflow::PartialTensorShape({}), 4);
  b_.Add("StatelessCase", "case", {"branch", "x"},
         {{"branches", std::vector<tensorflow::NameAttrList>({function, function})},
          {"Tout", std::vector<tensorflow::DataType>({tensorflow::DT_FLOAT})}});
  b_.Add("Neg", "after", {"if", "^while", "^call", "^case"});
  EXPECT_EQ(Inside(b_), Names());
}

TEST_F(ControlFlowTest, AResultOfADeadValueMayBeMissing) {
  b_.Add("Switch", "switch", {"before", "p"});
  b_.Add("Exp", "when_true", {"switch:1"});
  b_.Add("_Retval", "sometimes", {"when_true"}, {{"index", 0}});
  b_.Add("_Retval", "always", {"before"}, {{"index", 1}});
  const ControlFlow control_flow = AnalyzeControlFlow(b_.graph());
  EXPECT_TRUE(control_flow.may_be_dead[b_.Find("sometimes")->id()]);
  EXPECT_FALSE(control_flow.may_be_dead[b_.Find("always")->id()]);
}

TEST_F(ControlFlowTest, ALoopEnteredUnderAConditionIsLeftUnderIt) {
  // Only one of the values that enter is conditional: the whole loop is.
  b_.Add("Switch", "limit_switch", {"limit", "p"});
  OpenLoop(b_, "w/", "before", "limit_switch:1");
  CloseLoop(b_, "w/", "w/body");
  b_.Add("Neg", "after", {"w/exit"});
  EXPECT_EQ(Inside(b_), Union(LoopNames("w/"), {"limit_switch", "after"}));
}

int PositionOf(const std::vector<tensorflow::Node*>& order, const std::string& name) {
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i]->name() == name) return static_cast<int>(i);
  }
  return -1;
}

TEST_F(ControlFlowTest, WhatEntersALoopComesBeforeWhatLeavesIt) {
  OpenLoop(b_, "w/", "before", "limit");
  CloseLoop(b_, "w/", "w/body");
  // Enters the loop, and is used there only in the next iteration: no forward edge leads from it to the Exit.
  b_.Add("Exp", "zz_late", {"x"});
  b_.Add("Enter", "w/late", {"zz_late"}, {{"frame_name", "w/"}});
  b_.Add("Merge", "w/late_merge", {"w/late", "w/late"});
  b_.Add("Add", "w/sum", {"w/body", "w/late_merge"});
  b_.Redirect("w/next", 0, "w/sum");
  b_.Add("Neg", "aa_after", {"w/exit"});
  const std::vector<tensorflow::Node*> order = NodesInOrder(b_.graph());
  EXPECT_EQ(static_cast<int>(order.size()), b_.graph().num_nodes());
  EXPECT_LT(PositionOf(order, "zz_late"), PositionOf(order, "w/exit"));
  EXPECT_LT(PositionOf(order, "w/exit"), PositionOf(order, "aa_after"));
}

TEST_F(ControlFlowTest, LoopsAreCountedByTheOutermost) {
  OpenLoop(b_, "o/", "before", "limit");
  OpenLoop(b_, "i/", "o/body", "o/limit");
  CloseLoop(b_, "i/", "i/body");
  CloseLoop(b_, "o/", "i/exit");
  OpenLoop(b_, "p/", "before", "limit");
  CloseLoop(b_, "p/", "p/body");
  const ControlFlow control_flow = AnalyzeControlFlow(b_.graph());
  ASSERT_EQ(control_flow.loops.size(), 3);
  EXPECT_EQ(OutermostLoop(control_flow, *b_.Find("i/body")), OutermostLoop(control_flow, *b_.Find("o/body")));
  EXPECT_NE(OutermostLoop(control_flow, *b_.Find("p/body")), OutermostLoop(control_flow, *b_.Find("o/body")));
  EXPECT_EQ(OutermostLoop(control_flow, *b_.Find("before")), -1);
}

}  // namespace
}  // namespace str::graph
