#include "optimizer/tools/explain_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "config/text_units.h"
#include "optimizer/explain/short_text.h"

namespace str::tools {
namespace {

using optimizer::Explanation;
using optimizer::Graph;
using optimizer::ShortBytes;
using optimizer::ShortSeconds;
using optimizer::TensorFate;

constexpr size_t kLiveShown = 8;
// Kept tensors below this part of the peak are counted, not shown.
constexpr int64_t kSmallPartOfPeak = 1000;

std::string LiveName(const Graph& graph, const optimizer::LiveBuffer& buffer) {
  return buffer.tensor == optimizer::kNone ? "(scratch)" : graph.TensorName(buffer.tensor);
}

bool IsShown(const Graph& graph, const Explanation& explanation, const TensorFate& fate) {
  if (fate.Decided()) return true;
  return fate.live_at_peak && graph.tensor(fate.tensor).bytes * kSmallPartOfPeak >= explanation.verdict.peak_bytes();
}

}  // namespace

std::string PeakText(const Graph& graph, const Explanation& explanation) {
  const optimizer::Simulation& simulation = explanation.verdict.simulation;
  std::string text = absl::StrCat("The peak of ", config::FormatBytes(explanation.verdict.peak_bytes()), " is ",
                                  ShortSeconds(simulation.timeline[simulation.peak_step].start), " into the step");
  if (explanation.peak_node != optimizer::kNone) {
    absl::StrAppend(&text, ", at node \"", graph.name(explanation.peak_node), "\" (", graph.op(explanation.peak_node),
                    ")");
  }
  absl::StrAppend(&text, ". Live then:\n");
  absl::StrAppendFormat(&text, "%12s  variables, arguments, constants\n", ShortBytes(graph.external_bytes()));
  int64_t rest = 0;
  for (size_t i = 0; i < simulation.live.size(); ++i) {
    const optimizer::LiveBuffer& buffer = simulation.live[i];
    if (i < kLiveShown) {
      absl::StrAppendFormat(&text, "%12s  %s\n", ShortBytes(buffer.rounded_bytes), LiveName(graph, buffer));
    } else {
      rest += buffer.rounded_bytes;
    }
  }
  if (simulation.live.size() > kLiveShown) {
    absl::StrAppendFormat(&text, "%12s  in %d smaller ones\n", ShortBytes(rest), simulation.live.size() - kLiveShown);
  }
  return text;
}

std::string TensorTable(const Graph& graph, const Explanation& explanation, bool all) {
  std::string text =
      absl::StrFormat("%12s %10s %10s %10s  %-24s %s\n", "bytes", "made", "last use", "costs", "fate", "tensor");
  int left_out = 0;
  int64_t left_out_bytes = 0;
  for (const TensorFate& fate : explanation.tensors) {
    const int64_t bytes = graph.tensor(fate.tensor).bytes;
    if (!all && !IsShown(graph, explanation, fate)) {
      ++left_out;
      left_out_bytes += bytes;
      continue;
    }
    absl::StrAppendFormat(&text, "%12s %10s %10s %10s  %-24s %s\n", ShortBytes(bytes), ShortSeconds(fate.made_seconds),
                          ShortSeconds(fate.last_use_seconds), ShortSeconds(fate.costs_seconds), fate.Fate(),
                          graph.TensorName(fate.tensor));
    absl::StrAppendFormat(&text, "%13s%s\n", "", fate.reason);
  }
  if (left_out > 0) {
    absl::StrAppendFormat(
        &text, "%12s  in %d more tensors that are kept, and small or not live at the peak; --all shows them\n",
        ShortBytes(left_out_bytes), left_out);
  }
  return text;
}

std::string TensorText(const Graph& graph, const TensorFate& fate, optimizer::TensorId asked) {
  const optimizer::Tensor& tensor = graph.tensor(fate.tensor);
  std::string text;
  const auto line = [&](absl::string_view name, absl::string_view value) {
    absl::StrAppendFormat(&text, "%-22s %s\n", name, value);
  };
  line("tensor", graph.TensorName(asked));
  if (asked != fate.tensor) line("shares the buffer of", graph.TensorName(fate.tensor));
  line("made by", graph.op(tensor.node));
  line("size", config::FormatBytes(tensor.bytes));
  line("made", absl::StrCat(ShortSeconds(fate.made_seconds), " into the step"));
  line("last use", absl::StrCat(ShortSeconds(fate.last_use_seconds), " into the step"));
  line("live at the peak", fate.live_at_peak ? "yes" : "no");
  line("fate", fate.Fate());
  if (fate.Decided()) {
    line("costs", ShortSeconds(fate.costs_seconds));
    line("peak if it were kept", config::FormatBytes(fate.peak_without_bytes));
  }
  line("why", fate.reason);
  return text;
}

JsonObject ExplanationJson(const Graph& graph, const Explanation& explanation) {
  JsonObject json;
  json.Add("peak_bytes", explanation.verdict.peak_bytes());
  if (explanation.peak_node == optimizer::kNone) {
    json.AddNull("peak_node");
  } else {
    json.Add("peak_node", graph.name(explanation.peak_node));
  }
  std::vector<std::string> live, tensors;
  for (const optimizer::LiveBuffer& buffer : explanation.verdict.simulation.live) {
    JsonObject row;
    row.Add("tensor", LiveName(graph, buffer));
    row.Add("bytes", buffer.rounded_bytes);
    live.push_back(row.Text());
  }
  json.AddRaw("live_at_peak", JsonArray(live));
  for (const TensorFate& fate : explanation.tensors) {
    JsonObject row;
    row.Add("tensor", graph.TensorName(fate.tensor));
    row.Add("op", graph.op(graph.tensor(fate.tensor).node));
    row.Add("bytes", graph.tensor(fate.tensor).bytes);
    row.Add("made_seconds", fate.made_seconds);
    row.Add("last_use_seconds", fate.last_use_seconds);
    row.Add("fate", fate.Fate());
    row.Add("swaps", fate.swaps);
    row.Add("reruns", fate.reruns);
    row.AddRaw("live_at_peak", fate.live_at_peak ? "true" : "false");
    row.Add("copy_seconds", fate.copy_seconds);
    row.Add("waiting_seconds", fate.waiting_seconds);
    row.Add("costs_seconds", fate.costs_seconds);
    row.Add("peak_without_bytes", fate.peak_without_bytes);
    row.Add("reason", fate.reason);
    tensors.push_back(row.Text());
  }
  json.AddRaw("tensors", JsonArray(tensors));
  return json;
}

}  // namespace str::tools
