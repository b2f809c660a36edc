#include "tf_plugin/capture/copy_rates.h"

#include <map>

#include "absl/synchronization/mutex.h"

namespace str::capture {

const kernels::CopyRates& CopyRatesHere(const std::string& device) {
  static absl::Mutex* const mutex = new absl::Mutex;
  static auto* const rates = new std::map<std::string, kernels::CopyRates>;
  absl::MutexLock lock(mutex);
  const auto found = rates->find(device);
  if (found != rates->end()) return found->second;
  return rates->emplace(device, kernels::MeasureCopyRates(device)).first->second;
}

}  // namespace str::capture
