#include "config/strategy_against_graph.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "config/in_program.h"
#include "config/instances.h"
#include "config/step_text.h"
#include "config/tensor_name.h"

namespace str::config {
namespace {

constexpr int kNever = -1;

class Checker {
 public:
  Checker(const StrategyFile& strategy, const GraphFile& graph) : strategy_(strategy), graph_(graph) {}

  // The first difference, as InvalidArgument.
  absl::Status Check();

 private:
  absl::StatusOr<int> FindNode(absl::string_view name) const;
  absl::Status CheckRun(int node, const Step& step) const;
  absl::Status CheckInputsOnDevice(int node) const;
  absl::Status CheckSwap(absl::string_view tensor) const;
  absl::Status CheckStep(int index);
  void FindFirstRuns();

  // For error messages about order: calls `use` with each node that `node` needs and how it needs it.
  template <typename Use>
  void ForEachNeed(const Node& node, Use use) const {
    for (const std::string& input : node.input()) use(node_index_.at(ParseTensorName(input)->node), "input", input);
    for (const std::string& control : node.control()) use(node_index_.at(control), "control", control);
  }

  const StrategyFile& strategy_;
  const GraphFile& graph_;
  absl::flat_hash_map<absl::string_view, int> node_index_;
  // Per node the step of its first run, or kNever.
  std::vector<int> first_run_;
  // Per node the node whose first run must be over before this one's outputs are there: itself, or, if it is not in the
  // program, the last of those it needs; kNever if that is none.
  std::vector<int> ready_after_;
  Instances instances_;
};

absl::StatusOr<int> Checker::FindNode(absl::string_view name) const {
  const auto found = node_index_.find(name);
  if (found == node_index_.end()) {
    return absl::InvalidArgumentError(absl::StrCat("the graph has no node \"", name, "\""));
  }
  return found->second;
}

void Checker::FindFirstRuns() {
  for (int i = 0; i < graph_.node_size(); ++i) node_index_.emplace(graph_.node(i).name(), i);
  first_run_.assign(graph_.node_size(), kNever);
  for (int i = 0; i < strategy_.step_size(); ++i) {
    if (!strategy_.step(i).has_run()) continue;
    const auto found = node_index_.find(strategy_.step(i).run());
    if (found != node_index_.end()) first_run_[found->second] = i;
  }
  ready_after_.assign(graph_.node_size(), kNever);
  for (int i = 0; i < graph_.node_size(); ++i) {
    if (first_run_[i] != kNever) {
      ready_after_[i] = i;
      continue;
    }
    int& latest = ready_after_[i];
    ForEachNeed(graph_.node(i), [&](int need, absl::string_view, absl::string_view) {
      const int candidate = ready_after_[need];
      if (candidate != kNever && (latest == kNever || first_run_[candidate] > first_run_[latest])) latest = candidate;
    });
  }
}

absl::Status Checker::CheckRun(int index, const Step& step) const {
  const Node& node = graph_.node(index);
  if (step.output_size() != node.output_size()) {
    return absl::InvalidArgumentError(absl::StrCat("the node has ", node.output_size(),
                                                   " outputs in the graph, the strategy lists ", step.output_size()));
  }
  for (int i = 0; i < node.output_size(); ++i) {
    const std::string shape = ShapeText(node.output(i));
    if (shape != step.output(i)) {
      return absl::InvalidArgumentError(
          absl::StrCat("output ", i, " is ", shape, " in the graph, ", step.output(i), " in the strategy"));
    }
  }
  absl::Status order;
  ForEachNeed(node, [&](int need, absl::string_view kind, absl::string_view text) {
    const int after = ready_after_[need];
    if (!order.ok() || after == kNever || first_run_[after] < first_run_[index]) return;
    order = absl::InvalidArgumentError(
        absl::StrCat("runs before \"", graph_.node(after).name(), "\", which its ", kind, " \"", text, "\" needs"));
  });
  return order;
}

absl::Status Checker::CheckInputsOnDevice(int index) const {
  for (const std::string& input : graph_.node(index).input()) {
    if (instances_.OnHostOnly(input)) {
      return absl::InvalidArgumentError(
          absl::StrCat("takes \"", input, "\", which was swapped out and not brought back"));
    }
  }
  return absl::OkStatus();
}

absl::Status Checker::CheckSwap(absl::string_view tensor) const {
  const absl::StatusOr<TensorName> name = ParseTensorName(tensor);
  if (!name.ok()) return name.status();
  const absl::StatusOr<int> node = FindNode(name->node);
  if (!node.ok()) return node.status();
  const int outputs = graph_.node(*node).output_size();
  if (name->output < outputs) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the node has ", outputs, " outputs"));
}

absl::Status Checker::CheckStep(int index) {
  const Step& step = strategy_.step(index);
  if (step.has_run() || step.has_rerun()) {
    const absl::StatusOr<int> node = FindNode(StepTarget(step));
    if (!node.ok()) return node.status();
    if (step.has_rerun() && graph_.node(*node).recompute() != RECOMPUTE_ALLOWED) {
      return absl::InvalidArgumentError(
          absl::StrCat("the node must not be run again: ", Recompute_Name(graph_.node(*node).recompute())));
    }
    absl::Status status = step.has_run() ? CheckRun(*node, step) : absl::OkStatus();
    if (status.ok()) status = CheckInputsOnDevice(*node);
    if (!status.ok()) return status;
  } else if (absl::Status swap = CheckSwap(StepTarget(step)); !swap.ok()) {
    return swap;
  }
  return instances_.Apply(step);
}

absl::Status Checker::Check() {
  FindFirstRuns();
  for (int i = 0; i < strategy_.step_size(); ++i) {
    if (absl::Status step = CheckStep(i); !step.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(StepText(strategy_, i), ": ", step.message()));
    }
  }
  for (int i = 0; i < graph_.node_size(); ++i) {
    if (first_run_[i] == kNever && InProgram(graph_.node(i).recompute())) {
      return absl::InvalidArgumentError(
          absl::StrCat("node \"", graph_.node(i).name(), "\" of the graph is never run; is the strategy cut off?"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckStrategyAgainstGraph(const StrategyFile& strategy, const GraphFile& graph) {
  if (!strategy.tensorflow_version().empty() && !graph.tensorflow_version().empty() &&
      strategy.tensorflow_version() != graph.tensorflow_version()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the strategy was made with TensorFlow ", strategy.tensorflow_version(),
                     ", the graph comes from TensorFlow ", graph.tensorflow_version(), "; capture and plan again"));
  }
  const absl::Status difference = Checker(strategy, graph).Check();
  if (strategy.graph_fingerprint() != graph.fingerprint()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the strategy was made for another graph (fingerprint ", strategy.graph_fingerprint(),
                     ", this one has ", graph.fingerprint().empty() ? "none" : graph.fingerprint(), "); ",
                     difference.ok() ? "names, outputs and order are the same, so operations or edges differ"
                                     : absl::StrCat("first difference: ", difference.message())));
  }
  if (!difference.ok()) return absl::FailedPreconditionError(difference.message());
  return absl::OkStatus();
}

}  // namespace str::config
