#include "optimizer/explain/explanation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "config/graph.pb.h"
#include "optimizer/explain/short_text.h"
#include "optimizer/explain/undo.h"
#include "optimizer/simulator/bindings.h"

namespace str::optimizer {
namespace {

// Waiting for copies below this share of their time is as good as none.
constexpr double kHiddenShare = 0.01;

// How a buffer is used around the step at which memory is highest.
struct AroundPeak {
  bool used_there = false;
  double last_before_seconds = 0;
  double next_seconds = 0;
};

class Explainer {
 public:
  Explainer(const Graph& graph, const Costs& costs, const Program& program, int64_t budget_bytes)
      : graph_(graph),
        costs_(costs),
        program_(program),
        budget_bytes_(budget_bytes),
        row_of_(graph.tensor_count(), kNone) {}

  absl::StatusOr<Explanation> Run() {
    absl::StatusOr<Verdict> verdict = Judge(graph_, costs_, program_);
    if (!verdict.ok()) return verdict.status();
    result_.verdict = *std::move(verdict);
    FindPeakNode();
    if (absl::Status status = Walk(); !status.ok()) return status;
    for (const LiveBuffer& buffer : result_.verdict.simulation.live) {
      if (TensorFate* fate = FateOf(buffer.tensor); fate != nullptr) fate->live_at_peak = true;
    }
    Simulator simulator(&graph_, &costs_);
    for (size_t row = 0; row < result_.tensors.size(); ++row) {
      TensorFate& fate = result_.tensors[row];
      fate.peak_without_bytes = result_.verdict.peak_bytes();
      if (fate.Decided()) {
        if (absl::Status status = TakeBack(&simulator, &fate); !status.ok()) return status;
      }
      fate.reason = fate.Decided() ? WhyDecided(fate) : WhyKept(fate, around_peak_[row]);
    }
    return std::move(result_);
  }

 private:
  const Interval& Time(int step) const { return result_.verdict.simulation.timeline[step]; }

  // Null for what the step does not make: variables, arguments, constants, scratch.
  TensorFate* FateOf(TensorId tensor) {
    const int32_t row = tensor == kNone ? kNone : row_of_[graph_.tensor(tensor).root];
    return row == kNone ? nullptr : &result_.tensors[row];
  }

  // A copy in can be the first step to reach the peak; the node that needs it follows.
  void FindPeakNode() {
    peak_step_ = result_.verdict.simulation.peak_step;
    while (peak_step_ + 1 < static_cast<int>(program_.size()) && !Computes(program_[peak_step_].action)) ++peak_step_;
    if (Computes(program_[peak_step_].action)) result_.peak_node = program_[peak_step_].id;
  }

  // Goes through the program once and notes what happens to each buffer.
  absl::Status Walk() {
    Bindings bindings(&graph_);
    if (absl::Status status = bindings.Bind(program_); !status.ok()) return status;
    // Per instance when a copy brings it; 0: none does.
    std::vector<double> arrival(bindings.instances(), 0);
    double now = 0;
    for (int i = 0; i < static_cast<int>(program_.size()); ++i) {
      const Step& step = program_[i];
      const double duration = Time(i).end - Time(i).start;
      if (!Computes(step.action)) {
        TensorFate* const fate = FateOf(step.id);
        if (step.action == Action::kSwapIn) arrival[bindings.made(i)] = Time(i).end;
        if (step.action == Action::kSwapOutWait) now = Time(i).end;
        if (fate == nullptr) continue;
        fate->swaps += step.action == Action::kSwapOut;
        fate->disk_swaps += step.tier == Tier::kDisk;
        (step.action == Action::kSwapOutWait ? fate->waiting_seconds : fate->copy_seconds) += duration;
        continue;
      }
      const absl::Span<const TensorId> inputs = graph_.inputs(step.id);
      const double waited = Time(i).start - now;
      for (size_t k = 0; k < inputs.size(); ++k) {
        TensorFate* const fate = FateOf(inputs[k]);
        if (fate == nullptr) continue;
        Use(fate, i);
        // The last one to arrive is what the step waited for.
        if (waited > 0 && arrival[bindings.taken(i)[k]] == Time(i).start) fate->waiting_seconds += waited;
      }
      now = Time(i).end;
      Make(step, bindings, i);
    }
    return absl::OkStatus();
  }

  void Make(const Step& step, const Bindings& bindings, int index) {
    const Node& node = graph_.node(step.id);
    for (int i = 0; i < node.outputs; ++i) {
      const TensorId id = node.first_tensor + i;
      const Tensor& tensor = graph_.tensor(id);
      if (tensor.external || tensor.reads_variable || tensor.bytes == 0 || tensor.root != id) continue;
      if (step.action == Action::kRun) {
        row_of_[id] = static_cast<int32_t>(result_.tensors.size());
        TensorFate fate;
        fate.tensor = id;
        fate.made_seconds = fate.last_use_seconds = Time(index).end;
        result_.tensors.push_back(fate);
        around_peak_.emplace_back();
        around_peak_.back().last_before_seconds = Time(index).end;
        around_peak_.back().used_there = index == peak_step_;
      } else if (bindings.references(bindings.made(index) + i) > 0) {
        ++result_.tensors[row_of_[id]].reruns;
      }
    }
  }

