#include "tf_plugin/kernels/copy_rates.h"

#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tf_plugin/kernels/host_pool.h"

namespace str::kernels {
namespace {

TEST(CopyRatesTest, TheCpuCopiesThroughTheEngineAndGivesMemoryBack) {
  const int64_t in_use = HostPool::Get().bytes_in_use();
  const absl::StatusOr<CopyRates> rates = MeasureCopyRates();
  ASSERT_TRUE(rates.ok()) << rates.status();
  // Slower than a disk or faster than any memory would be a mistake in the units.
  for (const int64_t rate : {rates->out_bytes_per_second, rates->in_bytes_per_second}) {
    EXPECT_GT(rate, 50'000'000);
    EXPECT_LT(rate, 10'000'000'000'000);
  }
  EXPECT_EQ(HostPool::Get().bytes_in_use(), in_use);
}

TEST(CopyRatesTest, ADeviceWithoutAProbeIsAnErrorNotTheCpusRates) {
  EXPECT_TRUE(config::IsError(MeasureCopyRates("GPU:7").status(), absl::StatusCode::kFailedPrecondition, "GPU:7"));
}

TEST(CopyRatesTest, AProbeSpeaksForItsDevice) {
  SetCopyProbe("GPU:0", [] { return CopyRates{12, 34}; });
  SetCopyProbe("GPU:1", [] { return absl::InternalError("no stream"); });
  const absl::StatusOr<CopyRates> rates = MeasureCopyRates("GPU:0");
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates->out_bytes_per_second, 12);
  EXPECT_EQ(rates->in_bytes_per_second, 34);
  EXPECT_TRUE(config::IsError(MeasureCopyRates("GPU:1").status(), absl::StatusCode::kInternal, "no stream"));
}

TEST(CopyRatesTest, TheMedianTimeCounts) {
  EXPECT_EQ(MedianRate(1000, {900, 1, 500}), 2'000'000'000);
  EXPECT_EQ(MedianRate(1000, {0}), 1'000'000'000'000) << "the clock did not move on";
}

}  // namespace
}  // namespace str::kernels
