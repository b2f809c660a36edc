#include "optimizer/tools/tier_limits.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"

namespace str::tools {
namespace {

using ::testing::HasSubstr;

class TierLimitsTest : public ::testing::Test {
 protected:
  TierLimitsTest() {
    optimizer::GraphBuilder b;
    b.Add("x", {}, {100});
    b.Add("y", {"x:0"}, {50});
    input_.emplace(*MakeGraphInput(b.file(), "test", ""));
  }

  absl::Status Set(const std::string& host, const std::string& disk) {
    request_ = strategies::PlanRequest();
    return SetTierLimits(host, disk, *input_, &request_);
  }

  std::string Error(const std::string& host, const std::string& disk) { return std::string(Set(host, disk).message()); }

  std::optional<GraphInput> input_;
  strategies::PlanRequest request_;
};

TEST_F(TierLimitsTest, AreSizes) {
  ASSERT_TRUE(Set("2KiB", "").ok());
  EXPECT_EQ(request_.host_limit_bytes, 2048);
  EXPECT_EQ(request_.disk_limit_bytes, 0);
  EXPECT_THAT(Error("little", ""), HasSubstr("--host-limit: size"));
  EXPECT_THAT(Error("0", ""), HasSubstr("--host-limit: 0 is"));
  input_->disk_bytes = 1000;
  EXPECT_THAT(Error("", "little"), HasSubstr("--disk-limit: size"));
  EXPECT_THAT(Error("", "0"), HasSubstr("--disk-limit: 0 is"));
}

TEST_F(TierLimitsTest, ADiskIsWhatTheDeviceHas) {
  EXPECT_THAT(Error("", "1GiB"), HasSubstr("--disk-limit: no disk is known"));
  input_->disk_bytes = 1000;
  ASSERT_TRUE(Set("", "1GiB").ok());
  EXPECT_EQ(request_.disk_limit_bytes, 1000);
  ASSERT_TRUE(Set("", "10").ok());
  EXPECT_EQ(request_.disk_limit_bytes, 10);
  ASSERT_TRUE(Set("", "").ok());
  EXPECT_EQ(request_.disk_limit_bytes, 0) << "only who asks for it gets it";
}

TEST_F(TierLimitsTest, TheHostHasTheMemoryThatItsDescriptionSays) {
  input_->host_bytes = 120;
  ASSERT_TRUE(Set("", "").ok());
  EXPECT_EQ(request_.host_limit_bytes, 120);
  ASSERT_TRUE(Set("1000", "").ok());
  EXPECT_EQ(request_.host_limit_bytes, 1000) << "what is asked for goes before what the description says";
  input_->host_bytes = 150;
  ASSERT_TRUE(Set("", "").ok());
  EXPECT_EQ(request_.host_limit_bytes, 0) << "all tensors at once fit";
}

}  // namespace
}  // namespace str::tools
