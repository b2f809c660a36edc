#include "optimizer/simulator/program.h"

#include <numeric>

#include "absl/strings/str_cat.h"

namespace str::optimizer {

absl::string_view ActionName(Action action) {
  switch (action) {
    case Action::kRun:
      return "run";
    case Action::kRerun:
      return "rerun";
    case Action::kSwapOut:
      return "swap_out";
    case Action::kSwapOutWait:
      return "swap_out_wait";
    case Action::kSwapIn:
      return "swap_in";
  }
  return "";
}

std::string StepName(const Graph& graph, const Program& program, int index) {
  const Step& step = program[index];
  return absl::StrCat("step ", index + 1, " (", ActionName(step.action), " \"",
                      Computes(step.action) ? graph.name(step.id) : graph.TensorName(step.id), "\")");
}

Program KeepAll(const Graph& graph, const std::vector<NodeId>& order) {
  Program program;
  program.reserve(order.size());
  for (NodeId node : order) {
    if (graph.node(node).in_program) program.push_back({Action::kRun, node});
  }
  return program;
}

std::vector<NodeId> CapturedOrder(const Graph& graph) {
  std::vector<NodeId> order(graph.node_count());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

ProgramCounts Count(const Graph& graph, const Program& program) {
  ProgramCounts counts;
  std::vector<bool> decided(graph.tensor_count(), false);
  const auto decide = [&](TensorId tensor) {
    if (!decided[tensor]) ++counts.tensors_decided;
    decided[tensor] = true;
  };
  for (const Step& step : program) {
    if (step.action == Action::kSwapOut) {
      counts.swapped_bytes += graph.tensor(step.id).bytes;
      ++counts.swapped_tensors;
      decide(step.id);
    } else if (step.action == Action::kRerun) {
      ++counts.recomputed_nodes;
      if (IsView(graph, step.id)) continue;
      const Node& node = graph.node(step.id);
      for (int i = 0; i < node.outputs; ++i) decide(node.first_tensor + i);
    }
  }
  return counts;
}

bool IsView(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  for (int i = 0; i < node.outputs; ++i) {
    if (graph.tensor(node.first_tensor + i).view_of == kNone) return false;
  }
  return node.outputs > 0;
}

}  // namespace str::optimizer
