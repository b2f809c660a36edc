#include "strategies/kusumoto/chain_program.h"

#include <optional>

#include "gtest/gtest.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::strategies::kusumoto {
namespace {

// A chain a -> b -> c -> d; the gradient of each needs it and the next one's gradient.
class ChainProgramTest : public ::testing::Test {
 protected:
  ChainProgramTest() {
    b_.Add("a", {}, {10});
    b_.Add("b", {"a:0"}, {10});
    b_.Add("c", {"b:0"}, {10});
    b_.Add("d", {"c:0"}, {10});
    b_.Add("dd", {"d:0"}, {10})->set_recompute(config::RECOMPUTE_NOT_WANTED);
    b_.Add("dc", {"c:0", "dd:0"}, {10})->set_recompute(config::RECOMPUTE_NOT_WANTED);
    b_.Add("db", {"b:0", "dc:0"}, {10})->set_recompute(config::RECOMPUTE_NOT_WANTED);
    b_.Add("da", {"a:0", "db:0"}, {10})->set_recompute(config::RECOMPUTE_NOT_WANTED);
  }

  // Segments end after these values.
  std::string Program(const std::vector<int>& chain) {
    const optimizer::Graph graph = b_.Build();
    const optimizer::Costs costs = optimizer::MeasuredCosts(b_.file());
    PlanRequest request;
    request.graph = &graph;
    request.costs = &costs;
    const ForwardPart part = FindForwardPart(request, optimizer::CapturedOrder(graph));
    const optimizer::Program program = ChainProgram(graph, part, PrunedLowerSets(part.values), chain);
    EXPECT_TRUE(optimizer::Judge(graph, costs, program).ok());
    return optimizer::ProgramText(graph, program);
  }

  optimizer::GraphBuilder b_;
};

TEST_F(ChainProgramTest, OneSegmentKeepsEverything) { EXPECT_EQ(Program({4}), "a b c d dd dc db da"); }

// b is kept because c takes it; a is not.
TEST_F(ChainProgramTest, MakesTheRestOfASegmentAgain) { EXPECT_EQ(Program({2, 4}), "a b c d dd dc db again:a da"); }

TEST_F(ChainProgramTest, SegmentsOfOneValueKeepAllOfThem) { EXPECT_EQ(Program({1, 2, 3, 4}), "a b c d dd dc db da"); }

TEST_F(ChainProgramTest, WhatIsNeededToMakeItIsMadeAgainToo) {
  EXPECT_EQ(Program({3, 4}), "a b c d dd dc again:a again:b db da");
}

// e takes nothing but b's gradient: it runs as soon as that is there.
TEST_F(ChainProgramTest, BackwardNodesRunAsSoonAsTheyCan) {
  b_.Add("e", {"dc:0"}, {1});
  EXPECT_EQ(Program({3, 4}), "a b c d dd dc e again:a again:b db da");
}

// A node that must not run again runs once, before the first that takes it.
TEST_F(ChainProgramTest, WhatMustNotRunAgainIsKept) {
  b_.file().mutable_node(1)->set_recompute(config::RECOMPUTE_RANDOM);
  EXPECT_EQ(Program({2, 3}), "a b c d dd dc db again:a da");
}

}  // namespace
}  // namespace str::strategies::kusumoto
