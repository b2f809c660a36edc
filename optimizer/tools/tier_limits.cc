#include "optimizer/tools/tier_limits.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "config/text_units.h"

namespace str::tools {
namespace {

// More than all tensors at once can no program swap.
int64_t AllTensorBytes(const optimizer::Graph& graph) {
  int64_t bytes = 0;
  for (optimizer::TensorId tensor = 0; tensor < graph.tensor_count(); ++tensor) bytes += graph.tensor(tensor).bytes;
  return bytes;
}

}  // namespace

absl::Status SetTierLimits(const std::string& host_limit, const std::string& disk_limit, const GraphInput& input,
                           strategies::PlanRequest* request) {
  if (!host_limit.empty()) {
    const absl::StatusOr<int64_t> limit = config::ParseBytes(host_limit);
    if (!limit.ok()) return absl::InvalidArgumentError(absl::StrCat("--host-limit: ", limit.status().message()));
    if (*limit == 0) return absl::InvalidArgumentError("--host-limit: 0 is --strategy=recompute-only");
    request->host_limit_bytes = *limit;
  } else if (input.host_bytes > 0 && AllTensorBytes(input.graph) > input.host_bytes) {
    request->host_limit_bytes = input.host_bytes;
  }
  if (disk_limit.empty()) return absl::OkStatus();
  const absl::StatusOr<int64_t> limit = config::ParseBytes(disk_limit);
  if (!limit.ok()) return absl::InvalidArgumentError(absl::StrCat("--disk-limit: ", limit.status().message()));
  if (*limit == 0) return absl::InvalidArgumentError("--disk-limit: 0 is the same as leaving it out");
  if (input.disk_bytes == 0) {
    return absl::FailedPreconditionError(
        "--disk-limit: no disk is known; name a device that has one with --device (\"str devices\" lists them, \"str "
        "calibrate\" describes this machine)");
  }
  request->disk_limit_bytes = std::min(*limit, input.disk_bytes);
  return absl::OkStatus();
}

}  // namespace str::tools
