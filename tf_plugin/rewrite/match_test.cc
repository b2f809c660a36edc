#include "tf_plugin/rewrite/match.h"

#include <string>
#include <vector>

#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tf_plugin/rewrite/program_text.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::rewrite {
namespace {

using tensorflow::DT_FLOAT;
using tensorflow::PartialTensorShape;
using testing::GraphBuilder;

class MatchTest : public ::testing::Test {
 protected:
  // x -> first -> second, and the strategy for it.
  MatchTest() {
    Build(b_, {4, 8});
    view_ = graph::MakeGraphView(b_.graph());
    strategy_ = ProgramFor(view_, {"run first", "run second"});
  }

  static void Build(GraphBuilder& b, const PartialTensorShape& shape, const std::string& second_from = "first") {
    b.Argument("x", DT_FLOAT, shape);
    b.Add("Exp", "first", {"x"});
    b.Add("Neg", "second", {second_from});
  }

  // The strategy is refused for `other`, with `part` in the reason.
  ::testing::AssertionResult Refused(GraphBuilder& other, const std::string& part) {
    return config::IsError(MatchStrategy(strategy_, graph::MakeGraphView(other.graph())),
                           absl::StatusCode::kFailedPrecondition, part);
  }
  ::testing::AssertionResult RefusedHere(const std::string& part) { return Refused(b_, part); }

  GraphBuilder b_;
  graph::GraphView view_;
  config::StrategyFile strategy_;
};

TEST_F(MatchTest, TheGraphItWasMadeForMatches) { EXPECT_OK(MatchStrategy(strategy_, view_)); }

TEST_F(MatchTest, AnotherTensorFlowIsRefused) {
  strategy_.set_tensorflow_version("2.20.0");
  EXPECT_TRUE(RefusedHere("made for TensorFlow 2.20.0, this is TensorFlow 2.21.0"));
}

TEST_F(MatchTest, AnotherShapeIsNamed) {
  GraphBuilder other;
  Build(other, {16, 8});
  EXPECT_TRUE(
      Refused(other, "first difference: node 'first' output 0 is float[4,8] in the strategy, float[16,8] here"));
}

TEST_F(MatchTest, ANodeThatTheGraphHasNotIsNamed) {
  GraphBuilder other;
  other.Argument("x", DT_FLOAT, PartialTensorShape({4, 8}));
  other.Add("Exp", "first", {"x"});
  EXPECT_TRUE(Refused(other, "first difference: node 'second' is not in this graph"));
}

TEST_F(MatchTest, AMissingNodeIsNamedBeforeAnotherShape) {
  GraphBuilder other;
  other.Argument("x", DT_FLOAT, PartialTensorShape({16, 8}));
  other.Add("Exp", "first", {"x"});
  EXPECT_TRUE(Refused(other, "first difference: node 'second' is not in this graph"));
}

TEST_F(MatchTest, ANodeThatTheStrategyHasNotIsNamed) {
  GraphBuilder other;
  Build(other, {4, 8});
  other.Add("Neg", "third", {"second"});
  EXPECT_TRUE(Refused(other, "first difference: node 'third' is not in the strategy"));
}

TEST_F(MatchTest, AnotherNumberOfOutputsIsNamed) {
  GraphBuilder other;
  other.Argument("x", DT_FLOAT, PartialTensorShape({4, 8}));
  other.Add("Exp", "first", {"x"});
  other.Constant("k", tensorflow::Tensor(2));
  other.Add("TopKV2", "second", {"first", "k"});
  EXPECT_TRUE(Refused(other, "node 'second' has 2 outputs, not 1"));
}

TEST_F(MatchTest, WhereOnlyEdgesDifferThatIsSaid) {
  GraphBuilder other;
  Build(other, {4, 8}, "x");
  EXPECT_TRUE(Refused(other, "first difference: an operation, or the edges between nodes"));
}

TEST_F(MatchTest, BothFingerprintsAreNamed) {
  GraphBuilder other;
  Build(other, {16, 8});
  EXPECT_TRUE(Refused(other, "made for fingerprint " + view_.fingerprint));
  EXPECT_TRUE(Refused(other, "this graph is " + graph::MakeGraphView(other.graph()).fingerprint));
}

TEST_F(MatchTest, AProgramThatIsNotWholeIsRefusedThoughTheFingerprintFits) {
  strategy_.mutable_step()->RemoveLast();
  EXPECT_TRUE(RefusedHere("incomplete or changed by hand: node 'second' is not in the strategy"));
}

TEST_F(MatchTest, AnOutputChangedByHandIsRefusedThoughTheFingerprintFits) {
  strategy_.mutable_step(0)->set_output(0, "float[5,8]");
  EXPECT_TRUE(RefusedHere("incomplete or changed by hand: node 'first' output 0 is float[5,8]"));
}

TEST_F(MatchTest, ConstantsMayBePartOfAProgramOrNot) {
  GraphBuilder b;
  b.Floats("c", {2});
  b.Add("Exp", "y", {"c"});
  const graph::GraphView view = graph::MakeGraphView(b.graph());
  EXPECT_OK(MatchStrategy(ProgramFor(view, {"run y"}), view));
  EXPECT_OK(MatchStrategy(ProgramFor(view, {"run c", "run y"}), view));
}

TEST_F(MatchTest, ControlFlowMayNotBePartOfAProgram) {
  GraphBuilder b;
  b.Argument("x", DT_FLOAT, PartialTensorShape({}), 0);
  b.Argument("p", tensorflow::DT_BOOL, PartialTensorShape({}), 1);
  b.Add("Switch", "switch", {"x", "p"});
  b.Add("Exp", "branch", {"switch:1"});
  b.Add("Merge", "merge", {"switch:0", "branch"});
  b.Add("Neg", "after", {"merge"});
  const graph::GraphView view = graph::MakeGraphView(b.graph());
  EXPECT_OK(MatchStrategy(ProgramFor(view, {"run after"}), view));
  EXPECT_TRUE(config::IsError(MatchStrategy(ProgramFor(view, {"run branch", "run after"}), view),
                              absl::StatusCode::kFailedPrecondition, "node 'branch' is part of a loop or conditional"));
}

}  // namespace
}  // namespace str::rewrite
