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

StageMatrix LeastComputed(const StagedGraph& graph, const StageMatrix& held, const StageMatrix* restored) {
  const int size = graph.size();
  StageMatrix computed(size);
  for (int stage = 0; stage < size; ++stage) {
    computed.Set(stage, stage, true);
    if (stage + 1 < size) {
      for (int i = 0; i < stage; ++i) {
        const bool comes_back = restored != nullptr && (*restored)(stage, i);
        if (held(stage + 1, i) && !held(stage, i) && !comes_back) computed.Set(stage, i, true);
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

void AddSteps(const optimizer::Graph& graph, const StagedNode& node, bool first, Program* program) {
  for (const optimizer::NodeId id : node.nodes) {
    if (first || graph.node(id).MayRerun()) program->push_back(Step{first ? Action::kRun : Action::kRerun, id});
  }
}

Program WithoutUntaken(const optimizer::Graph& graph, const Program& program) {
  Program backwards;
  // By tensor: whether a later step takes the instance that is there now.
  std::vector<bool> taken(graph.tensor_count(), false);
  for (auto step = program.rbegin(); step != program.rend(); ++step) {
    if (!optimizer::Computes(step->action)) {
      const bool makes = step->action == Action::kSwapIn;
      if (makes && !taken[step->id]) continue;
      taken[step->id] = !makes;
      backwards.push_back(*step);
      continue;
    }
    const optimizer::Node& node = graph.node(step->id);
    bool wanted = step->action == Action::kRun;
    for (int output = 0; output < node.outputs; ++output) {
      wanted = wanted || taken[node.first_tensor + output];
    }
    if (!wanted) continue;
    for (int output = 0; output < node.outputs; ++output) taken[node.first_tensor + output] = false;
    for (const optimizer::TensorId input : graph.inputs(step->id)) taken[input] = true;
    backwards.push_back(*step);
  }
  return Program(backwards.rbegin(), backwards.rend());
}

Program ProgramOf(const optimizer::Graph& graph, const StagedGraph& staged, const StageMatrix& computed) {
  Program program;
  for (int stage = 0; stage < staged.size(); ++stage) {
    for (int i = 0; i <= stage; ++i) {
      if (computed(stage, i)) AddSteps(graph, staged.node(i), i == stage, &program);
    }
  }
  return WithoutUntaken(graph, program);
}

}  // namespace str::strategies
