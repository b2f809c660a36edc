#include "optimizer/importers/mksch_verifier.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace str::optimizer {
namespace {

class Runner {
 public:
  explicit Runner(const MkschGraph& graph)
      : graph_(graph),
        value_(graph.variables.size(), false),
        gradient_(graph.variables.size(), false),
        runs_(graph.functions.size(), 0),
        made_(graph.functions.size()),
        due_(graph.variables.size(), 0) {
    for (size_t f = 0; f < graph.functions.size(); ++f) made_[f].assign(graph.functions[f].outputs.size(), false);
    for (size_t f = graph.forward_functions(); f < graph.functions.size(); ++f) {
      for (const int variable : graph.functions[f].outputs) ++due_[variable];
    }
  }

  // What is wrong with the line; empty: nothing.
  std::string Run(const std::vector<std::string>& words) {
    std::vector<int> numbers;
    const bool forget = words[0] == "forget" && words.size() == 3;
    if (!forget && (words[0] != "compute" || words.size() < 2)) return "neither compute nor forget";
    for (size_t i = 1; i < (forget ? 2 : words.size()); ++i) {
      int number = 0;
      if (!absl::SimpleAtoi(words[i], &number) || number < 0) return "no number";
      numbers.push_back(number);
    }
    if (forget) return Forget(numbers[0], words[2]);
    const int function = numbers[0];
    numbers.erase(numbers.begin());
    return function < graph_.forward_functions() ? Forward(function) : Backward(function, numbers);
  }

  std::string Finish() {
    for (int f = 0; f < static_cast<int>(made_.size()); ++f) {
      const bool forward = f < graph_.forward_functions();
      if (forward && runs_[f] == 0) return absl::StrCat("function ", f, " was never run");
      if (!forward && std::find(made_[f].begin(), made_[f].end(), false) != made_[f].end()) {
        return absl::StrCat("not every gradient of function ", f, " was made");
      }
      if (forward) figures_.recompute_time += (runs_[f] - 1) * Time(f);
    }
    return "";
  }

  const MkschFigures& figures() const { return figures_; }

 private:
  int64_t Time(int function) const { return absl::StartsWith(graph_.functions[function].type, "Conv") ? 10 : 1; }

  std::string CheckInputs(int function) const {
    for (const MkschInput& input : graph_.functions[function].inputs) {
      const MkschVariable& variable = graph_.variables[input.variable];
      if (!input.gradient && !variable.leaf() && !value_[input.variable]) {
        return absl::StrCat("the value of ", input.variable, " is not there");
      }
      // Complete, unless it is that of the last value.
      const bool last = input.gradient && made_by_[input.variable] == 0 && due_[input.variable] == 0;
      if (input.gradient && !last && (!gradient_[input.variable] || due_[input.variable] > 0)) {
        return absl::StrCat("the gradient of ", input.variable, " is not there");
      }
    }
    return "";
  }

  std::string Forward(int function) {
    if (std::string wrong = CheckInputs(function); !wrong.empty()) return wrong;
    ++runs_[function];
    value_[graph_.functions[function].outputs[0]] = true;
    Count();
    return "";
  }

  std::string Backward(int function, const std::vector<int>& outputs) {
    if (function >= static_cast<int>(graph_.functions.size()) || outputs.empty()) return "no such function or output";
    if (std::string wrong = CheckInputs(function); !wrong.empty()) return wrong;
    for (const int output : outputs) {
      if (output >= static_cast<int>(made_[function].size())) return "no such output";
      if (made_[function][output]) return absl::StrCat("output ", output, " was made before");
      made_[function][output] = true;
      const int variable = graph_.functions[function].outputs[output];
      if (made_by_[variable] > 0 && !gradient_[variable]) {
        return absl::StrCat("adds to the gradient of ", variable, ", which is not there");
      }
      ++made_by_[variable];
      --due_[variable];
      gradient_[variable] = true;
    }
    Count();
    return "";
  }

  std::string Forget(int variable, const std::string& direction) {
    if (variable >= static_cast<int>(value_.size())) return "no such variable";
    if (direction != "forward" && direction != "backward") return "neither forward nor backward";
    std::vector<bool>& held = direction == "forward" ? value_ : gradient_;
    if (!held[variable]) return "there is nothing to forget";
    held[variable] = false;
    return "";
  }

  void Count() {
    int64_t bytes = 0, leaves = 0;
    for (size_t i = 0; i < value_.size(); ++i) {
      const MkschVariable& variable = graph_.variables[i];
      bytes += variable.bytes * (value_[i] + gradient_[i]);
      if (variable.leaf()) leaves += variable.bytes * gradient_[i];
    }
    figures_.peak_bytes = std::max(figures_.peak_bytes, bytes);
    figures_.peak_bytes_without_leaves = std::max(figures_.peak_bytes_without_leaves, bytes - leaves);
  }

  const MkschGraph& graph_;
  std::vector<bool> value_, gradient_;
  std::vector<int> runs_;
  // By backward function and output.
  std::vector<std::vector<bool>> made_;
  // By variable: contributions to its gradient that are still to come, and that came.
  std::vector<int> due_;
  std::vector<int> made_by_ = std::vector<int>(value_.size(), 0);
  MkschFigures figures_;
};

}  // namespace

absl::StatusOr<MkschFigures> RunMkschSchedule(const MkschGraph& graph, absl::string_view schedule) {
  Runner runner(graph);
  int number = 0;
  for (absl::string_view line : absl::StrSplit(schedule, '\n')) {
    ++number;
    const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.empty()) continue;
    if (const std::string wrong = runner.Run(words); !wrong.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ", \"", line, "\": ", wrong));
    }
  }
  if (const std::string wrong = runner.Finish(); !wrong.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("at the end: ", wrong));
  }
  return runner.figures();
}

}  // namespace str::optimizer
