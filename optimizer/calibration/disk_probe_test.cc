#include "optimizer/calibration/disk_probe.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace str::optimizer {
namespace {

using ::testing::HasSubstr;

TEST(DiskProbeTest, MeasuresAndLeavesNothingBehind) {
  DiskProbeOptions options;
  options.folder = ::testing::TempDir() + "/disk_probe";
  std::filesystem::remove_all(options.folder);
  options.bytes = int64_t{4} << 20;
  const absl::StatusOr<config::Disk> disk = MeasureDisk(options);
  EXPECT_TRUE(std::filesystem::is_empty(options.folder));
  if (!disk.ok() && absl::StrContains(disk.status().message(), "tmpfs")) {
    GTEST_SKIP() << "skipped: " << disk.status().message();
  }
  ASSERT_TRUE(disk.ok()) << disk.status();
  // From a slow card in a busy machine to what no disk reaches.
  for (const config::Figure* figure : {&disk->write_bytes_per_second(), &disk->read_bytes_per_second()}) {
    EXPECT_GT(figure->value(), 1e5);
    EXPECT_LT(figure->value(), 1e12);
    EXPECT_THAT(figure->source(), HasSubstr("3 files of 4 MiB"));
  }
  EXPECT_GT(disk->latency_ns(), 0);
  EXPECT_GE(disk->bytes(), 2 * options.bytes);
}

TEST(DiskProbeTest, SaysWhatIsWrongWithTheFolder) {
  DiskProbeOptions options;
  options.folder = ::testing::TempDir() + "/disk_probe_file";
  std::ofstream(options.folder) << "not a folder";
  absl::Status status = MeasureDisk(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("disk_probe_file: Not a directory"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("STR_SPILL_DIR"));
  options.folder = ::testing::TempDir();
  options.bytes = int64_t{1} << 60;
  EXPECT_THAT(std::string(MeasureDisk(options).status().message()),
              ::testing::AnyOf(HasSubstr("bytes free"), HasSubstr("tmpfs")));
}

}  // namespace
}  // namespace str::optimizer
