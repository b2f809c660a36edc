// What running a node and copying a tensor costs, in seconds. Nothing is assumed: each figure was measured or comes
// from a device description, and what is unknown is refused.
#ifndef STR_OPTIMIZER_COST_COSTS_H_
#define STR_OPTIMIZER_COST_COSTS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "config/device.pb.h"
#include "config/graph.pb.h"
#include "optimizer/cost/tier.h"

namespace str::optimizer {

struct Costs {
  // By node id; 0 for nodes outside the program.
  std::vector<double> node_seconds;
  // 0: unknown; then no plan may copy.
  double copy_out_bytes_per_second = 0;
  double copy_in_bytes_per_second = 0;
  // Before the first byte moves, per copy.
  double copy_latency_seconds = 0;
  // 0: unknown, or there is no disk; then no plan may copy to it.
  double disk_write_bytes_per_second = 0;
  double disk_read_bytes_per_second = 0;
  // On top of copy_latency_seconds.
  double disk_latency_seconds = 0;

  bool CopiesKnown() const { return copy_out_bytes_per_second > 0 && copy_in_bytes_per_second > 0; }
  bool DiskKnown() const { return disk_write_bytes_per_second > 0 && disk_read_bytes_per_second > 0; }
  double CopyOutSeconds(int64_t bytes) const { return copy_latency_seconds + bytes / copy_out_bytes_per_second; }
  double CopyInSeconds(int64_t bytes) const { return copy_latency_seconds + bytes / copy_in_bytes_per_second; }
  // Never less than to or from the host: bounds for plans that copy to the host hold for those that use a disk too.
  double CopyOutSeconds(int64_t bytes, Tier tier) const {
    if (tier == Tier::kHost) return CopyOutSeconds(bytes);
    return copy_latency_seconds + disk_latency_seconds +
           bytes / std::min(copy_out_bytes_per_second, disk_write_bytes_per_second);
  }
  double CopyInSeconds(int64_t bytes, Tier tier) const {
    if (tier == Tier::kHost) return CopyInSeconds(bytes);
    return copy_latency_seconds + disk_latency_seconds +
           bytes / std::min(copy_in_bytes_per_second, disk_read_bytes_per_second);
  }
};

// Node times: as measured if the graph was measured, else by the roofline of `device` from the node's work.
// Copy rates: of `device` if there is one, else as measured in the graph, else unknown. A disk: that of `device`.
// `device` may be null. FailedPrecondition, naming the node and what to do, where a time cannot be known.
absl::StatusOr<Costs> FindCosts(const config::GraphFile& graph, const config::DeviceFile* device);

// FailedPrecondition saying what to do if copies have no rate.
absl::Status RequireCopyRates(const Costs& costs);

// The same for copies to a disk.
absl::Status RequireDiskRates(const Costs& costs);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_COST_COSTS_H_
