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
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tensorflow/core/common_runtime/optimization_registry.h"
#include "tf_plugin/automatic/automatic_planning.h"
#include "tf_plugin/capture/capture_pass.h"
#include "tf_plugin/device/device_memories.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/graph/canonical_choices.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/graph/xla_calls.h"
#include "tf_plugin/messages.h"
#include "tf_plugin/rewrite/rewrite_pass.h"
#include "tf_plugin/rewrite/step_function.h"
#include "tf_plugin/rewrite/strategy_store.h"
#include "tf_plugin/settings.h"
#include "tf_plugin/training_seen.h"

namespace str {
namespace {

using tensorflow::Graph;
using tensorflow::GraphOptimizationPassOptions;

// After every pass of TensorFlow's own.
constexpr int kPhase = 1000;
// Before functions are inlined (10).
constexpr int kXlaPhase = 0;

// "train_d" of "__inference_train_d_539". TensorFlow 2.21 names the function only as a prefix for dumps; in a session
// that prefix is something else.
std::string NameOf(const GraphOptimizationPassOptions& options) {
  if (!options.is_function_graph) return "training_step";
  absl::string_view name = options.debug_filename_prefix;
  absl::ConsumePrefix(&name, "__inference_");
  const size_t last = name.find_last_not_of("0123456789");
  if (last != name.npos && last + 1 < name.size() && name[last] == '_') name = name.substr(0, last);
  return name.empty() ? "training_step" : std::string(name);
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
    capture::CaptureByRunning(view, name, short_device, capture::WriteTo(settings.capture_directory));
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
    // Each is about a training step.
    if (!texts->empty()) NoteTrainingStep();
    return absl::OkStatus();
  }
};

rewrite::RewriteOptions OptionsOf(const Settings& settings, const GraphOptimizationPassOptions& options) {
  return {settings.strict, settings.verify, {settings.host_limit_bytes, settings.disk_limit_bytes}, options.flib_def};
}

// Under STR_BUDGET.
absl::Status PlanStep(const GraphOptimizationPassOptions& options) {
  const Settings& settings = GetSettings();
  for (auto& [device, graph] : *options.partition_graphs) {
    if (IsPassedOver(*graph) || rewrite::IsWrapped(*graph) || !graph::IsTrainingGraph(*graph)) continue;
    const std::string name = NameOf(options);
    const std::string short_device = device::ShortDeviceName(device);
    std::string reason = device::WhyNotObserved(short_device);
    if (reason.empty()) reason = graph::WhyNotPlannable(*graph);
    if (reason.empty() && (options.partition_graphs->size() > 1 || !absl::StartsWith(short_device, "CPU"))) {
      reason = "STR_BUDGET is for steps that run on the CPU alone; capture and plan it instead (README)";
    }
    if (reason.empty()) {
      const automatic::AutomaticOptions how = {*settings.budget, settings.memory_limit_bytes,
                                               OptionsOf(settings, options)};
      const absl::Status status = automatic::PlanAutomatically(how, name, short_device, graph);
      reason = std::string(status.message());
    }
    if (reason.empty()) continue;
    const std::string text = absl::StrCat(name, " is not planned: ", reason);
    if (settings.strict) return absl::FailedPreconditionError(absl::StrCat("STR-2008 ", text, " (STR_STRICT=1)"));
    SayOnce("STR-2008", absl::StrCat(text, ". Training goes on without a plan."));
  }
  return absl::OkStatus();
}

// The variable that asks for a training step; empty if none does.
std::string AskedFor(const Settings& settings) {
  if (settings.budget.has_value()) return "STR_BUDGET";
  if (!settings.capture_directory.empty()) return "STR_CAPTURE";
  return settings.strategy_path_was_set ? "STR_STRATEGY_FILE" : "";
}

void NoteTrainingSteps(const GraphOptimizationPassOptions& options) {
  for (const auto& [device, graph] : *options.partition_graphs) {
    if (graph::IsTrainingGraph(*graph)) NoteTrainingStep();
  }
}

class StrPass : public tensorflow::GraphOptimizationPass {
 public:
  absl::Status Run(const GraphOptimizationPassOptions& options) override {
    if (options.partition_graphs == nullptr) return absl::OkStatus();
    NoteTrainingSteps(options);
    const Settings& settings = GetSettings();
    if (settings.budget.has_value()) return PlanStep(options);
    if (settings.capture_directory.empty()) {
      return rewrite::RewritePartitions(
          rewrite::ProcessStrategies(),
          OptionsOf(settings, options),
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
  const bool passes =
      settings.budget.has_value() || !settings.capture_directory.empty() || !settings.strategy_path.empty();
  if (settings.disabled || (!passes && !settings.memory_limit_bytes.has_value())) return false;
  if (passes) {
    RegisterPass(Registry::PRE_PLACEMENT, kXlaPhase, std::make_unique<XlaPass>());
    RegisterPass(Registry::POST_PARTITIONING, graph::kSettlingPhase, std::make_unique<SettlingPass>());
    RegisterPass(Registry::POST_PARTITIONING, kPhase, std::make_unique<StrPass>());
    if (const std::string asked = AskedFor(settings); !asked.empty()) SayAtExitIfNoneSeen(asked);
  }
  return true;
}

}  // namespace str
