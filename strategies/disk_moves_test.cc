#include "strategies/disk_moves.h"

#include "gtest/gtest.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::strategies {
namespace {

// x, y and z are swapped over `long`; x comes back last, y first. A byte takes 1 ns to the host and 2 ns to the disk.
class DiskMovesTest : public ::testing::Test {
 protected:
  DiskMovesTest() {
    optimizer::GraphBuilder b;
    b.Add("x", {}, {100}, 10);
    b.Add("y", {}, {50}, 10);
    b.Add("z", {}, {40}, 10);
    b.Add("long", {}, {1}, 500);
    b.Add("use_y", {"y:0", "long:0"}, {1}, 10);
    b.Add("use_z", {"z:0", "use_y:0"}, {1}, 10);
    b.Add("more", {"use_z:0"}, {1}, 500);
    b.Add("use_x", {"x:0", "more:0"}, {1}, 10);
    graph_.emplace(b.Build());
    costs_ = optimizer::MeasuredCosts(b.file());
    costs_.disk_write_bytes_per_second = costs_.disk_read_bytes_per_second = 1e9 / 2;
    request_.graph = &*graph_;
    request_.costs = &costs_;
  }

  // The program with what goes to the disk, "" if nothing helps.
  std::string Move(absl::string_view text, int64_t host_limit, int64_t disk_limit) {
    request_.host_limit_bytes = host_limit;
    request_.disk_limit_bytes = disk_limit;
    const Program program = optimizer::ParseProgram(*graph_, text);
    Program moved = program;
    const absl::StatusOr<bool> fits = MoveToDisk(request_, Limit(absl::InfiniteDuration(), nullptr), &moved);
    EXPECT_TRUE(fits.ok()) << fits.status();
    if (!fits.ok() || !*fits) {
      EXPECT_EQ(moved, program);
      return "";
    }
    const absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(*graph_, costs_, moved);
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    EXPECT_LE(verdict->simulation.host_peak_bytes, host_limit);
    EXPECT_LE(verdict->simulation.disk_peak_bytes, disk_limit);
    return optimizer::ProgramText(*graph_, moved);
  }

  using Program = optimizer::Program;
  static constexpr char kAll[] =
      "x out:x:0 y out:y:0 z out:z:0 wait:x:0 wait:y:0 wait:z:0 long in:y:0 use_y in:z:0 use_z in:x:0 more use_x";

  std::optional<optimizer::Graph> graph_;
  optimizer::Costs costs_;
  PlanRequest request_;
};

TEST_F(DiskMovesTest, WhatFitsTheHostStaysThere) { EXPECT_EQ(Move(kAll, 200, 1000), kAll); }

TEST_F(DiskMovesTest, TheCopyWithMostTimeToSpareGoes) {
  // x comes back beside `more`, which is longer than the slow copy: it costs nothing but the slower way out. Any of the
  // others would be waited for.
  EXPECT_EQ(Move("x out:x:0 y out:y:0 z out:z:0 long wait:x:0 wait:y:0 wait:z:0 in:y:0 use_y in:z:0 use_z in:x:0 more "
                 "use_x",
                 100, 1000),
            "x disk:x:0 y out:y:0 z out:z:0 long wait:x:0 wait:y:0 wait:z:0 in:y:0 use_y in:z:0 use_z in:x:0 more "
            "use_x");
}

TEST_F(DiskMovesTest, TheDisksLimitHolds) {
  // Only y and z fit the disk, and both must go.
  EXPECT_EQ(Move(kAll, 100, 95),
            "x out:x:0 y disk:y:0 z disk:z:0 wait:x:0 wait:y:0 wait:z:0 long in:y:0 use_y in:z:0 use_z in:x:0 more "
            "use_x");
  EXPECT_EQ(Move(kAll, 100, 50), "");
}

TEST_F(DiskMovesTest, EverythingCanGo) {
  EXPECT_EQ(Move(kAll, 1, 200),
            "x disk:x:0 y disk:y:0 z disk:z:0 wait:x:0 wait:y:0 wait:z:0 long in:y:0 use_y in:z:0 use_z in:x:0 more "
            "use_x");
}

TEST_F(DiskMovesTest, ProgramsWithoutSwapsStayAsTheyAre) {
  EXPECT_EQ(Move("x y z long use_y use_z more use_x", 1, 1), "x y z long use_y use_z more use_x");
}

}  // namespace
}  // namespace str::strategies
