#include "config/device_validator.h"

#include <limits>

#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

DeviceFile ExampleDevice() {
  DeviceFile device;
  device.set_format_version(1);
  device.set_name("example");
  device.set_memory_bytes(1 << 30);
  for (Figure* figure : {device.mutable_flops_per_second(), device.mutable_memory_bytes_per_second(),
                         device.mutable_copy_out_bytes_per_second(), device.mutable_copy_in_bytes_per_second()}) {
    figure->set_value(1e9);
    figure->set_source("data sheet");
  }
  return device;
}

class ValidateDeviceTest : public ::testing::Test {
 protected:
  ::testing::AssertionResult Refused(absl::string_view part) { return IsInvalid(ValidateDevice(device_), part); }

  DeviceFile device_ = ExampleDevice();
};

TEST_F(ValidateDeviceTest, ExampleIsValid) { EXPECT_OK(ValidateDevice(device_)); }

TEST_F(ValidateDeviceTest, FileFields) {
  device_.set_format_version(3);
  EXPECT_TRUE(Refused("format_version is 3; this version of STR reads 1"));
  device_ = ExampleDevice();
  device_.clear_name();
  EXPECT_TRUE(Refused("name is missing"));
  device_ = ExampleDevice();
  device_.set_memory_bytes(0);
  EXPECT_TRUE(Refused("memory_bytes is 0; it must be positive"));
  device_ = ExampleDevice();
  device_.set_copy_latency_ns(-1);
  EXPECT_TRUE(Refused("copy_latency_ns is negative: -1"));
  device_ = ExampleDevice();
  device_.set_op_overhead_ns(-1);
  EXPECT_TRUE(Refused("op_overhead_ns is negative: -1"));
}

TEST_F(ValidateDeviceTest, FiguresArePositiveFiniteAndHaveASource) {
  device_.clear_flops_per_second();
  EXPECT_TRUE(Refused("flops_per_second.value is 0; it must be positive and finite"));
  device_ = ExampleDevice();
  device_.mutable_memory_bytes_per_second()->set_value(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(Refused("memory_bytes_per_second.value is inf"));
  device_ = ExampleDevice();
  device_.mutable_copy_out_bytes_per_second()->set_value(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(Refused("copy_out_bytes_per_second.value is nan"));
  device_ = ExampleDevice();
  device_.mutable_copy_in_bytes_per_second()->set_source("  ");
  EXPECT_TRUE(Refused("copy_in_bytes_per_second has no source"));
}

TEST_F(ValidateDeviceTest, EfficienciesAreSharesWithASource) {
  Efficiency* const efficiency = device_.add_efficiency();
  EXPECT_TRUE(Refused("an efficiency has no op"));
  efficiency->set_op("Conv2D(");
  EXPECT_TRUE(Refused("efficiency of \"Conv2D(\": op is no regular expression"));
  efficiency->set_op("Conv2D");
  EXPECT_TRUE(Refused("share is 0; it must be above 0 and at most 1"));
  efficiency->set_share(1.5);
  EXPECT_TRUE(Refused("share is 1.5"));
  efficiency->set_share(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(Refused("share is nan"));
  efficiency->set_share(0.5);
  EXPECT_TRUE(Refused("has no source"));
  efficiency->set_source("measured");
  EXPECT_OK(ValidateDevice(device_));
}

TEST_F(ValidateDeviceTest, AHostHasMemory) {
  device_.mutable_host();
  EXPECT_TRUE(Refused("host.memory_bytes is 0; it must be positive"));
  device_.mutable_host()->set_memory_bytes(1);
  EXPECT_OK(ValidateDevice(device_));
}

TEST_F(ValidateDeviceTest, ADiskHasSpaceAndRatesWithASource) {
  Disk* const disk = device_.mutable_disk();
  EXPECT_TRUE(Refused("disk.bytes is 0; it must be positive"));
  disk->set_bytes(1000);
  EXPECT_TRUE(Refused("disk.write_bytes_per_second.value is 0"));
  disk->mutable_write_bytes_per_second()->set_value(1e8);
  EXPECT_TRUE(Refused("disk.write_bytes_per_second has no source"));
  disk->mutable_write_bytes_per_second()->set_source("measured");
  EXPECT_TRUE(Refused("disk.read_bytes_per_second.value is 0"));
  *disk->mutable_read_bytes_per_second() = disk->write_bytes_per_second();
  EXPECT_OK(ValidateDevice(device_));
  disk->set_latency_ns(-1);
  EXPECT_TRUE(Refused("disk.latency_ns is negative: -1"));
}

}  // namespace
}  // namespace str::config
