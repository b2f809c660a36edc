#include "tf_plugin/rewrite/run_check.h"

#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::rewrite {
namespace {

using testing::GraphBuilder;

std::set<std::string> Folded(GraphBuilder& b) {
  const std::vector<bool> folded = MayBeFolded(b.graph());
  std::set<std::string> names;
  for (const tensorflow::Node* node : b.graph().op_nodes()) {
    if (folded[node->id()]) names.insert(node->name());
  }
  return names;
}

TEST(MayBeFoldedTest, WhatFollowsFromConstantsAlone) {
  GraphBuilder b;
  b.Argument("x", tensorflow::DT_FLOAT, tensorflow::PartialTensorShape({4}));
  b.Floats("c", {4});
  b.Add("Neg", "of_constant", {"c"});
  b.Add("Add", "of_both", {"of_constant", "x"});
  b.Add("Neg", "behind_x", {"c", "^of_both"});
  EXPECT_EQ(Folded(b), std::set<std::string>({"c", "of_constant"})) << "a control edge from x keeps a node";
}

TEST(MayBeFoldedTest, ShapesWhateverTheyAreOf) {
  GraphBuilder b;
  b.Argument("x", tensorflow::DT_FLOAT, tensorflow::PartialTensorShape({4}));
  b.Add("Shape", "shape", {"x"});
  b.Add("Neg", "of_shape", {"shape"});
  EXPECT_EQ(Folded(b), std::set<std::string>({"shape", "of_shape"}));
}

TEST(MayBeFoldedTest, AnIdentityThatWaitsForNothing) {
  GraphBuilder b;
  b.Argument("x", tensorflow::DT_FLOAT, tensorflow::PartialTensorShape({4}));
  b.Add("Neg", "first", {"x"});
  b.Add("Identity", "free", {"x"});
  b.Add("Identity", "chained", {"x", "^first"});
  EXPECT_EQ(Folded(b), std::set<std::string>({"free"}));
}

TEST(MayBeFoldedTest, NothingThatHasAnEffect) {
  GraphBuilder b;
  b.Ints("shape", {2});
  b.Add("RandomUniform", "random", {"shape"}, {{"dtype", tensorflow::DT_FLOAT}});
  EXPECT_EQ(Folded(b), std::set<std::string>({"shape"}));
}

class RunCheckTest : public ::testing::Test {
 protected:
  std::string Problem(const std::vector<int>& started, int calls = 1) {
    RunCheck check(nodes_);
    for (int index : started) check.Starting(index);
    return check.Problem(calls);
  }

  const std::vector<ProgramNode> nodes_ = {{"a", ProgramNode::kMustRun},
                                           {"", ProgramNode::kNone},
                                           {"b", ProgramNode::kMayRun},
                                           {"c", ProgramNode::kMustRun},
                                           {"d", ProgramNode::kMustRun}};
};

TEST_F(RunCheckTest, AllInOrderIsFine) {
  EXPECT_EQ(Problem({0, 2, 3, 4}), "");
  EXPECT_EQ(Problem({0, 3, 4}), "") << "b may be folded";
}

TEST_F(RunCheckTest, MissingNodesAreCountedAndTheFirstIsNamed) {
  EXPECT_EQ(Problem({0, 2}), "node 'c' did not run, nor did 1 more");
  EXPECT_EQ(Problem({0, 2, 3}), "node 'd' did not run");
}

TEST_F(RunCheckTest, TheFirstThatGoesWrongIsNamed) {
  EXPECT_EQ(Problem({0, 3, 2, 4, 4}), "node 'b' ran after 'c', which comes later in the program");
  EXPECT_EQ(Problem({0, 0, 3, 4}), "node 'a' ran more than once");
}

TEST_F(RunCheckTest, OfSeveralCallsAtOnceRunsAreCountedInWhateverOrder) {
  EXPECT_EQ(Problem({0, 2, 0, 3, 4, 2, 3, 4}, 2), "");
  EXPECT_EQ(Problem({0, 0, 3, 4, 4}, 2), "node 'c' did not run in each of 2 calls at once");
  EXPECT_EQ(Problem({0, 0, 3, 4, 3, 4, 4}, 2), "node 'd' ran more than once in each of 2 calls at once");
}

TEST_F(RunCheckTest, WhatWentWrongIsKnownBeforeTheStepEnds) {
  RunCheck check(nodes_);
  check.Starting(3);
  EXPECT_EQ(check.Noted(), "");
  check.Starting(0);
  EXPECT_EQ(check.Noted(), "node 'a' ran after 'c', which comes later in the program");
}

}  // namespace
}  // namespace str::rewrite
