#include "optimizer/explain/undo.h"

#include "optimizer/simulator/bindings.h"

namespace str::optimizer {
namespace {

// Whether the step, which computes again or copies, serves nobody.
bool IsIdle(const Graph& graph, const Program& program, const Bindings& bindings, int step) {
  switch (program[step].action) {
    case Action::kRun:
      return false;
    case Action::kRerun:
      for (int i = 0; i < graph.node(program[step].id).outputs; ++i) {
        if (bindings.references(bindings.made(step) + i) > 0) return false;
      }
      return true;
    case Action::kSwapIn:
      return bindings.references(bindings.made(step)) == 0;
    case Action::kSwapOut:
    case Action::kSwapOutWait:
      return bindings.host_copies()[bindings.copy(step)].last_swap_in == kNone;
  }
  return false;
}

}  // namespace

absl::StatusOr<Program> Undo(const Graph& graph, const Program& program, TensorId root) {
  Program rest;
  for (const Step& step : program) {
    const bool decided = step.action == Action::kRerun ? step.id == graph.tensor(root).node
                         : step.action == Action::kRun ? false
                                                       : graph.tensor(step.id).root == root;
    if (!decided) rest.push_back(step);
  }
  Bindings bindings(&graph);
  for (;;) {
    if (absl::Status status = bindings.Bind(rest); !status.ok()) return status;
    Program needed;
    for (size_t i = 0; i < rest.size(); ++i) {
      if (!IsIdle(graph, rest, bindings, static_cast<int>(i))) needed.push_back(rest[i]);
    }
    if (needed.size() == rest.size()) return rest;
    rest = std::move(needed);
  }
}

}  // namespace str::optimizer
