#include "strategies/dtr/replay.h"

namespace str::dtr {

int64_t UnlimitedPeak(const Trace& trace) {
  RuntimeOptions options;
  options.deallocation = Deallocation::kBanish;
  return Runtime(&trace, nullptr, options).Run().peak_bytes;
}

double Overhead(const Trace& trace, const RunResult& result) {
  return trace.baseline == 0 ? 1 : static_cast<double>(result.clock) / static_cast<double>(trace.baseline);
}

}  // namespace str::dtr
