#include "optimizer/tools/infeasible_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "config/text_units.h"

namespace str::tools {
namespace {

constexpr size_t kTensorsShown = 8;

std::string FirstLine(absl::string_view strategy, int64_t budget_bytes) {
  return absl::StrCat("STR-1001: no plan of strategy ", strategy, " fits the budget of ",
                      config::FormatBytes(budget_bytes), ".\n");
}

}  // namespace

Bottleneck FindBottleneck(const optimizer::Graph& graph, const optimizer::Program& program,
                          const optimizer::Verdict& verdict) {
  Bottleneck bottleneck;
  // A swap_in can be the first step to reach the peak; the node that needs it follows.
  size_t step = verdict.simulation.peak_step;
  while (step + 1 < program.size() && !optimizer::Computes(program[step].action)) ++step;
  if (optimizer::Computes(program[step].action)) {
    bottleneck.node = graph.name(program[step].id);
    bottleneck.op = graph.op(program[step].id);
  }
  for (const optimizer::LiveBuffer& buffer : verdict.simulation.live) {
    const bool named = buffer.tensor != optimizer::kNone;
    bottleneck.held.push_back({named ? graph.TensorName(buffer.tensor) : "(scratch)", buffer.rounded_bytes});
  }
  return bottleneck;
}

std::string InfeasibleText(absl::string_view strategy, int64_t budget_bytes, int64_t min_budget_bytes,
                           int64_t external_bytes, const Bottleneck& bottleneck) {
  std::string text = FirstLine(strategy, budget_bytes);
  absl::StrAppend(&text, "  smallest feasible budget: ", config::FormatBytes(min_budget_bytes), "\n");
  absl::StrAppend(&text, "  the peak is at node \"", bottleneck.node, "\" (", bottleneck.op, "), which cannot do with ",
                  "less than\n");
  absl::StrAppendFormat(&text, "    %-40s variables, arguments, constants\n", config::FormatBytes(external_bytes));
  for (size_t i = 0; i < std::min(kTensorsShown, bottleneck.held.size()); ++i) {
    absl::StrAppendFormat(&text, "    %-40s %s\n", config::FormatBytes(bottleneck.held[i].bytes),
                          bottleneck.held[i].what);
  }
  if (bottleneck.held.size() > kTensorsShown) {
    int64_t rest = 0;
    for (size_t i = kTensorsShown; i < bottleneck.held.size(); ++i) rest += bottleneck.held[i].bytes;
    absl::StrAppendFormat(&text, "    %-40s in %d smaller ones\n", config::FormatBytes(rest),
                          bottleneck.held.size() - kTensorsShown);
  }
  absl::StrAppend(&text, "  try: a budget of at least ", min_budget_bytes, "; a smaller batch or image",
                  strategy == "str" ? "" : "; --strategy=str, which swaps and recomputes", "\n");
  return text;
}

std::string InfeasibleText(absl::string_view strategy, int64_t budget_bytes) {
  return absl::StrCat(FirstLine(strategy, budget_bytes),
                      "  its smallest feasible budget is not known\n"
                      "  try: a larger budget; --strategy=str, which swaps and recomputes and tells its smallest\n");
}

void AddBottleneck(const Bottleneck& bottleneck, JsonObject* json) {
  json->Add("peak_node", bottleneck.node);
  std::vector<std::string> tensors;
  for (size_t i = 0; i < std::min(kTensorsShown, bottleneck.held.size()); ++i) {
    JsonObject tensor;
    tensor.Add("tensor", bottleneck.held[i].what);
    tensor.Add("bytes", bottleneck.held[i].bytes);
    tensors.push_back(tensor.Text());
  }
  json->AddRaw("largest_tensors", JsonArray(tensors));
}

}  // namespace str::tools