  void Use(TensorFate* fate, int step) {
    fate->last_use_seconds = Time(step).end;
    AroundPeak& around = around_peak_[row_of_[fate->tensor]];
    if (step == peak_step_) around.used_there = true;
    if (step < peak_step_) around.last_before_seconds = Time(step).end;
    if (step > peak_step_ && around.next_seconds == 0) around.next_seconds = Time(step).start;
  }

  absl::Status TakeBack(Simulator* simulator, TensorFate* fate) {
    const absl::StatusOr<Program> without = Undo(graph_, program_, fate->tensor);
    if (!without.ok()) return without.status();
    Simulation simulation;
    if (absl::Status status = simulator->Run(*without, {}, &simulation); !status.ok()) return status;
    fate->costs_seconds = result_.verdict.seconds() - simulation.seconds;
    fate->peak_without_bytes = simulation.peak_bytes;
    return absl::OkStatus();
  }

  std::string WhyDecided(const TensorFate& fate) const {
    std::vector<std::string> parts;
    if (fate.swaps > 0) {
      parts.push_back(fate.waiting_seconds <= kHiddenShare * fate.copy_seconds
                          ? absl::StrCat(ShortSeconds(fate.copy_seconds), " of copies hidden behind computing")
                          : absl::StrCat("waits ", ShortSeconds(fate.waiting_seconds), " for copies of ",
                                         ShortSeconds(fate.copy_seconds)));
    }
    if (fate.reruns > 0) {
      parts.push_back(absl::StrCat("recomputing costs ", ShortSeconds(std::max(0.0, fate.costs_seconds))));
    }
    const int64_t more = fate.peak_without_bytes - result_.verdict.peak_bytes();
    std::string text = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) absl::StrAppend(&text, ", ", parts[i]);
    if (more <= 0) {
      return absl::StrCat(text, "; kept, the peak would be the same",
                          fate.costs_seconds > 0 ? " and the step faster" : "");
    }
    return absl::StrCat(text, "; kept, the peak would be ", ShortBytes(more), " higher, ",
                        fate.peak_without_bytes > budget_bytes_ ? "above the budget" : "still within the budget");
  }

  std::string WhyKept(const TensorFate& fate, const AroundPeak& around) const {
    if (!fate.live_at_peak) return "not live at the peak";
    if (around.used_there) return absl::StrCat("in use at the peak, by \"", graph_.name(result_.peak_node), "\"");
    if (around.next_seconds == 0) return "live at the peak: held to the end of the step";
    const Tensor& tensor = graph_.tensor(fate.tensor);
    const Node& node = graph_.node(tensor.node);
    std::string text =
        absl::StrCat("live at the peak: ", ShortSeconds(around.next_seconds - around.last_before_seconds),
                     " between its uses there, ");
    if (costs_.CopiesKnown()) {
      absl::StrAppend(&text, ShortSeconds(costs_.CopyOutSeconds(tensor.bytes) + costs_.CopyInSeconds(tensor.bytes)),
                      " of copies, ");
    }
    if (node.MayRerun()) {
      return absl::StrCat(text, "at least ", ShortSeconds(costs_.node_seconds[tensor.node]), " to recompute");
    }
    return absl::StrCat(text, "must not be recomputed (", config::Recompute_Name(node.recompute), ")");
  }

  const Graph& graph_;
  const Costs& costs_;
  const Program& program_;
  const int64_t budget_bytes_;
  // Per tensor that makes a buffer: its row in result_.tensors.
  std::vector<int32_t> row_of_;
  int peak_step_ = 0;
  std::vector<AroundPeak> around_peak_;
  Explanation result_;
};

}  // namespace

std::string TensorFate::Fate() const {
  const std::string recomputed = reruns == 1 ? "recomputed" : absl::StrCat("recomputed ", reruns, " times");
  const std::string swapped = disk_swaps > 0 ? "swapped to the disk" : "swapped";
  if (swaps > 0 && reruns > 0) return absl::StrCat(swapped, ", ", recomputed);
  return swaps > 0 ? swapped : reruns > 0 ? recomputed : "kept";
}

absl::StatusOr<Explanation> Explain(const Graph& graph, const Costs& costs, const Program& program,
                                    int64_t budget_bytes) {
  return Explainer(graph, costs, program, budget_bytes).Run();
}

}  // namespace str::optimizer
