#include "optimizer/cost/costs.h"

#include <algorithm>
#include <regex>
#include <string>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "config/in_program.h"

namespace str::optimizer {
namespace {

constexpr double kNanosecond = 1e-9;

// Whether the node must move bytes: it fills a buffer of its own.
bool FillsABuffer(const config::Node& node) {
  return std::any_of(node.output().begin(), node.output().end(), [&](const config::Output& output) {
    return output.bytes() > 0 && output.view_of_input_plus1() == 0 && !output.external() &&
           node.variable_use() != config::VARIABLE_READ;
  });
}

// What the device makes of its rate, by kind of operation.
class Efficiencies {
 public:
  explicit Efficiencies(const config::DeviceFile& device) {
    for (const config::Efficiency& efficiency : device.efficiency()) {
      kinds_.push_back({std::regex(efficiency.op()), efficiency.share()});
    }
  }

  double Of(const std::string& op) {
    const auto [known, is_new] = known_.try_emplace(op, 1.0);
    if (!is_new) return known->second;
    for (const Kind& kind : kinds_) {
      if (!std::regex_match(op, kind.op)) continue;
      known->second = kind.share;
      break;
    }
    return known->second;
  }

 private:
  struct Kind {
    std::regex op;
    double share;
  };
  std::vector<Kind> kinds_;
  std::unordered_map<std::string, double> known_;
};

absl::StatusOr<double> ModelledSeconds(const config::Node& node, const config::DeviceFile& device,
                                       Efficiencies* efficiencies) {
  if (node.flops() == 0 && node.moved_bytes() == 0 && FillsABuffer(node)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "node \"", node.name(), "\" (", node.op(),
        ") has neither a measured time nor known work, so its time is unknown; capture the graph while training runs "
        "(STR_CAPTURE without STR_CAPTURE_ONLY)"));
  }
  const double compute = node.flops() / (device.flops_per_second().value() * efficiencies->Of(node.op()));
  const double memory = node.moved_bytes() / device.memory_bytes_per_second().value();
  return std::max(compute, memory) + device.op_overhead_ns() * kNanosecond;
}

}  // namespace

absl::StatusOr<Costs> FindCosts(const config::GraphFile& graph, const config::DeviceFile* device) {
  Costs costs;
  costs.copy_out_bytes_per_second = graph.copy_out_bytes_per_second();
  costs.copy_in_bytes_per_second = graph.copy_in_bytes_per_second();
  if (device != nullptr) {
    costs.copy_out_bytes_per_second = device->copy_out_bytes_per_second().value();
    costs.copy_in_bytes_per_second = device->copy_in_bytes_per_second().value();
    costs.copy_latency_seconds = device->copy_latency_ns() * kNanosecond;
    costs.disk_write_bytes_per_second = device->disk().write_bytes_per_second().value();
    costs.disk_read_bytes_per_second = device->disk().read_bytes_per_second().value();
    costs.disk_latency_seconds = device->disk().latency_ns() * kNanosecond;
  }
  const bool measured = graph.steps_measured() > 0;
  if (!measured && device == nullptr) {
    return absl::FailedPreconditionError(
        "the graph was captured without running it, so its times are unknown; name the device it will run on with "
        "--device (\"str devices\" lists them), or capture it while training runs");
  }
  costs.node_seconds.reserve(graph.node_size());
  Efficiencies efficiencies(device != nullptr ? *device : config::DeviceFile());
  for (const config::Node& node : graph.node()) {
    double seconds = 0;
    if (measured) {
      seconds = config::InProgram(node.recompute()) ? node.time_ns() * kNanosecond : 0;
    } else if (config::InProgram(node.recompute())) {
      const absl::StatusOr<double> modelled = ModelledSeconds(node, *device, &efficiencies);
      if (!modelled.ok()) return modelled.status();
      seconds = *modelled;
    }
    costs.node_seconds.push_back(seconds);
  }
  return costs;
}

absl::Status RequireCopyRates(const Costs& costs) {
  if (costs.CopiesKnown()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "swapping needs the speed of copies between device and host, which this graph does not carry; name the device "
      "with --device (\"str devices\" lists them), capture the graph again while training runs, or plan with "
      "--strategy=recompute-only");
}

absl::Status RequireDiskRates(const Costs& costs) {
  if (costs.DiskKnown()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "copies to a disk need its speed, which is not known; name a device that has a disk with --device (\"str "
      "devices\" lists them, \"str calibrate\" describes this machine)");
}

}  // namespace str::optimizer
