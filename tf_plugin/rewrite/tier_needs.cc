#include "tf_plugin/rewrite/tier_needs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "config/tensor_name.h"
#include "config/text_units.h"
#include "tf_plugin/device/offset_ranges.h"
#include "tf_plugin/graph/op_cost.h"
#include "tf_plugin/kernels/spill_file.h"
#include "tf_plugin/kernels/swap_ops.h"
#include "tf_plugin/messages.h"

namespace str::rewrite {
namespace {

constexpr int kNever = -1;

// By step: the swap_out whose copy ends with it, kNever if none does.
std::vector<int> CopiesThatEnd(const config::StrategyFile& strategy) {
  std::vector<int> ends(strategy.step_size(), kNever);
  std::map<std::string, int> latest_out;
  std::map<int, int> last_in;
  for (int i = 0; i < strategy.step_size(); ++i) {
    const config::Step& step = strategy.step(i);
    if (step.has_swap_out()) latest_out[step.swap_out()] = i;
    if (step.has_swap_in()) last_in[latest_out.at(step.swap_in())] = i;
  }
  for (const auto& [out, in] : last_in) ends[in] = out;
  return ends;
}

absl::Status CheckLimit(int64_t bytes, std::optional<int64_t> limit, absl::string_view where,
                        absl::string_view variable, absl::string_view option) {
  if (!limit.has_value() || bytes <= *limit) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("its swapped tensors take ", config::FormatBytes(bytes), " of the ",
                                                    where, ", ", variable, " allows ", config::FormatBytes(*limit),
                                                    "; plan with ", option, "=", *limit, " or allow more"));
}

}  // namespace

TierNeeds FindTierNeeds(const config::StrategyFile& strategy, const graph::GraphView& view) {
  std::map<std::string, const tensorflow::Node*> nodes;
  for (const tensorflow::Node* node : view.order) nodes[node->name()] = node;
  const std::vector<int> ends = CopiesThatEnd(strategy);
  TierNeeds most;
  int64_t host = 0, disk = 0;
  device::OffsetRanges pool(std::numeric_limits<int64_t>::max());
  std::map<int, int64_t> pool_offset;  // by step of the swap_out
  // `out`: the step of the swap_out whose copy begins (`sign` 1) or ends (-1).
  const auto add = [&](int out, int sign) {
    const absl::StatusOr<config::TensorName> name = config::ParseTensorName(strategy.step(out).swap_out());
    const auto node = name.ok() ? nodes.find(name->node) : nodes.end();
    if (node == nodes.end()) return;
    const bool to_disk = strategy.step(out).tier() == config::TIER_DISK;
    const int64_t bytes = graph::OutputBytes(*node->second, name->output, view.shapes).value_or(0);
    (to_disk ? disk : host) += sign * bytes;
    most.uses_disk = most.uses_disk || to_disk;
    if (to_disk) return;
    if (sign > 0) {
      pool_offset[out] = *pool.Take(kernels::RoundedForPool(bytes));
    } else {
      pool.Give(pool_offset.at(out));
    }
  };
  for (int i = 0; i < strategy.step_size(); ++i) {
    if (strategy.step(i).has_swap_out()) add(i, 1);
    most.host_bytes = std::max(most.host_bytes, host);
    most.disk_bytes = std::max(most.disk_bytes, disk);
    if (ends[i] != kNever) add(ends[i], -1);
  }
  most.host_pool_bytes = pool.highest_end();
  return most;
}

absl::Status CheckTiers(const TierNeeds& needs, const TierLimits& limits) {
  absl::Status status = CheckLimit(needs.host_bytes, limits.host_bytes, "host", "STR_HOST_LIMIT", "--host-limit");
  if (status.ok()) {
    status = CheckLimit(needs.disk_bytes, limits.disk_bytes, "disk", "STR_DISK_LIMIT", "--disk-limit");
  }
  if (!status.ok() || !needs.uses_disk) return status;
  kernels::SpillFile& file = kernels::SpillFile::Get();
  if (absl::Status opened = file.Open(needs.disk_bytes); !opened.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "its swapped tensors take ", config::FormatBytes(needs.disk_bytes), " of the disk: ", opened.message()));
  }
  if (file.in_memory()) {
    SayOnce("STR-3004", absl::StrCat("\"", file.folder(),
                                     "\" is memory (tmpfs), not a disk: what is swapped there still takes the host's "
                                     "memory; name a folder on a disk with STR_SPILL_DIR"));
  }
  return absl::OkStatus();
}

}  // namespace str::rewrite
