#include "config/device_io.h"

#include <string>

#include "config/status_testing.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

constexpr const char* kReadyMade[] = {"a100-40gb", "rtx-3090-24gb", "t4-16gb", "v100-16gb"};

std::string ReadyMadePath(const std::string& name) { return "config/devices/" + name + ".conf"; }

TEST(DeviceIoTest, ReadyMadeFilesAreValid) {
  for (const char* name : kReadyMade) {
    const absl::StatusOr<DeviceFile> device = ReadDevice(ReadyMadePath(name));
    EXPECT_OK(device.status());
    // Any device computes faster than it copies; a slipped power of ten would show here.
    EXPECT_GT(device->memory_bytes_per_second().value(), 10 * device->copy_in_bytes_per_second().value()) << name;
    EXPECT_GT(device->flops_per_second().value(), 10 * device->memory_bytes_per_second().value()) << name;
    EXPECT_GE(device->memory_bytes(), int64_t{16} << 30) << name;
    EXPECT_FALSE(device->has_host()) << name << ": how much memory is beside it, the data sheet cannot know";
    ASSERT_TRUE(device->has_disk()) << name;
    EXPECT_LT(device->disk().write_bytes_per_second().value(), device->copy_out_bytes_per_second().value()) << name;
    EXPECT_LT(device->disk().read_bytes_per_second().value(), device->copy_in_bytes_per_second().value()) << name;
    EXPECT_GT(device->disk().bytes(), device->memory_bytes()) << name;
  }
}

TEST(DeviceIoTest, WrittenAndReadBack) {
  const DeviceFile device = *ReadDevice(ReadyMadePath("t4-16gb"));
  const std::string path = ::testing::TempDir() + "/devices/copy.conf";
  EXPECT_OK(WriteDevice(device, path));
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(*ReadDevice(path), device));
  EXPECT_TRUE(absl::StrContains(DeviceText(device), "# NVIDIA T4, 16.00 GiB (17179869184 bytes)\n"));
}

TEST(DeviceIoTest, ErrorsNameTheFile) {
  EXPECT_TRUE(IsError(ReadDevice("/no/such.conf").status(), absl::StatusCode::kNotFound, "/no/such.conf"));
  EXPECT_TRUE(IsInvalid(ParseDevice("name 3", "bad.conf").status(), "bad.conf:1:6: "));
  EXPECT_TRUE(IsInvalid(ParseDevice("format_version: 1", "bad.conf").status(), "bad.conf: name is missing"));
  EXPECT_TRUE(IsInvalid(WriteDevice(DeviceFile(), "x.conf"), "device not written to x.conf: format_version is 0"));
}

}  // namespace
}  // namespace str::config
