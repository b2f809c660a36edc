#include "optimizer/tools/pins.h"

#include <regex>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "optimizer/simulator/bindings.h"

namespace str::tools {
namespace {

using optimizer::Action;
using optimizer::Graph;
using optimizer::TensorId;
using strategies::Pin;

absl::StatusOr<Pin> PinOf(absl::string_view* text) {
  const absl::string_view all = *text;
  if (absl::ConsumePrefix(text, "keep:")) return Pin::kKeep;
  if (absl::ConsumePrefix(text, "swap:")) return Pin::kSwap;
  if (absl::ConsumePrefix(text, "recompute:")) return Pin::kRecompute;
  return absl::InvalidArgumentError(absl::StrCat("--pin: \"", all, "\" must begin with keep:, swap: or recompute:"));
}

absl::Status AddPin(const std::string& text, const Graph& graph, std::vector<Pin>* pins) {
  absl::string_view rest = text;
  const absl::StatusOr<Pin> pin = PinOf(&rest);
  if (!pin.ok()) return pin.status();
  bool matched = false, may_rerun = false;
  try {
    const std::regex pattern{std::string(rest)};
    for (TensorId tensor = 0; tensor < graph.tensor_count(); ++tensor) {
      if (!std::regex_search(graph.TensorName(tensor), pattern)) continue;
      const TensorId root = graph.tensor(tensor).root;
      (*pins)[root] = *pin;
      matched = true;
      may_rerun |= graph.node(graph.tensor(root).node).MayRerun();
    }
  } catch (const std::regex_error& error) {
    return absl::InvalidArgumentError(absl::StrCat("--pin: \"", rest, "\" is no regular expression: ", error.what()));
  }
  if (!matched) return absl::InvalidArgumentError(absl::StrCat("--pin: no tensor matches \"", rest, "\""));
  if (*pin == Pin::kRecompute && !may_rerun) {
    return absl::InvalidArgumentError(absl::StrCat("--pin: no tensor that matches \"", rest, "\" may be recomputed"));
  }
  return absl::OkStatus();
}

// Whether running the node again serves an output that no pin rules it out for.
bool MayMakeAgain(const Graph& graph, optimizer::NodeId id, const std::vector<Pin>& pins) {
  const optimizer::Node& node = graph.node(id);
  for (int i = 0; i < node.outputs; ++i) {
    const Pin pin = pins[node.first_tensor + i];
    if (pin == Pin::kFree || pin == Pin::kRecompute) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<std::vector<Pin>> ParsePins(const std::vector<std::string>& texts, const Graph& graph) {
  if (texts.empty()) return std::vector<Pin>();
  std::vector<Pin> pins(graph.tensor_count(), Pin::kFree);
  for (const std::string& text : texts) {
    if (absl::Status status = AddPin(text, graph, &pins); !status.ok()) return status;
  }
  for (TensorId tensor = 0; tensor < graph.tensor_count(); ++tensor) pins[tensor] = pins[graph.tensor(tensor).root];
  return pins;
}

absl::Status CheckPins(const Graph& graph, const optimizer::Program& program, const std::vector<Pin>& pins) {
  if (pins.empty()) return absl::OkStatus();
  optimizer::Bindings bindings(&graph);
  if (absl::Status status = bindings.Bind(program); !status.ok()) return status;
  // Per instance: made by a rerun or a copy in.
  std::vector<Action> made_by(bindings.instances(), Action::kRun);
  for (int i = 0; i < static_cast<int>(program.size()); ++i) {
    const optimizer::Step& step = program[i];
    if (step.action == Action::kSwapIn) made_by[bindings.made(i)] = Action::kSwapIn;
    if (step.action == Action::kRerun && !MayMakeAgain(graph, step.id, pins)) {
      for (int k = 0; k < graph.node(step.id).outputs; ++k) made_by[bindings.made(i) + k] = Action::kRerun;
    }
    // Reruns may take what they like: a pin is about the uses of the step itself.
    if (step.action != Action::kRun) continue;
    for (size_t k = 0; k < graph.inputs(step.id).size(); ++k) {
      const TensorId tensor = graph.inputs(step.id)[k];
      if (graph.tensor(tensor).view_of != optimizer::kNone) continue;
      const Action action = made_by[bindings.taken(i)[k]];
      const bool wrong =
          (action == Action::kSwapIn && (pins[tensor] == Pin::kKeep || pins[tensor] == Pin::kRecompute)) ||
          (action == Action::kRerun && (pins[tensor] == Pin::kKeep || pins[tensor] == Pin::kSwap));
      if (!wrong) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("the plan ", action == Action::kSwapIn ? "swaps" : "recomputes", " \"", graph.TensorName(tensor),
                       "\", which --pin rules out: this strategy takes no such pins; use another one, such as str"));
    }
  }
  return absl::OkStatus();
}

}  // namespace str::tools
