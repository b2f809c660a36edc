#include "optimizer/importers/mksch_schedule.h"

#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "optimizer/importers/mksch_verifier.h"
#include "optimizer/testing/program_text.h"

namespace str::optimizer {
namespace {

using config::IsInvalid;

// x (leaf 0, weights 3) -> conv -> 1; 1 -> relu -> 2; 1 + 2 -> 4.
constexpr char kExample[] =
    "5 6\n0 100 _\n1 30 _\n2 20 _\n3 10 /W\n4 7 _\n"
    "forward\n2 1\n0 _\n3 _\n1\nConvolution2DFunction\n{}\n"
    "forward\n1 1\n1 _\n2\nReLU\n{}\n"
    "forward\n2 1\n1 _\n2 _\n4\nAdd\n{}\n"
    "backward\n3 2\n1 gradient\n0 input\n3 input\n0\n3\nConvolution2DFunction\n{}\n"
    "backward\n2 1\n2 gradient\n2 output\n1\nReLU\n{}\n"
    "backward\n1 2\n4 gradient\n1\n2\nAdd\n{}\n";

class MkschScheduleTest : public ::testing::Test {
 protected:
  std::string Schedule(absl::string_view program) {
    const absl::StatusOr<std::string> schedule =
        MkschSchedule(mksch_, import_.nodes, ParseProgram(*Graph::FromFile(import_.file), program));
    EXPECT_OK(schedule.status());
    return schedule.ok() ? *schedule : "";
  }

  const MkschGraph mksch_ = *ParseMksch(kExample);
  const MkschImport import_ = *ImportMksch(mksch_, 1e-6);
};

TEST_F(MkschScheduleTest, ForgetsEverythingAfterItsLastUse) {
  const std::string schedule = Schedule(
      "forward/0/Convolution2DFunction forward/1/ReLU forward/2/Add again:forward/1/ReLU backward/5/Add/0 "
      "backward/5/Add/1 backward/4/ReLU backward/3/Convolution2DFunction");
  EXPECT_EQ(schedule,
            "compute 0\ncompute 1\ncompute 2\nforget 4 forward\nforget 2 forward\n"
            "compute 1\nforget 1 forward\n"
            "compute 5 0 1\ncompute 4 0\nforget 2 backward\nforget 2 forward\n"
            "compute 3 0 1\nforget 1 backward\n");
  const absl::StatusOr<MkschFigures> figures = RunMkschSchedule(mksch_, schedule);
  ASSERT_TRUE(figures.ok()) << figures.status();
  // In the end the gradients of 0, 1 and 3; without leaves, value 2 and the gradients of 1 and 2.
  EXPECT_EQ(figures->peak_bytes, 100 + 30 + 10);
  EXPECT_EQ(figures->peak_bytes_without_leaves, 20 + 30 + 20);
  EXPECT_EQ(figures->recompute_time, 1);
}

TEST_F(MkschScheduleTest, RefusesCopies) {
  const Program program = {{Action::kSwapOut, 2}};
  EXPECT_TRUE(IsInvalid(MkschSchedule(mksch_, import_.nodes, program).status(), "copies tensors to the host"));
}

TEST_F(MkschScheduleTest, TheVerifierFindsWhatIsMissing) {
  const auto run = [&](absl::string_view schedule) { return RunMkschSchedule(mksch_, schedule).status(); };
  EXPECT_TRUE(IsInvalid(run("compute 1\n"), "line 1, \"compute 1\": the value of 1 is not there"));
  EXPECT_TRUE(IsInvalid(run("compute 0\nforget 1 forward\ncompute 1\n"), "line 3"));
  EXPECT_TRUE(IsInvalid(run("compute 0\nforget 1 backward\n"), "there is nothing to forget"));
  EXPECT_TRUE(IsInvalid(run("compute 0\ncompute 1\ncompute 2\ncompute 5 1\ncompute 4 0\ncompute 3 0 1\n"),
                        "the gradient of 1 is not there"));
  EXPECT_TRUE(IsInvalid(run("compute 0\ncompute 1\ncompute 2\ncompute 5 1 1\n"), "output 1 was made before"));
  EXPECT_TRUE(
      IsInvalid(run("compute 0\ncompute 1\ncompute 2\ncompute 5 0\nforget 1 backward\ncompute 5 1\ncompute 4 0"),
                "adds to the gradient of 1, which is not there"));
  EXPECT_TRUE(IsInvalid(run("compute 0\ncompute 1\n"), "at the end: function 2 was never run"));
  EXPECT_TRUE(IsInvalid(run("compute 0\ncompute 1\ncompute 2\n"), "not every gradient of function 3 was made"));
}

}  // namespace
}  // namespace str::optimizer
