#include "config/instances.h"

#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

class InstancesTest : public ::testing::Test {
 protected:
  absl::Status Run(const char* node) {
    Step step;
    step.set_run(node);
    return instances_.Apply(step);
  }
  absl::Status Rerun(const char* node) {
    Step step;
    step.set_rerun(node);
    return instances_.Apply(step);
  }
  absl::Status SwapOut(const char* tensor) {
    Step step;
    step.set_swap_out(tensor);
    return instances_.Apply(step);
  }
  absl::Status Wait(const char* tensor) {
    Step step;
    step.set_swap_out_wait(tensor);
    return instances_.Apply(step);
  }
  absl::Status SwapIn(const char* tensor) {
    Step step;
    step.set_swap_in(tensor);
    return instances_.Apply(step);
  }

  Instances instances_;
};

TEST_F(InstancesTest, OutAndBackTwice) {
  EXPECT_OK(Run("a"));
  EXPECT_OK(SwapOut("a:0"));
  EXPECT_FALSE(instances_.OnHostOnly("a:0"));
  EXPECT_OK(Wait("a:0"));
  EXPECT_TRUE(instances_.OnHostOnly("a:0"));
  EXPECT_FALSE(instances_.OnHostOnly("a:1"));
  EXPECT_OK(SwapIn("a:0"));
  EXPECT_FALSE(instances_.OnHostOnly("a:0"));
  EXPECT_OK(SwapIn("a:0"));
  EXPECT_OK(SwapOut("a:0"));
  EXPECT_OK(Wait("a:0"));
  EXPECT_TRUE(instances_.OnHostOnly("a:0"));
}

TEST_F(InstancesTest, RerunBringsItBack) {
  EXPECT_OK(Run("a"));
  EXPECT_OK(SwapOut("a:0"));
  EXPECT_OK(Wait("a:0"));
  EXPECT_OK(Rerun("a"));
  EXPECT_FALSE(instances_.OnHostOnly("a:0"));
  EXPECT_OK(SwapOut("a:0"));
}

TEST_F(InstancesTest, WaitingForAnOlderInstanceLeavesTheNewest) {
  EXPECT_OK(Run("a"));
  EXPECT_OK(SwapOut("a:0"));
  EXPECT_OK(Rerun("a"));
  EXPECT_OK(Wait("a:0"));
  EXPECT_FALSE(instances_.OnHostOnly("a:0"));
}

TEST_F(InstancesTest, WhatCannotBeDone) {
  EXPECT_TRUE(IsInvalid(instances_.Apply(Step()), "has no action"));
  EXPECT_TRUE(IsInvalid(Run(""), "names no node"));
  EXPECT_TRUE(IsInvalid(Rerun("a"), "has not been run before"));
  EXPECT_TRUE(IsInvalid(SwapOut("a:0"), "node \"a\" has not been run before"));
  EXPECT_OK(Run("a"));
  EXPECT_TRUE(IsInvalid(Run("a"), "a second time is a rerun"));
  EXPECT_TRUE(IsInvalid(SwapOut("a"), "is not a tensor"));
  EXPECT_TRUE(IsInvalid(Wait("a:0"), "no swap_out of the tensor is open"));
  EXPECT_TRUE(IsInvalid(SwapIn("a:0"), "has not been swapped out before"));
  EXPECT_OK(SwapOut("a:0"));
  EXPECT_TRUE(IsInvalid(SwapOut("a:0"), "is still open"));
  EXPECT_OK(Wait("a:0"));
  EXPECT_TRUE(IsInvalid(Wait("a:0"), "no swap_out of the tensor is open"));
  EXPECT_TRUE(IsInvalid(SwapOut("a:0"), "is not on the device"));
}

}  // namespace
}  // namespace str::config
