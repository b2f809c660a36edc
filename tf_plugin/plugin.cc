// The plugin's entry: loaded by `import tensorflow`, it hooks into TensorFlow and is otherwise silent.
//
// The pass runs on every partition after Grappler, placement and partitioning, which is exactly what the executor will
// run. Capture and rewrite happen at this same point, so the names that the planner sees are the names that the
// rewriter finds.
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/common_runtime/optimization_registry.h"
#include "tensorflow/core/util/device_name_utils.h"
#include "tf_plugin/capture/capture_pass.h"
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/graph/canonical_choices.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/messages.h"
#include "tf_plugin/rewrite/rewrite_pass.h"
#include "tf_plugin/rewrite/strategy_store.h"
#include "tf_plugin/settings.h"

namespace str {
namespace {

using tensorflow::Graph;
using tensorflow::GraphOptimizationPassOptions;

// After every pass of TensorFlow's own.
constexpr int kPhase = 1000;

// "/job:localhost/replica:0/task:0/device:CPU:0" -> "CPU:0"
std::string ShortDeviceName(const std::string& device) {
  tensorflow::DeviceNameUtils::ParsedName parsed;
  if (!tensorflow::DeviceNameUtils::ParseFullName(device, &parsed)) return device;
  return absl::StrCat(parsed.type, ":", parsed.id);
}

// TensorFlow 2.21 does not tell this pass which function the graph is of.
std::string NameOf(const GraphOptimizationPassOptions& options) {
  return options.function_def != nullptr ? options.function_def->signature().name() : "training_step";
}

absl::Status Capture(const GraphOptimizationPassOptions& options, const std::string& device, Graph& graph) {
  // Others, such as the input pipeline's functions, run beside the step: they are not planned and not measured.
  if (!graph::IsTrainingGraph(graph)) return absl::OkStatus();
  const Settings& settings = GetSettings();
  const std::string name = NameOf(options);
  if (std::string reason = graph::WhyNotPlannable(graph); !reason.empty()) {
    SayOnce("STR-3003", absl::StrCat(name, " not captured: ", reason));
    return absl::OkStatus();
  }
  const graph::GraphView view = graph::MakeGraphView(graph);
  const std::string short_device = ShortDeviceName(device);
  if (!settings.capture_only) {
    capture::CaptureByRunning(view, name, short_device, settings.capture_directory);
    return absl::OkStatus();
  }
  return capture::CaptureWithoutRunning(view, name, short_device, settings.capture_directory);
}

// Eager ops and helpers, and graphs that were captured or rewritten already.
bool IsPassedOver(const Graph& graph) {
  return graph.num_op_nodes() < graph::kSmallestGraphNodes || device::IsMarked(graph);
}

class SettlingPass : public tensorflow::GraphOptimizationPass {
 public:
  absl::Status Run(const GraphOptimizationPassOptions& options) override {
    if (options.partition_graphs == nullptr) return absl::OkStatus();
    for (auto& [device, graph] : *options.partition_graphs) {
      if (IsPassedOver(*graph)) continue;
      const absl::Status status = graph::SettleChoices(graph);
      if (status.ok()) continue;
      const std::string text = absl::StrCat("choices of TensorFlow's passes are not settled: ", status.message());
      if (GetSettings().strict)
        return absl::FailedPreconditionError(absl::StrCat("STR-3007 ", text, " (STR_STRICT=1)"));
      SayOnce("STR-3007", absl::StrCat(text, ". The same script may be another graph in another process."));
    }
    return absl::OkStatus();
  }
};

class StrPass : public tensorflow::GraphOptimizationPass {
 public:
  absl::Status Run(const GraphOptimizationPassOptions& options) override {
    if (options.partition_graphs == nullptr) return absl::OkStatus();
    const Settings& settings = GetSettings();
    for (auto& [device, graph] : *options.partition_graphs) {
      if (IsPassedOver(*graph)) continue;
      absl::Status status;
      if (!settings.capture_directory.empty()) {
        status = Capture(options, device, *graph);
      } else if (!settings.strategy_path.empty()) {
        status = rewrite::RewriteGraph(rewrite::ProcessStrategies(),
                                       {settings.strict,
                                        settings.verify,
                                        {settings.host_limit_bytes, settings.disk_limit_bytes},
                                        options.flib_def},
                                       graph);
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
};

void RegisterPass(int phase, std::unique_ptr<tensorflow::GraphOptimizationPass> pass) {
  tensorflow::OptimizationPassRegistry::Global()->Register(tensorflow::OptimizationPassRegistry::POST_PARTITIONING,
                                                           phase, std::move(pass));
}

// Nothing is registered unless the environment or the home directory asks for something.
bool Register() {
  const Settings& settings = GetSettings();
  const bool passes = !settings.capture_directory.empty() || !settings.strategy_path.empty();
  if (settings.disabled || (!passes && !settings.memory_limit_bytes.has_value())) return false;
  device::RegisterLimitedDevice(settings.memory_limit_bytes.value_or(device::kNoLimit));
  if (passes) {
    RegisterPass(graph::kSettlingPhase, std::make_unique<SettlingPass>());
    RegisterPass(kPhase, std::make_unique<StrPass>());
  }
  return true;
}

[[maybe_unused]] const bool registered = Register();

}  // namespace
}  // namespace str
