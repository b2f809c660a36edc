#include "tf_plugin/budget.h"

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str {
namespace {

TEST(Budget, IsANumberOfBytes) {
  const absl::StatusOr<Budget> budget = ParseBudget("6GiB");
  ASSERT_TRUE(budget.ok()) << budget.status();
  EXPECT_EQ(BudgetBytes(*budget, 1), int64_t{6} << 30);
}

TEST(Budget, IsAShareOfWhatIsThere) {
  const absl::StatusOr<Budget> budget = ParseBudget("75%");
  ASSERT_TRUE(budget.ok()) << budget.status();
  EXPECT_EQ(BudgetBytes(*budget, 4000), 3000);
}

TEST(Budget, WithoutAUnitIsAQuestion) {
  EXPECT_TRUE(config::IsInvalid(ParseBudget("60").status(), "60MiB"));
  EXPECT_TRUE(config::IsInvalid(ParseBudget("0GiB").status(), "more than 0"));
  EXPECT_TRUE(config::IsInvalid(ParseBudget("120%").status(), "at most 100%"));
  EXPECT_TRUE(config::IsInvalid(ParseBudget("-1%").status(), "above 0%"));
  EXPECT_FALSE(ParseBudget("plenty").ok());
}

// A system's files in a folder of their own.
class Machine : public testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    EXPECT_OK(config::WriteFileAtomically(absl::StrCat(root_, path), text));
  }
  void SetUp() override { Write("/proc/meminfo", "MemFree:  1 kB\nMemTotal:       4000 kB\n"); }
  void TearDown() override { std::filesystem::remove_all(root_); }
  const std::string root_ = absl::StrCat(testing::TempDir(), "machine");
};

TEST_F(Machine, HasItsMemoryWhereNothingLimitsIt) {
  Write("/proc/self/cgroup", "0::/a/b\n");
  Write("/sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(HostMemoryBytes(root_), 4000 * 1024);
}

TEST_F(Machine, IsLimitedByTheTightestControlGroup) {
  Write("/proc/self/cgroup", "0::/a/b\n");
  Write("/sys/fs/cgroup/a/b/memory.max", "300000\n");
  Write("/sys/fs/cgroup/a/memory.max", "200000\n");
  EXPECT_EQ(HostMemoryBytes(root_), 200000);
}

TEST_F(Machine, IsLimitedByControlGroupsOfVersion1) {
  Write("/proc/self/cgroup", "7:cpu:/a\n4:memory:/a\n");
  Write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "123456\n");
  EXPECT_EQ(HostMemoryBytes(root_), 123456);
}

TEST_F(Machine, ThatDoesNotSayIsNotKnown) {
  std::filesystem::remove_all(root_);
  EXPECT_EQ(HostMemoryBytes(root_), 0);
}

TEST(Process, HasResidentMemory) {
  EXPECT_GT(ResidentBytes(), 0);
  EXPECT_GE(PeakResidentBytes(), ResidentBytes());
}

}  // namespace
}  // namespace str
