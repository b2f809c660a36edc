#include "optimizer/tools/infeasible_text.h"

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

// Of nodes that no plan moves: held from the start of the step to its end.
int64_t OutsideProgramBytes(const optimizer::Graph& graph) {
  int64_t bytes = 0;
  for (optimizer::TensorId id = 0; id < graph.tensor_count(); ++id) {
    const optimizer::Tensor& tensor = graph.tensor(id);
    const bool held = !graph.node(tensor.node).in_program && !tensor.external && tensor.view_of == optimizer::kNone;
    if (held) bytes += tensor.rounded_bytes;
  }
  return bytes;
}

std::string JsonParts(absl::string_view key, const std::vector<Bottleneck::Part>& parts) {
  std::vector<std::string> rows;
  for (const Bottleneck::Part& part : parts) {
    JsonObject row;
    row.Add(key, part.what);
    row.Add("bytes", part.bytes);
    rows.push_back(row.Text());
  }
  return JsonArray(rows);
}

}  // namespace

Bottleneck FindBottleneck(const optimizer::Graph& graph, const optimizer::Program& program,
                          const optimizer::Verdict& verdict, int64_t min_budget_bytes) {
  Bottleneck bottleneck;
  // A swap_in can be the first step to reach the peak; the node that needs it follows.
  size_t step = verdict.simulation.peak_step;
  while (step + 1 < program.size() && !optimizer::Computes(program[step].action)) ++step;
  if (optimizer::Computes(program[step].action)) {
    bottleneck.node = graph.name(program[step].id);
    bottleneck.op = graph.op(program[step].id);
  }
  int64_t smaller_bytes = 0, temporary_bytes = 0, live_bytes = 0;
  int smaller = 0;
  for (const optimizer::LiveBuffer& buffer : verdict.simulation.live) {
    live_bytes += buffer.rounded_bytes;
    if (buffer.tensor == optimizer::kNone) {
      temporary_bytes += buffer.rounded_bytes;
    } else if (bottleneck.largest_tensors.size() < kTensorsShown) {
      bottleneck.largest_tensors.push_back({graph.TensorName(buffer.tensor), buffer.rounded_bytes});
    } else {
      smaller_bytes += buffer.rounded_bytes;
      ++smaller;
    }
  }
  const int64_t outside_bytes = OutsideProgramBytes(graph);
  bottleneck.parts.push_back({"variables, arguments, constants", verdict.peak_bytes() - live_bytes - outside_bytes});
  bottleneck.parts.insert(bottleneck.parts.end(), bottleneck.largest_tensors.begin(), bottleneck.largest_tensors.end());
  const auto add = [&](const std::string& what, int64_t bytes) {
    if (bytes > 0) bottleneck.parts.push_back({what, bytes});
  };
  add(absl::StrCat(smaller, " smaller tensor", smaller == 1 ? "" : "s"), smaller_bytes);
  add("temporary memory of the node", temporary_bytes);
  add("tensors of nodes that stay outside of any plan", outside_bytes);
  add("gaps between buffers as they are placed", min_budget_bytes - verdict.peak_bytes());
  return bottleneck;
}

std::string InfeasibleText(absl::string_view strategy, int64_t budget_bytes, int64_t min_budget_bytes,
                           const Bottleneck& bottleneck) {
  std::string text = FirstLine(strategy, budget_bytes);
  absl::StrAppend(&text, "  smallest feasible budget: ", config::FormatBytes(min_budget_bytes), "\n");
  absl::StrAppend(&text, "  the peak is at node \"", bottleneck.node, "\" (", bottleneck.op,
                  "), which cannot do with less than, in all\n");
  for (const Bottleneck::Part& part : bottleneck.parts) {
    absl::StrAppendFormat(&text, "    %-40s %s\n", config::FormatBytes(part.bytes), part.what);
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
  json->AddRaw("largest_tensors", JsonParts("tensor", bottleneck.largest_tensors));
  json->AddRaw("peak_parts", JsonParts("what", bottleneck.parts));
}

}  // namespace str::tools
