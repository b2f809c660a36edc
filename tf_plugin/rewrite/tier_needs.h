// File: tier_needs.h
//
// What a strategy's swapped tensors take of the host and of the disk, counted as the simulator does: from the swap_out
// to the last swap_in that reads the copy. Copies that are still under way come on top for a moment.
#ifndef STR_TF_PLUGIN_REWRITE_TIER_NEEDS_H_
#define STR_TF_PLUGIN_REWRITE_TIER_NEEDS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "config/strategy.pb.h"
#include "tf_plugin/graph/graph_view.h"

namespace str::rewrite {

struct TierNeeds {
  int64_t host_bytes = 0;
  int64_t disk_bytes = 0;
  // Also where all that goes there is empty.
  bool uses_disk = false;
  // Size of one block in which all copies on the host find room, each at the lowest gap that fits, as the pool of a GPU
  // hands it out (gpu/pinned_pool.h): host_bytes, and what gaps between copies cost.
  int64_t host_pool_bytes = 0;
};

// STR_HOST_LIMIT and STR_DISK_LIMIT.
struct TierLimits {
  std::optional<int64_t> host_bytes, disk_bytes;
};

// `strategy` was matched to `view` (match.h).
TierNeeds FindTierNeeds(const config::StrategyFile& strategy, const graph::GraphView& view);

// FailedPrecondition saying what to do if the limits do not allow it, or the disk has no room or cannot be written.
// Says once if the disk is memory.
absl::Status CheckTiers(const TierNeeds& needs, const TierLimits& limits);

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_TIER_NEEDS_H_
