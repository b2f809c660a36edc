#include "optimizer/simulator/program_order.h"

#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"

namespace str::optimizer {
namespace {

constexpr int kNeverRun = std::numeric_limits<int>::max();
constexpr int kFromTheStart = -1;

}  // namespace

absl::Status CheckProgramOrder(const Graph& graph, const Program& program) {
  std::vector<int> run_step(graph.node_count(), kNeverRun);
  for (size_t i = 0; i < program.size(); ++i) {
    if (program[i].action == Action::kRun) run_step[program[i].id] = static_cast<int>(i);
  }
  // Per node the step after which its outputs are there, and the node that this step runs.
  std::vector<int> ready_after(graph.node_count(), kFromTheStart);
  std::vector<NodeId> decided_by(graph.node_count(), kNone);
  for (NodeId node = 0; node < graph.node_count(); ++node) {
    int latest = kFromTheStart;
    NodeId latest_node = kNone;
    const auto need = [&](NodeId source) {
      if (ready_after[source] <= latest) return;
      latest = ready_after[source];
      latest_node = decided_by[source];
    };
    for (TensorId input : graph.inputs(node)) need(graph.tensor(input).node);
    for (NodeId control : graph.controls(node)) need(control);
    if (graph.node(node).in_program) {
      if (run_step[node] != kNeverRun && latest > run_step[node]) {
        return absl::InvalidArgumentError(absl::StrCat(StepName(graph, program, run_step[node]), ": runs before \"",
                                                       graph.name(latest_node), "\", which it needs"));
      }
      latest = run_step[node];
      latest_node = node;
    }
    ready_after[node] = latest;
    decided_by[node] = latest_node;
  }
  return absl::OkStatus();
}

}  // namespace str::optimizer
