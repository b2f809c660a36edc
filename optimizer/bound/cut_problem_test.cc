#include "optimizer/bound/cut_problem.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/simulator/program.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::optimizer {
namespace {

using ::testing::ElementsAre;

CutProblem Make(GraphBuilder& b, int64_t least_bytes = 1) {
  const Graph graph = b.Build();
  std::vector<NodeId> order;
  for (const Step& step : KeepAll(graph, CapturedOrder(graph))) order.push_back(step.id);
  return CutProblem(graph, MeasuredCosts(b.file()), order, least_bytes);
}

TEST(CutProblemTest, AViewIsAUseOfItsStorage) {
  GraphBuilder b(/*external_bytes=*/1000);
  b.Add("x", {}, {100}, 5);
  b.AddView("v", "x:0", 100);
  b.Add("y", {"v:0", "x:0"}, {30}, 7)->set_temporary_bytes(9);
  const CutProblem problem = Make(b);
  ASSERT_EQ(problem.storages().size(), 2);
  EXPECT_THAT(problem.storages()[0].uses, ElementsAre(1, 2));
  EXPECT_EQ(problem.storages()[0].rounded_bytes, 100);
  EXPECT_DOUBLE_EQ(problem.storages()[0].copy_out_seconds, 100e-9);
  EXPECT_EQ(problem.WorkingSet(2), 1000 + 100 + 30 + 9);
  EXPECT_DOUBLE_EQ(problem.total_seconds(), 12e-9);
  EXPECT_DOUBLE_EQ(problem.Seconds(1, 3), 7e-9);
}

TEST(CutProblemTest, WhatIsInDoubtCountsLess) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  b.AddView("part", "x:0", 40);
  b.Add("y", {"x:0"}, {100})->mutable_output(0)->add_forwards_input(0);
  b.Add("z", {"part:0"}, {3});
  const CutProblem problem = Make(b, /*least_bytes=*/10);
  ASSERT_EQ(problem.storages().size(), 2);
  // A copy of the part alone would do.
  EXPECT_EQ(problem.storages()[0].rounded_bytes, 40);
  // y may take over x's buffer.
  EXPECT_EQ(problem.WorkingSet(2), 40);
  EXPECT_EQ(problem.storages()[0].held_after, problem.positions());
}

TEST(CutProblemTest, WhatIsHeldFromOutsideStays) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  b.AddView("v", "x:0", 100);
  b.AddResult("result", "v:0");
  b.Add("y", {}, {5});
  const CutProblem problem = Make(b);
  ASSERT_EQ(problem.storages().size(), 2);
  EXPECT_EQ(problem.storages()[0].held_after, 1);
}

TEST(CutProblemTest, VariablesAndExternalBuffersAreNoStorages) {
  GraphBuilder b(/*external_bytes=*/64);
  b.AddArgument("w", 8);
  b.AddRead("read", "w", 64);
  b.Add("value", {"read:0"}, {64});
  b.AddReplace("assign", "w", "value:0");
  b.Add("after", {}, {1});
  const CutProblem problem = Make(b, 2);
  ASSERT_EQ(problem.storages().size(), 1);
  EXPECT_EQ(problem.WorkingSet(1), 64 + 64);
  // The old value may be gone once the variable has a new one.
  EXPECT_EQ(problem.WorkingSet(3), 1);
}

}  // namespace
}  // namespace str::optimizer
