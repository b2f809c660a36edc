#include "tests/fake_gpu/device_figures.h"

#include "gtest/gtest.h"

namespace str::fake_gpu {
namespace {

constexpr char kDevice[] = R"(
# A comment with a "string" and a brace {.
format_version: 1
name: "a: device"
memory_bytes: 1000
flops_per_second { value: 2e12 source: "first part, "
                                       "second { part" }
memory_bytes_per_second {
  value: 1e12
  source: "x"
}
copy_out_bytes_per_second { value: 1e10 source: "x" }
copy_in_bytes_per_second { value: 2e10 source: "x" }
copy_latency_ns: 7000
op_overhead_ns: 3
efficiency { op: "Depthwise.*" share: 0.5 source: "x" }
efficiency { op: "Conv2D" share: 0.25 source: "x" }
)";

DeviceFigures Parse(const std::string& text) {
  std::string error;
  const std::optional<DeviceFigures> figures = ParseDeviceFigures(text, &error);
  EXPECT_TRUE(figures.has_value()) << error;
  return figures.value_or(DeviceFigures());
}

std::string ErrorOf(const std::string& text) {
  std::string error;
  EXPECT_FALSE(ParseDeviceFigures(text, &error).has_value());
  return error;
}

TEST(DeviceFiguresTest, KernelsAreBoundByWorkOrByMemory) {
  const DeviceFigures figures = Parse(kDevice);
  EXPECT_EQ(figures.KernelNs("MatMul", 2'000'000, 10), 1003);
  EXPECT_EQ(figures.KernelNs("MatMul", 10, 1'000'000), 1003);
}

TEST(DeviceFiguresTest, EachOpReachesItsShare) {
  const DeviceFigures figures = Parse(kDevice);
  EXPECT_EQ(figures.KernelNs("DepthwiseConv2dNative", 2'000'000, 0), 2003);
  EXPECT_EQ(figures.KernelNs("Conv2D", 2'000'000, 0), 4003);
  // The whole name has to match.
  EXPECT_EQ(figures.KernelNs("Conv2DBackpropInput", 2'000'000, 0), 1003);
}

TEST(DeviceFiguresTest, CopiesHaveALatencyAndTheirOwnRates) {
  const DeviceFigures figures = Parse(kDevice);
  EXPECT_EQ(figures.CopyOutNs(10'000'000), 1'007'000);
  EXPECT_EQ(figures.CopyInNs(10'000'000), 507'000);
  EXPECT_EQ(figures.CopyOnDeviceNs(1'000'000), 2003);
}

TEST(DeviceFiguresTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(ErrorOf("format_version: 1"), "copy_in_bytes_per_second.value is missing");
  EXPECT_EQ(ErrorOf("flops_per_second { value: 1"), "a '}' is missing");
  EXPECT_EQ(ErrorOf("}"), "a '}' too many");
  EXPECT_EQ(ErrorOf("name"), "'name' has no value");
  std::string text = kDevice;
  text.replace(text.find("7000"), 4, "fast");
  EXPECT_EQ(ErrorOf(text), "copy_latency_ns: 'fast' is no figure");
  text = kDevice;
  text.replace(text.find("Depthwise.*"), 11, "Depthwise(*");
  EXPECT_EQ(ErrorOf(text), "efficiency.op: 'Depthwise(*' is no regular expression");
}

TEST(DeviceFiguresTest, ReadsTheProjectsDeviceFiles) {
  std::string error;
  const std::optional<DeviceFigures> figures = ReadDeviceFigures("config/devices/rtx-3090-24gb.conf", &error);
  ASSERT_TRUE(figures.has_value()) << error;
  EXPECT_EQ(figures->flops_per_second, 35.6e12);
  EXPECT_EQ(figures->copy_out_bytes_per_second, 25.85e9);
  EXPECT_EQ(figures->copy_latency_ns, 7000);
  EXPECT_FALSE(ReadDeviceFigures("config/devices/none.conf", &error).has_value());
  EXPECT_EQ(error, "cannot be read");
}

}  // namespace
}  // namespace str::fake_gpu
