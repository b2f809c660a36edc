#include "tf_plugin/rewrite/graph_verifier.h"

#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::rewrite {
namespace {

using config::IsError;
using tensorflow::Node;

class GraphVerifierTest : public ::testing::Test {
 protected:
  GraphVerifierTest() {
    b_.Floats("x", {2});
    b_.Add("Exp", "a", {"x"});
    b_.Add("Neg", "b", {"a"});
    b_.Add("Tanh", "c", {"x"});
  }

  Node* Find(const std::string& name) { return b_.Find(name); }
  void Tie(const std::string& before, const std::string& after) {
    b_.graph().AddControlEdge(Find(before), Find(after));
  }

  testing::GraphBuilder b_;
};

TEST_F(GraphVerifierTest, AGoodGraphPasses) { EXPECT_OK(VerifyGraph(b_.graph())); }

TEST_F(GraphVerifierTest, ACycleIsCaught) {
  Tie("b", "a");
  EXPECT_TRUE(IsError(VerifyGraph(b_.graph()), absl::StatusCode::kInternal, "is on or behind a cycle"));
}

TEST_F(GraphVerifierTest, TheCycleOfALoopIsNone) {
  b_.Add("Enter", "enter", {"x"}, {{"frame_name", "w"}});
  b_.Add("Merge", "merge", {"enter", "enter"});
  b_.Add("NextIteration", "next", {"merge"});
  b_.Redirect("merge", 1, "next");
  EXPECT_OK(VerifyGraph(b_.graph()));
}

TEST_F(GraphVerifierTest, ASecondEdgeIntoAnInputIsCaught) {
  b_.graph().AddEdge(Find("c"), 0, Find("b"), 0);
  EXPECT_TRUE(IsError(VerifyGraph(b_.graph()), absl::StatusCode::kInternal, "node 'b' has 2 edges into input 0"));
}

TEST_F(GraphVerifierTest, AMissingEdgeIsCaught) {
  for (const tensorflow::Edge* edge : Find("b")->in_edges()) {
    if (!edge->IsControlEdge()) {
      b_.graph().RemoveEdge(edge);
      break;
    }
  }
  EXPECT_TRUE(IsError(VerifyGraph(b_.graph()), absl::StatusCode::kInternal, "node 'b' has 0 edges into input 0"));
}

TEST_F(GraphVerifierTest, AChainPasses) {
  Tie("a", "b");
  Tie("b", "c");
  EXPECT_OK(VerifyChain({Find("a"), Find("b"), Find("c")}));
  EXPECT_OK(VerifyChain({Find("a"), nullptr, Find("b"), nullptr, Find("c")}));
  EXPECT_OK(VerifyChain({}));
}

TEST_F(GraphVerifierTest, AMissingLinkIsCaught) {
  Tie("a", "b");
  EXPECT_TRUE(IsError(VerifyChain({Find("a"), Find("b"), Find("c")}), absl::StatusCode::kInternal,
                      "node 'c' is not tied to 'b'"));
}

TEST_F(GraphVerifierTest, ADataEdgeIsNoLink) {
  EXPECT_TRUE(IsError(VerifyChain({Find("a"), Find("b")}), absl::StatusCode::kInternal, "node 'b' is not tied to 'a'"));
}

TEST_F(GraphVerifierTest, TheOtherDirectionIsNoLink) {
  Tie("c", "a");
  EXPECT_FALSE(VerifyChain({Find("a"), Find("c")}).ok());
}

TEST_F(GraphVerifierTest, WaitsAndHoldsMayStandBetweenTwoSteps) {
  b_.Add("StrSwapOut", "out", {"x"});
  b_.Add("StrSwapIn", "in", {"out"}, {{"T", tensorflow::DT_FLOAT}});
  b_.Add("StrSwapInWait", "wait1", {"in", "^a"}, {{"T", tensorflow::DT_FLOAT}});
  b_.Add("StrSwapInWait", "wait2", {"in", "^wait1"}, {{"T", tensorflow::DT_FLOAT}});
  b_.Add("StrHold", "hold", {"x", "^wait2"});
  Tie("hold", "c");
  EXPECT_OK(VerifyChain({Find("a"), Find("c")}));
  // But they must be tied themselves.
  b_.Add("StrSwapInWait", "loose", {"in"}, {{"T", tensorflow::DT_FLOAT}});
  Tie("loose", "b");
  EXPECT_FALSE(VerifyChain({Find("c"), Find("b")}).ok());
}

}  // namespace
}  // namespace str::rewrite
