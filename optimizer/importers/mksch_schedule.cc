#include "optimizer/importers/mksch_schedule.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace str::optimizer {
namespace {

// One compute line.
struct Line {
  int function = 0;
  std::vector<int> outputs;
};

// A variable's value or its gradient.
struct Held {
  int variable = 0;
  bool gradient = false;
};

class Writer {
 public:
  explicit Writer(const MkschGraph& graph) : graph_(graph) {
    for (std::vector<bool>& later : later_) later.assign(graph.variables.size(), false);
  }

  std::string Write(const std::vector<Line>& lines) {
    std::vector<std::string> text;
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      std::string forgets;
      for (const Held& held : Touched(*line)) {
        std::vector<bool>& later = later_[held.gradient];
        if (later[held.variable]) continue;
        later[held.variable] = true;
        absl::StrAppend(&forgets, "forget ", held.variable, held.gradient ? " backward\n" : " forward\n");
      }
      std::string compute = absl::StrCat("compute ", line->function);
      if (Backward(*line)) {
        for (const int output : line->outputs) absl::StrAppend(&compute, " ", output);
      } else {
        // Whatever was there of it before is another instance.
        later_[0][graph_.functions[line->function].outputs[0]] = false;
      }
      text.push_back(absl::StrCat(compute, "\n", forgets));
    }
    std::string all;
    for (auto part = text.rbegin(); part != text.rend(); ++part) all += *part;
    return all;
  }

 private:
  bool Backward(const Line& line) const { return line.function >= graph_.forward_functions(); }

  // What the line takes or makes, leaves aside.
  std::vector<Held> Touched(const Line& line) const {
    const MkschFunction& function = graph_.functions[line.function];
    std::vector<Held> touched;
    const auto add = [&](int variable, bool gradient) {
      if (!graph_.variables[variable].leaf()) touched.push_back({variable, gradient});
    };
    for (const int output : line.outputs) add(function.outputs[output], Backward(line));
    for (const MkschInput& input : function.inputs) {
      // The gradient of the last value is there from the start and no business of the schedule.
      if (!input.gradient || HasGradient(input.variable)) add(input.variable, input.gradient);
    }
    return touched;
  }

  bool HasGradient(int variable) const {
    for (size_t f = graph_.forward_functions(); f < graph_.functions.size(); ++f) {
      const std::vector<int>& outputs = graph_.functions[f].outputs;
      if (std::find(outputs.begin(), outputs.end(), variable) != outputs.end()) return true;
    }
    return false;
  }

  const MkschGraph& graph_;
  // By value or gradient, and variable: whether a later line needs it.
  std::vector<bool> later_[2];
};

}  // namespace

absl::StatusOr<std::string> MkschSchedule(const MkschGraph& graph, const std::vector<MkschNode>& nodes,
                                          const Program& program) {
  std::vector<Line> lines;
  for (const Step& step : program) {
    if (!Computes(step.action)) {
      return absl::InvalidArgumentError(
          "the plan copies tensors to the host, which mksch's schedules cannot say; use a strategy that only "
          "recomputes, such as kusumoto-exact");
    }
    const MkschNode& node = nodes[step.id];
    const bool backward = node.function >= graph.forward_functions();
    if (backward && !lines.empty() && lines.back().function == node.function) {
      lines.back().outputs.insert(lines.back().outputs.end(), node.outputs.begin(), node.outputs.end());
    } else {
      lines.push_back({node.function, node.outputs});
    }
  }
  for (Line& line : lines) std::sort(line.outputs.begin(), line.outputs.end());
  return Writer(graph).Write(lines);
}

}  // namespace str::optimizer
