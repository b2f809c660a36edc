#include "optimizer/testing/program_text.h"

#include "absl/log/check.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace str::optimizer {

Program ParseProgram(const Graph& graph, absl::string_view text) {
  Program program;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipWhitespace())) {
    Step step;
    if (absl::ConsumePrefix(&word, "again:")) step.action = Action::kRerun;
    if (absl::ConsumePrefix(&word, "out:")) step.action = Action::kSwapOut;
    if (absl::ConsumePrefix(&word, "disk:")) {
      step.action = Action::kSwapOut;
      step.tier = Tier::kDisk;
    }
    if (absl::ConsumePrefix(&word, "wait:")) step.action = Action::kSwapOutWait;
    if (absl::ConsumePrefix(&word, "in:")) step.action = Action::kSwapIn;
    int output = 0;
    if (!Computes(step.action)) {
      const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(word, ':');
      CHECK(absl::SimpleAtoi(parts.second, &output)) << word;
      word = parts.first;
    }
    const NodeId node = graph.FindNode(word);
    CHECK_NE(node, kNone) << word;
    step.id = Computes(step.action) ? node : graph.node(node).first_tensor + output;
    program.push_back(step);
  }
  return program;
}

std::string ProgramText(const Graph& graph, const Program& program) {
  std::string text;
  for (const Step& step : program) {
    static constexpr absl::string_view kPrefix[] = {"", "again:", "out:", "wait:", "in:"};
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    step.tier == Tier::kDisk ? "disk:" : kPrefix[static_cast<int>(step.action)],
                    Computes(step.action) ? graph.name(step.id) : graph.TensorName(step.id));
  }
  return text;
}

Costs MeasuredCosts(const config::GraphFile& file) {
  absl::StatusOr<Costs> costs = FindCosts(file, nullptr);
  CHECK(costs.ok()) << costs.status();
  return *std::move(costs);
}

}  // namespace str::optimizer
