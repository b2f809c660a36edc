#include "strategies/staged/program_schedule.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::strategies {
namespace {

using optimizer::Graph;
using optimizer::GraphBuilder;
using ::testing::HasSubstr;

// "01100" per stage, from the first: what is held of each position.
std::string Rows(const StageMatrix& matrix) {
  std::string text;
  for (int stage = 0; stage < matrix.size(); ++stage) {
    for (int i = 0; i < matrix.size(); ++i) text += matrix(stage, i) ? '1' : '0';
    if (stage + 1 < matrix.size()) text += ' ';
  }
  return text;
}

// Layers a, b; the loss c; their gradients d (of b) and e (of a).
class ProgramScheduleTest : public ::testing::Test {
 protected:
  ProgramScheduleTest() {
    b_.Add("a", {}, {100});
    b_.Add("b", {"a:0"}, {100});
    b_.Add("c", {"b:0"}, {100});
    b_.Add("d", {"c:0", "b:0"}, {100});
    b_.Add("e", {"d:0", "a:0"}, {100});
  }

  absl::StatusOr<Schedule> Read(const std::string& text) {
    const Graph graph = b_.Build();
    const optimizer::Program program = optimizer::ParseProgram(graph, text);
    const absl::StatusOr<optimizer::Verdict> verdict = Judge(graph, optimizer::MeasuredCosts(b_.file()), program);
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    const StagedGraph staged(graph, optimizer::MeasuredCosts(b_.file()), optimizer::CapturedOrder(graph), {});
    return ScheduleOfProgram(graph, staged, program);
  }

  GraphBuilder b_;
};

TEST_F(ProgramScheduleTest, HoldsFromMakingToLastUse) {
  const absl::StatusOr<Schedule> schedule = Read("a b c d e");
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  EXPECT_EQ(Rows(schedule->computed), "10000 01000 00100 00010 00001");
  EXPECT_EQ(Rows(schedule->held), "00000 10000 11000 11100 10010");
}

TEST_F(ProgramScheduleTest, ARerunBelongsToTheStageBeforeWhichItRuns) {
  const absl::StatusOr<Schedule> schedule = Read("a b c again:a again:b d e");
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  EXPECT_EQ(Rows(schedule->computed), "10000 01000 00100 11010 00001");
  EXPECT_EQ(Rows(schedule->held), "00000 10000 01000 00100 10010");
}

TEST_F(ProgramScheduleTest, WhatIsTakenFromOutsideIsHeldToTheEnd) {
  b_.AddResult("result", "b:0");
  const absl::StatusOr<Schedule> schedule = Read("a b c d e");
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  EXPECT_EQ(Rows(schedule->held), "00000 10000 11000 11100 11010");
}

// The view v is of the first a, though there is a second when it is taken.
TEST_F(ProgramScheduleTest, AViewHoldsTheInstanceThatItIsOf) {
  GraphBuilder b;
  b.Add("a", {}, {100});
  b.AddView("v", "a:0", 100);
  b.Add("c", {}, {100});
  b.Add("d", {"a:0"}, {100});
  b.Add("e", {"v:0"}, {100});
  b_ = b;
  const absl::StatusOr<Schedule> schedule = Read("a v c again:a d e");
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  EXPECT_EQ(Rows(schedule->held), "00000 10000 11000 11000 11000");
}

TEST_F(ProgramScheduleTest, WhatHasNoPlaceInAScheduleIsNamed) {
  EXPECT_THAT(std::string(Read("a b out:a:0 c wait:a:0 d in:a:0 e").status().message()),
              HasSubstr("step 3 (swap_out \"a:0\") copies a tensor"));
  EXPECT_THAT(std::string(Read("a b c again:a again:b again:a d e").status().message()),
              HasSubstr("step 6 (rerun \"a\") is the second time before the first run of \"d\""));
  EXPECT_THAT(std::string(Read("a b c d e again:a").status().message()),
              HasSubstr("step 6 (rerun \"a\") comes after the last first run"));
}

}  // namespace
}  // namespace str::strategies
