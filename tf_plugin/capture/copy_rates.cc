#include "tf_plugin/capture/copy_rates.h"

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "tf_plugin/kernels/copy_rates.h"
#include "tf_plugin/messages.h"

namespace str::capture {
namespace {

// Measured once for each device; again after a failure.
absl::StatusOr<kernels::CopyRates> CopyRatesHere(const std::string& device) {
  static absl::Mutex* const mutex = new absl::Mutex;
  static auto* const measured = new std::map<std::string, kernels::CopyRates>;
  absl::MutexLock lock(mutex);
  const auto found = measured->find(device);
  if (found != measured->end()) return found->second;
  absl::StatusOr<kernels::CopyRates> rates = kernels::MeasureCopyRates(device);
  if (rates.ok()) measured->emplace(device, *rates);
  return rates;
}

}  // namespace

void SetCopyRates(config::GraphFile& graph) {
  const absl::StatusOr<kernels::CopyRates> rates = CopyRatesHere(graph.device());
  if (!rates.ok()) {
    SayOnce("STR-3013", absl::StrCat("the speed of copies between ", graph.device(),
                                     " and the host is not measured: ", rates.status().message(),
                                     ". Plans of this graph swap only if a device is named with --device. Graph ",
                                     graph.fingerprint()));
    return;
  }
  graph.set_copy_out_bytes_per_second(rates->out_bytes_per_second);
  graph.set_copy_in_bytes_per_second(rates->in_bytes_per_second);
}

}  // namespace str::capture
