#include "tf_plugin/kernels/copy_rates.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "tf_plugin/kernels/copy_engine.h"
#include "tf_plugin/kernels/host_pool.h"

namespace str::kernels {
namespace {

constexpr int64_t kProbeBytes = int64_t{32} << 20;
constexpr int kProbes = 5;

struct Probes {
  absl::Mutex mutex;
  std::map<std::string, CopyProbe> by_device ABSL_GUARDED_BY(mutex);
};

Probes& AllProbes() {
  static Probes* const probes = new Probes;
  return *probes;
}

CopyProbe FindProbe(const std::string& device) {
  Probes& all = AllProbes();
  absl::MutexLock lock(&all.mutex);
  const auto found = all.by_device.find(device);
  return found != all.by_device.end() ? found->second : nullptr;
}

CopyRates MeasureEngine() {
  const HostBuffer host = HostPool::Get().Take(kProbeBytes);
  std::vector<char> device(kProbeBytes, 1);
  const auto rate = [&](Direction direction) {
    std::vector<int64_t> times_ns;
    for (int i = 0; i < kProbes; ++i) {
      auto transfer = std::make_shared<Transfer>();
      absl::Notification done;
      const int64_t start_ns = absl::GetCurrentTimeNanos();
      CopyEngine::Get().Enqueue(
          direction,
          [&] {
            if (direction == Direction::kOut) {
              std::memcpy(host.data(), device.data(), kProbeBytes);
            } else {
              std::memcpy(device.data(), host.data(), kProbeBytes);
            }
            return absl::OkStatus();
          },
          transfer);
      transfer->OnDone([&done](const absl::Status&) { done.Notify(); });
      done.WaitForNotification();
      times_ns.push_back(absl::GetCurrentTimeNanos() - start_ns);
    }
    return MedianRate(kProbeBytes, std::move(times_ns));
  };
  return {rate(Direction::kOut), rate(Direction::kIn)};
}

}  // namespace

int64_t MedianRate(int64_t bytes, std::vector<int64_t> times_ns) {
  const auto median = times_ns.begin() + times_ns.size() / 2;
  std::nth_element(times_ns.begin(), median, times_ns.end());
  // A clock may not have moved on.
  return static_cast<int64_t>(bytes * 1e9 / std::max<int64_t>(1, *median));
}

void SetCopyProbe(const std::string& device, CopyProbe probe) {
  Probes& all = AllProbes();
  absl::MutexLock lock(&all.mutex);
  all.by_device[device] = std::move(probe);
}

absl::StatusOr<CopyRates> MeasureCopyRates(const std::string& device) {
  if (const CopyProbe probe = FindProbe(device); probe != nullptr) return probe();
  if (absl::StartsWith(device, "CPU:")) return MeasureEngine();
  return absl::FailedPreconditionError(absl::StrCat(device, " has not said how to measure them"));
}

}  // namespace str::kernels
