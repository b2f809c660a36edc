#include "optimizer/cost/costs.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"

namespace str::optimizer {
namespace {

using ::testing::HasSubstr;

config::DeviceFile Device() {
  config::DeviceFile device;
  device.mutable_flops_per_second()->set_value(1e9);
  device.mutable_memory_bytes_per_second()->set_value(1e6);
  device.mutable_copy_out_bytes_per_second()->set_value(200);
  device.mutable_copy_in_bytes_per_second()->set_value(100);
  device.set_copy_latency_ns(500000000);
  device.set_op_overhead_ns(1000);
  return device;
}

TEST(CostsTest, MeasuredTimesAndRates) {
  GraphBuilder b;
  b.AddArgument("a", 1)->set_time_ns(77);
  b.Add("x", {"a:0"}, {10}, 2000);
  const absl::StatusOr<Costs> costs = FindCosts(b.file(), nullptr);
  ASSERT_TRUE(costs.ok()) << costs.status();
  EXPECT_DOUBLE_EQ(costs->node_seconds[0], 0);
  EXPECT_DOUBLE_EQ(costs->node_seconds[1], 2e-6);
  EXPECT_DOUBLE_EQ(costs->CopyOutSeconds(1000), 1e-6);
}

TEST(CostsTest, DeviceGivesRatesButMeasuredTimesStay) {
  GraphBuilder b;
  b.Add("x", {}, {10}, 2000);
  const config::DeviceFile device = Device();
  const absl::StatusOr<Costs> costs = FindCosts(b.file(), &device);
  ASSERT_TRUE(costs.ok()) << costs.status();
  EXPECT_DOUBLE_EQ(costs->node_seconds[0], 2e-6);
  EXPECT_DOUBLE_EQ(costs->CopyOutSeconds(100), 1.0);
  EXPECT_DOUBLE_EQ(costs->CopyInSeconds(100), 1.5);
}

TEST(CostsTest, ADiskIsOnlyOfADeviceThatHasOneAndNeverFasterThanTheHost) {
  GraphBuilder b;
  b.Add("x", {}, {10}, 2000);
  config::DeviceFile device = Device();
  EXPECT_THAT(RequireDiskRates(*FindCosts(b.file(), nullptr)).message(), HasSubstr("--device"));
  EXPECT_FALSE(FindCosts(b.file(), &device)->DiskKnown());
  config::Disk* const disk = device.mutable_disk();
  disk->mutable_write_bytes_per_second()->set_value(50);
  disk->mutable_read_bytes_per_second()->set_value(1000);
  disk->set_latency_ns(250000000);
  const absl::StatusOr<Costs> costs = FindCosts(b.file(), &device);
  ASSERT_TRUE(costs.ok()) << costs.status();
  EXPECT_TRUE(RequireDiskRates(*costs).ok());
  // Both latencies; out at the disk's rate, in at the link's, which is the slower one.
  EXPECT_DOUBLE_EQ(costs->CopyOutSeconds(100, Tier::kDisk), 0.5 + 0.25 + 2);
  EXPECT_DOUBLE_EQ(costs->CopyInSeconds(100, Tier::kDisk), 0.5 + 0.25 + 1);
  EXPECT_DOUBLE_EQ(costs->CopyOutSeconds(100, Tier::kHost), costs->CopyOutSeconds(100));
  EXPECT_DOUBLE_EQ(costs->CopyInSeconds(100, Tier::kHost), costs->CopyInSeconds(100));
}

TEST(CostsTest, RooflineWithoutMeasurement) {
  GraphBuilder b;
  b.file().set_steps_measured(0);
  b.Add("compute", {}, {10})->set_flops(1000000);
  b.Add("memory", {}, {10})->set_moved_bytes(1000);
  b.AddView("view", "memory:0", 10);
  const config::DeviceFile device = Device();
  const absl::StatusOr<Costs> costs = FindCosts(b.file(), &device);
  ASSERT_TRUE(costs.ok()) << costs.status();
  EXPECT_DOUBLE_EQ(costs->node_seconds[0], 1e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(costs->node_seconds[1], 1e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(costs->node_seconds[2], 1e-6);
}

TEST(CostsTest, EfficiencyIsOfTheFirstKindThatMatchesAndOfComputingOnly) {
  GraphBuilder b;
  b.file().set_steps_measured(0);
  for (const char* op : {"DepthwiseConv2dNative", "Conv2D", "MatMul"}) {
    config::Node* node = b.Add(op, {}, {10});
    node->set_op(op);
    node->set_flops(1000000);
  }
  config::Node* bound_by_memory = b.Add("slow", {}, {10});
  bound_by_memory->set_op("Conv2D");
  bound_by_memory->set_flops(1);
  bound_by_memory->set_moved_bytes(1000);
  config::DeviceFile device = Device();
  device.clear_op_overhead_ns();
  config::Efficiency* efficiency = device.add_efficiency();
  efficiency->set_op("Depthwise.*");
  efficiency->set_share(0.1);
  efficiency = device.add_efficiency();
  // The whole name: not the depthwise one, and not by a part of it.
  efficiency->set_op(".*Conv2D");
  efficiency->set_share(0.5);
  const absl::StatusOr<Costs> costs = FindCosts(b.file(), &device);
  ASSERT_TRUE(costs.ok()) << costs.status();
  EXPECT_DOUBLE_EQ(costs->node_seconds[0], 1e-2);
  EXPECT_DOUBLE_EQ(costs->node_seconds[1], 2e-3);
  EXPECT_DOUBLE_EQ(costs->node_seconds[2], 1e-3);
  EXPECT_DOUBLE_EQ(costs->node_seconds[3], 1e-3);
}

TEST(CostsTest, UnknownIsRefusedNotAssumed) {
  GraphBuilder b;
  b.file().set_steps_measured(0);
  b.Add("mystery", {}, {10});
  EXPECT_THAT(FindCosts(b.file(), nullptr).status().message(), HasSubstr("--device"));
  const config::DeviceFile device = Device();
  EXPECT_THAT(FindCosts(b.file(), &device).status().message(), HasSubstr("\"mystery\""));
  b.file().set_steps_measured(1);
  b.file().clear_copy_in_bytes_per_second();
  const absl::StatusOr<Costs> costs = FindCosts(b.file(), nullptr);
  ASSERT_TRUE(costs.ok()) << costs.status();
  EXPECT_THAT(RequireCopyRates(*costs).message(), HasSubstr("--device"));
}

}  // namespace
}  // namespace str::optimizer
