#include "optimizer/calibration/calibrate.h"

#include "config/device_validator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/calibration/matrix_product.h"

namespace str::optimizer {
namespace {

TEST(CalibrateTest, FiguresAreThoseOfAMachine) {
  CalibrationOptions options;
  options.bytes = int64_t{16} << 20;
  options.matrix_side = 2 * kProductSideStep;
  options.repetitions = 3;
  const config::DeviceFile device = Calibrate(options);
  EXPECT_TRUE(config::ValidateDevice(device).ok()) << config::ValidateDevice(device);
  // From a slow and busy machine to one that does not exist yet.
  const std::pair<double, double> copies = {1e7, 1e13};
  for (const config::Figure* figure :
       {&device.copy_out_bytes_per_second(), &device.copy_in_bytes_per_second(), &device.memory_bytes_per_second()}) {
    EXPECT_GT(figure->value(), copies.first);
    EXPECT_LT(figure->value(), copies.second);
    EXPECT_THAT(figure->source(), ::testing::HasSubstr("16 MiB"));
  }
  EXPECT_GT(device.flops_per_second().value(), 1e8);
  EXPECT_LT(device.flops_per_second().value(), 1e16);
  EXPECT_GT(device.memory_bytes(), int64_t{1} << 28);
  EXPECT_EQ(device.host().memory_bytes(), device.memory_bytes());
  EXPECT_GT(device.copy_latency_ns(), 0);
}

}  // namespace
}  // namespace str::optimizer
