#include "optimizer/placement/bfc_replay.h"

#include <algorithm>
#include <optional>

#include "optimizer/placement/bfc_model.h"

namespace str::optimizer {
namespace {

// Far larger than any device, and its last chunk is in the highest bin.
constexpr int64_t kEndlessBytes = int64_t{1} << 60;
// By how much a region grows in which the replay failed: where the rest of the region lies in another bin than in an
// endless one, chunks are chosen otherwise.
constexpr int64_t kGrowthShare = 200;

}  // namespace

int64_t ReplayInBfc(const std::vector<Allocation>& allocations, int64_t external_bytes, int64_t region_bytes) {
  const int64_t before = (external_bytes + kBfcGranuleBytes - 1) / kBfcGranuleBytes * kBfcGranuleBytes;
  BfcModel model(std::max<int64_t>(0, region_bytes - before));
  int steps = 0;
  for (const Allocation& allocation : allocations) steps = std::max(steps, allocation.last_step + 1);
  // Freed after each step, in the order of allocation.
  std::vector<std::vector<int64_t>> freed(steps);
  size_t next = 0;
  for (int step = 0; step < steps; ++step) {
    for (; next < allocations.size() && allocations[next].first_step == step; ++next) {
      const Allocation& allocation = allocations[next];
      if (allocation.rounded_bytes == 0) continue;
      const std::optional<int64_t> offset = model.Allocate(allocation.rounded_bytes);
      if (!offset.has_value()) return 0;
      if (!allocation.outlives_step) freed[allocation.last_step].push_back(*offset);
    }
    for (const int64_t offset : freed[step]) model.Free(offset);
  }
  return std::max(before + model.highest_end(), kBfcGranuleBytes);
}

int64_t BfcRegionBytes(const std::vector<Allocation>& allocations, int64_t external_bytes) {
  int64_t region = ReplayInBfc(allocations, external_bytes, kEndlessBytes);
  while (ReplayInBfc(allocations, external_bytes, region) == 0) {
    region += std::max(kBfcGranuleBytes, region / kGrowthShare / kBfcGranuleBytes * kBfcGranuleBytes);
  }
  return region;
}

}  // namespace str::optimizer
