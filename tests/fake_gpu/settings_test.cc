#include "tests/fake_gpu/settings.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace str::fake_gpu {
namespace {

TEST(SettingsTest, SizesHaveUnits) {
  EXPECT_EQ(ParseSize("4096"), 4096);
  EXPECT_EQ(ParseSize("512MiB"), 512 << 20);
  EXPECT_EQ(ParseSize("1.5GB"), 1'500'000'000);
  EXPECT_EQ(ParseSize("3KiB"), 3072);
  for (const char* const text : {"", "MiB", "12 MiB", "-1", "0", "1TiBi"}) {
    EXPECT_FALSE(ParseSize(text).has_value()) << text;
  }
}

class SettingsFromEnvironmentTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* const name : {"FAKE_GPU_MEMORY", "FAKE_GPU_COUNT", "FAKE_GPU_HOST_CLOCK", "FAKE_GPU_CHECK"}) {
      unsetenv(name);
    }
  }
};

TEST_F(SettingsFromEnvironmentTest, ReadsWhatIsSetAndLeavesTheRest) {
  setenv("FAKE_GPU_MEMORY", "64MiB", 1);
  setenv("FAKE_GPU_COUNT", "2", 1);
  setenv("FAKE_GPU_HOST_CLOCK", "thread", 1);
  const Settings settings = SettingsFromEnvironment();
  EXPECT_EQ(settings.memory_bytes, 64 << 20);
  EXPECT_EQ(settings.devices, 2);
  EXPECT_EQ(settings.host_clock, HostClock::kPerThread);
  EXPECT_TRUE(settings.check);
  EXPECT_EQ(settings.launch_ns, Settings().launch_ns);
}

using SettingsDeathTest = SettingsFromEnvironmentTest;

TEST_F(SettingsDeathTest, AValueThatMeansNothingEndsTheProcess) {
  setenv("FAKE_GPU_MEMORY", "much", 1);
  EXPECT_EXIT(SettingsFromEnvironment(), testing::ExitedWithCode(1), "FAKE_GPU_MEMORY=much: must be a size");
  unsetenv("FAKE_GPU_MEMORY");
  setenv("FAKE_GPU_COUNT", "two", 1);
  EXPECT_EXIT(SettingsFromEnvironment(), testing::ExitedWithCode(1), "FAKE_GPU_COUNT=two");
  unsetenv("FAKE_GPU_COUNT");
  setenv("FAKE_GPU_HOST_CLOCK", "sun", 1);
  EXPECT_EXIT(SettingsFromEnvironment(), testing::ExitedWithCode(1), "must be shared or thread");
}

}  // namespace
}  // namespace str::fake_gpu
