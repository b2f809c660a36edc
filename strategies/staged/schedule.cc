#include "strategies/staged/schedule.h"

#include <algorithm>

namespace str::strategies {
namespace {

using optimizer::Action;
using optimizer::Program;
using optimizer::Step;

// Whether some consumer of `value` beyond `after` is computed in the stage.
bool UsedLater(const StagedGraph& graph, const StageMatrix& computed, int stage, int value, int after) {
  for (const int consumer : graph.node(value).consumers) {
    if (consumer > after && computed(stage, consumer)) return true;
  }
  return false;
}

}  // namespace

StageMatrix LeastComputed(const StagedGraph& graph, const StageMatrix& held) {
  const int size = graph.size();
  StageMatrix computed(size);
  for (int stage = 0; stage < size; ++stage) {
    computed.Set(stage, stage, true);
    if (stage + 1 < size) {
      for (int i = 0; i < stage; ++i) {
        if (held(stage + 1, i) && !held(stage, i)) computed.Set(stage, i, true);
      }
    }
    for (int i = stage; i >= 0; --i) {
      if (!computed(stage, i)) continue;
      for (const int input : graph.node(i).inputs) {
        if (!held(stage, input)) computed.Set(stage, input, true);
      }
    }
  }
  return computed;
}

CheckmateFigures EvaluateAsCheckmate(const StagedGraph& graph, const Schedule& schedule) {
  const int size = graph.size();
  CheckmateFigures figures;
  std::vector<bool> live(size, false);
  int64_t bytes = 0;
  for (int stage = 0; stage < size; ++stage) {
    const auto free_if_done = [&](int value, int after) {
      const bool kept = stage + 1 < size && schedule.held(stage + 1, value);
      if (!live[value] || kept || UsedLater(graph, schedule.computed, stage, value, after)) return;
      live[value] = false;
      bytes -= graph.node(value).bytes;
    };
    for (int i = 0; i < size; ++i) free_if_done(i, i);
    for (int i = 0; i <= stage; ++i) {
      if (schedule.computed(stage, i)) {
        figures.seconds += graph.node(i).seconds;
        if (!live[i]) bytes += graph.node(i).bytes;
        live[i] = true;
        figures.peak_bytes = std::max(figures.peak_bytes, bytes);
      }
      free_if_done(i, i);
      for (const int input : graph.node(i).inputs) free_if_done(input, i);
    }
  }
  return figures;
}

Program ProgramOf(const optimizer::Graph& graph, const StagedGraph& staged, const StageMatrix& computed) {
  Program backwards;
  // By tensor: whether a later step takes the instance that is there now.
  std::vector<bool> taken(graph.tensor_count(), false);
  for (int stage = staged.size() - 1; stage >= 0; --stage) {
    for (int i = stage; i >= 0; --i) {
      if (!computed(stage, i)) continue;
      const optimizer::NodeId id = staged.node(i).node;
      const optimizer::Node& node = graph.node(id);
      bool wanted = i == stage;
      for (int output = 0; output < node.outputs; ++output) {
        wanted = wanted || taken[node.first_tensor + output];
        taken[node.first_tensor + output] = false;
      }
      if (!wanted) continue;
      backwards.push_back(Step{i == stage ? Action::kRun : Action::kRerun, id});
      for (const optimizer::TensorId input : graph.inputs(id)) taken[input] = true;
    }
  }
  return Program(backwards.rbegin(), backwards.rend());
}

}  // namespace str::strategies
