#include "tf_plugin/automatic/first_addend.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace str::automatic {
namespace {

config::Node& Add(config::GraphFile& graph, const std::string& op, const std::string& name,
                  const std::vector<std::string>& inputs) {
  config::Node& node = *graph.add_node();
  node.set_op(op);
  node.set_name(name);
  for (const std::string& input : inputs) node.add_input(input + ":0");
  node.add_output();
  return node;
}

// Three addends a, b and c, and their sum.
class FirstAddendTest : public ::testing::Test {
 protected:
  FirstAddendTest() {
    for (const char* name : {"a", "b", "c"}) Add(graph_, "Neg", name, {});
    Add(graph_, "AddN", "sum", {"a", "b", "c"});
  }

  int First() {
    PredictFirstAddends(graph_);
    EXPECT_EQ(graph_.node(3).output(0).forwards_input_size(), 1);
    EXPECT_EQ(graph_.node(3).output(0).forwards_input(0), graph_.node(3).first_addend());
    return graph_.node(3).first_addend();
  }

  config::GraphFile graph_;
};

TEST_F(FirstAddendTest, IsTheFirstThatNobodyElseHolds) { EXPECT_EQ(First(), 0); }

TEST_F(FirstAddendTest, MayHaveOtherUsersThatRanBefore) {
  Add(graph_, "Neg", "user", {"a"});
  EXPECT_EQ(First(), 0);
}

TEST_F(FirstAddendTest, IsNotOneThatANodeBehindTheSumNeeds) {
  Add(graph_, "Mul", "user", {"a", "sum"});
  EXPECT_EQ(First(), 1);
}

TEST_F(FirstAddendTest, IsNotOneThatIsHeldThroughAView) {
  Add(graph_, "Reshape", "view", {"a"}).mutable_output(0)->set_view_of_input_plus1(1);
  Add(graph_, "Mul", "user", {"view", "sum"});
  EXPECT_EQ(First(), 1);
}

TEST_F(FirstAddendTest, IsNotAVariable) {
  graph_.mutable_node(0)->mutable_output(0)->set_external(true);
  EXPECT_EQ(First(), 1);
}

TEST_F(FirstAddendTest, IsNotAResultOfTheStep) {
  Add(graph_, "_Retval", "result", {"a"}).set_recompute(config::RECOMPUTE_EXTERNAL);
  EXPECT_EQ(First(), 1);
}

TEST_F(FirstAddendTest, IsTheFirstWhereAllAreHeld) {
  for (const char* name : {"a", "b", "c"}) Add(graph_, "Mul", std::string("user_") + name, {name, "sum"});
  EXPECT_EQ(First(), 0);
}

}  // namespace
}  // namespace str::automatic
