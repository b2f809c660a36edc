// The graph passes.
//
// The last one runs on every partition after Grappler, placement and partitioning, which is exactly what the executor
// will run. Capture and rewrite happen at this same point, so the names that the planner sees are the names that the
// rewriter finds.
#include "tf_plugin/plugin.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/common_runtime/optimization_registry.h"
#include "tf_plugin/capture/capture_pass.h"
#include "tf_plugin/device/device_memories.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/graph/canonical_choices.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/graph/xla_calls.h"
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
// Before functions are inlined (10).
constexpr int kXlaPhase = 0;

// TensorFlow 2.21 does not tell this pass which function the graph is of.
std::string NameOf(const GraphOptimizationPassOptions& options) {
  return options.function_def != nullptr ? options.function_def->signature().name() : "training_step";
}

absl::Status Capture(const GraphOptimizationPassOptions& options, const graph::Partitions& partitions,
                     const std::string& device, Graph& graph) {
  // Others, such as the input pipeline's functions, run beside the step: they are not planned and not measured.
  if (!graph::IsTrainingGraph(graph)) return absl::OkStatus();
  const Settings& settings = GetSettings();
  const std::string name = NameOf(options);
  const std::string short_device = device::ShortDeviceName(device);
  const graph::Surroundings surroundings = graph::SurroundingsOf(partitions, device);
  std::string reason = device::WhyNotObserved(short_device);
  if (reason.empty()) reason = graph::WhyNotPlannable(graph, surroundings);
  if (!reason.empty()) {
    SayOnce("STR-3003", absl::StrCat(name, " not captured: ", reason));
    return absl::OkStatus();
  }
  const graph::GraphView view = graph::MakeGraphView(graph, surroundings);
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
      // The choices are those of oneDNN's pass, which is for CPUs.
      if (IsPassedOver(*graph) || !absl::StartsWith(device::ShortDeviceName(device), "CPU")) continue;
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

// Runs before functions are inlined and nodes are placed, on the outermost function of a step.
class XlaPass : public tensorflow::GraphOptimizationPass {
 public:
  absl::Status Run(const GraphOptimizationPassOptions& options) override {
    if (options.graph == nullptr || *options.graph == nullptr || options.flib_def == nullptr) return absl::OkStatus();
    const absl::StatusOr<std::vector<std::string>> texts =
        graph::SettleXla(**options.graph, *options.flib_def, {GetSettings().keep_xla, GetSettings().strict});
    if (!texts.ok()) {
      return absl::FailedPreconditionError(absl::StrCat("STR-3008 ", texts.status().message(), " (STR_STRICT=1)"));
    }
    for (const std::string& text : *texts) SayOnce("STR-3008", text);
    return absl::OkStatus();
  }
};

class StrPass : public tensorflow::GraphOptimizationPass {
 public:
  absl::Status Run(const GraphOptimizationPassOptions& options) override {
    if (options.partition_graphs == nullptr) return absl::OkStatus();
    const Settings& settings = GetSettings();
    if (settings.capture_directory.empty()) {
      return rewrite::RewritePartitions(
          rewrite::ProcessStrategies(),
          {settings.strict, settings.verify, {settings.host_limit_bytes, settings.disk_limit_bytes}, options.flib_def},
          *options.partition_graphs);
    }
    graph::Partitions partitions;
    for (const auto& [device, graph] : *options.partition_graphs) partitions[device] = graph.get();
    for (auto& [device, graph] : *options.partition_graphs) {
      if (IsPassedOver(*graph)) continue;
      if (absl::Status status = Capture(options, partitions, device, *graph); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
};

using Registry = tensorflow::OptimizationPassRegistry;

void RegisterPass(Registry::Grouping grouping, int phase, std::unique_ptr<tensorflow::GraphOptimizationPass> pass) {
  Registry::Global()->Register(grouping, phase, std::move(pass));
}

}  // namespace

bool RegisterPasses() {
  const Settings& settings = GetSettings();
  const bool passes = !settings.capture_directory.empty() || !settings.strategy_path.empty();
  if (settings.disabled || (!passes && !settings.memory_limit_bytes.has_value())) return false;
  if (passes) {
    RegisterPass(Registry::PRE_PLACEMENT, kXlaPhase, std::make_unique<XlaPass>());
    RegisterPass(Registry::POST_PARTITIONING, graph::kSettlingPhase, std::make_unique<SettlingPass>());
    RegisterPass(Registry::POST_PARTITIONING, kPhase, std::make_unique<StrPass>());
  }
  return true;
}

}  // namespace str
