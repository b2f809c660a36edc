#include "tf_plugin/rewrite/small_differences.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "config/in_program.h"
#include "config/step_text.h"
#include "config/tensor_name.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/core/framework/types.h"
#include "tf_plugin/device/device_memory.h"
#include "tf_plugin/graph/op_cost.h"
#include "tf_plugin/graph/op_facts.h"

namespace str::rewrite {
namespace {

using tensorflow::Node;

// Of the nodes of a program, at most one in so many may differ.
constexpr int kNodesPerDifference = 20;

// Bytes of "float[32,10]"; absent where they are not known.
std::optional<int64_t> BytesOf(absl::string_view output) {
  const size_t bracket = output.find('[');
  tensorflow::DataType type = tensorflow::DT_INVALID;
  if (bracket == absl::string_view::npos || !absl::EndsWith(output, "]")) return std::nullopt;
  if (!tensorflow::DataTypeFromString(std::string(output.substr(0, bracket)), &type)) return std::nullopt;
  int64_t bytes = tensorflow::DataTypeSize(type);
  const absl::string_view dims = output.substr(bracket + 1, output.size() - bracket - 2);
  for (absl::string_view dim : absl::StrSplit(dims, ',', absl::SkipEmpty())) {
    int64_t size = 0;
    if (!absl::SimpleAtoi(dim, &size) || size < 0) return std::nullopt;
    bytes *= size;
  }
  return bytes;
}

bool IsSmall(std::optional<int64_t> bytes) { return bytes.has_value() && *bytes < device::kSmallestPlannedBytes; }

bool IsSmall(const config::Step& run) {
  if (run.output().empty()) return false;
  for (const std::string& output : run.output()) {
    if (!IsSmall(BytesOf(output))) return false;
  }
  return true;
}

// Arguments, constants and handles are there during the whole step: holding one costs nothing.
bool IsExternal(const Node& node, const graph::GraphView& view) {
  const config::Recompute recompute = view.recompute[node.id()];
  return !config::InProgram(recompute) && recompute != config::RECOMPUTE_CONTROL_FLOW;
}

bool IsSmall(const Node& node, const graph::GraphView& view) {
  if (graph::VariableUseOf(node) != config::VARIABLE_NONE) return false;
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!IsSmall(graph::OutputBytes(node, i, view.shapes))) return false;
  }
  for (const tensorflow::Edge* edge : node.in_edges()) {
    if (edge->IsControlEdge() || IsExternal(*edge->src(), view)) continue;
    if (!IsSmall(graph::OutputBytes(*edge->src(), edge->src_output(), view.shapes))) return false;
  }
  return true;
}

bool HasOutputs(const Node& node, const config::Step& run, const graph::StaticShapes& shapes) {
  if (node.num_outputs() != run.output_size()) return false;
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (config::ShapeText(graph::DescribeOutput(node, i, shapes)) != run.output(i)) return false;
  }
  return true;
}

// The node that a step is about.
std::string NodeOf(const config::Step& step) {
  if (step.has_run() || step.has_rerun()) return std::string(config::StepTarget(step));
  const absl::StatusOr<config::TensorName> tensor = config::ParseTensorName(config::StepTarget(step));
  return tensor.ok() ? tensor->node : "";
}

}  // namespace

std::optional<AdaptedStrategy> AdaptToSmallDifferences(const config::StrategyFile& strategy,
                                                       const graph::GraphView& view) {
  if (strategy.tensorflow_version() != TF_Version()) return std::nullopt;
  absl::flat_hash_map<std::string, const Node*> here;
  for (const Node* node : view.order) {
    if (view.recompute[node->id()] != config::RECOMPUTE_CONTROL_FLOW) here[node->name()] = node;
  }
  AdaptedStrategy adapted;
  const auto note = [&](const std::string& node) {
    if (adapted.differing_nodes++ == 0) adapted.first = node;
  };
  absl::flat_hash_set<std::string> planned, left_out;
  for (const config::Step& step : strategy.step()) {
    if (!step.has_run()) continue;
    planned.insert(step.run());
    const auto node = here.find(step.run());
    if (node != here.end()) {
      if (!HasOutputs(*node->second, step, view.shapes)) return std::nullopt;
    } else {
      if (!IsSmall(step)) return std::nullopt;
      left_out.insert(step.run());
      note(step.run());
    }
  }
  for (const Node* node : view.order) {
    if (!config::InProgram(view.recompute[node->id()]) || planned.contains(node->name())) continue;
    if (!IsSmall(*node, view)) return std::nullopt;
    note(node->name());
  }
  if (adapted.differing_nodes == 0 ||
      adapted.differing_nodes * kNodesPerDifference > static_cast<int>(planned.size())) {
    return std::nullopt;
  }
  adapted.strategy = strategy;
  adapted.strategy.clear_step();
  for (const config::Step& step : strategy.step()) {
    if (!left_out.contains(NodeOf(step))) {
      *adapted.strategy.add_step() = step;
    } else if (!step.has_run()) {
      return std::nullopt;
    }
  }
  return adapted;
}

std::string ProbablePass(const std::string& node, const std::string& op) {
  struct Sign {
    const char* part;
    const char* pass;
  };
  static constexpr Sign kNameSigns[] = {
      {"ArithmeticOptimizer/", "Grappler's arithmetic optimizer"},
      {"ConstantFolding/", "Grappler's constant folding"},
      {"ConstantFoldingCtrl/", "Grappler's constant folding"},
      {"LayoutOptimizer", "Grappler's layout optimizer"},
      {"LoopOptimizer/", "Grappler's loop optimizer"},
      {"RemapperFusion", "Grappler's remapper"},
      {"ScopedAllocator", "Grappler's scoped allocator optimizer"},
      {"Func/", "function inlining"},
  };
  const auto advice = [](absl::string_view pass) {
    return absl::StrCat("; ", pass, " probably made another choice: capture and plan again");
  };
  for (const Sign& sign : kNameSigns) {
    if (absl::StrContains(node, sign.part)) return advice(sign.pass);
  }
  if (absl::StartsWith(op, "_Mkl")) return advice("oneDNN's layout pass");
  if (absl::StartsWith(op, "_Fused")) return advice("Grappler's remapper");
  return "";
}

}  // namespace str::rewrite
