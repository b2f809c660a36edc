#include "tf_plugin/rewrite/plan_observer.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "config/text_units.h"
#include "tf_plugin/budget.h"
#include "tf_plugin/device/device_memories.h"
#include "tf_plugin/messages.h"

namespace str::rewrite {
namespace {

std::string RefusalsText(const RewriteResult& result) {
  std::string text = absl::StrCat(result.refusals.size(), " refused");
  if (!result.refusals.empty()) absl::StrAppend(&text, " [", absl::StrJoin(result.refusals, "; "), "]");
  return text;
}

// The measured peak may pass the budget by this much: what the prediction promises (docs/runtime.md).
constexpr double kPeakTolerance = 0.01;
constexpr int64_t kPeakToleranceBytes = int64_t{1} << 20;

// The highest peak that keeps a budget; 0: there is none.
int64_t Allowed(int64_t budget_bytes) {
  if (budget_bytes == 0) return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(budget_bytes * (1 + kPeakTolerance)) + kPeakToleranceBytes;
}

constexpr char kHalfUpdated[] =
    "The weights may be half updated: start again from a checkpoint. Capture and plan again; if it happens again, "
    "report it";
constexpr char kWrongValues[] = "The weights may be wrong: start again from a checkpoint. Report it";

}  // namespace

PlanObserver::PlanObserver(PlanPromise promise, const RewriteResult& result)
    : promise_(std::move(promise)), changes_(result.changes), refusals_(RefusalsText(result)) {
  for (size_t i = 0; i < promise_.nodes.size(); ++i) {
    if (promise_.nodes[i].need == ProgramNode::kMustRun) planned_places_ += promise_.strategy->step(i).place_size();
  }
}

PlanObserver::Step* PlanObserver::Find(int64_t step_id) {
  const auto found = steps_.find(step_id);
  return found == steps_.end() ? nullptr : &found->second;
}

void PlanObserver::Begin(int64_t step_id) {
  absl::MutexLock lock(&mutex_);
  const auto [entry, added] = steps_.emplace(step_id, promise_);
  Step& step = entry->second;
  ++step.calls_under_way;
  if (++step.calls > 1) step.values.reset();
  if (!added) return;
  if (!reported_ && promise_.tensors != nullptr) step.values.emplace(*promise_.tensors);
  if (device::DeviceMemory* const memory = this->memory(); memory != nullptr) {
    memory->PrepareArena(promise_.strategy->arena_bytes());
    step.memory_step = memory->BeginStep();
  }
}

device::DeviceMemory* PlanObserver::memory() const { return device::FindDeviceMemory(promise_.device); }

std::optional<device::StepMemory> PlanObserver::EndMemory(const Step& step) const {
  device::DeviceMemory* const memory = this->memory();
  return memory != nullptr ? memory->EndStep(step.memory_step) : std::nullopt;
}

void PlanObserver::Starting(int index, tensorflow::OpKernelContext& context, device::OpRecord& op) {
  op.in_marked_graph = true;
  op.places = &promise_.strategy->step(index).place();
  absl::MutexLock lock(&mutex_);
  Step* const step = Find(context.step_id());
  if (step == nullptr) return;
  step->runs.Starting(index);
  if (const config::Step& planned = promise_.strategy->step(index); planned.has_swap_out()) {
    const int64_t bytes = context.input(0).TotalBytes();
    step->swapped_bytes += bytes;
    if (planned.tier() == config::TIER_DISK) step->disk_bytes += bytes;
  }
  if (!step->values.has_value()) return;
  // What a kernel leaves unwritten must not differ between a value and the same value recomputed.
  op.fill_with_zeros = true;
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (context.has_input(i) && !context.input_is_ref(i)) {
      step->values->SawInput(index, i, context.input(i), promise_.nodes[index].name);
    }
  }
}

void PlanObserver::Finished(int index, tensorflow::OpKernelContext& context, const device::OpRecord& op, int64_t) {
  if (!context.status().ok() || !op.out_of_memory.empty()) return;
  absl::MutexLock lock(&mutex_);
  Step* const step = Find(context.step_id());
  if (step == nullptr || !step->values.has_value()) return;
  for (int i = 0; i < context.num_outputs(); ++i) {
    const tensorflow::Tensor* const output = context.mutable_output(i);
    if (output != nullptr) step->values->SawOutput(index, i, *output, promise_.nodes[index].name);
  }
}

void PlanObserver::Result(int64_t step_id, int index, const tensorflow::Tensor& value) {
  absl::MutexLock lock(&mutex_);
  Step* const step = Find(step_id);
  if (step != nullptr && step->values.has_value()) step->values->SawResult(index, value);
}

PlanObserver::Steps::node_type PlanObserver::Leave(int64_t step_id) {
  const auto step = steps_.find(step_id);
  if (step == steps_.end() || --step->second.calls_under_way > 0) return {};
  return steps_.extract(step);
}

absl::Status PlanObserver::Abandon(int64_t step_id, const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  if (Step* const step = Find(step_id); step != nullptr) step->failed = true;
  const auto ended = Leave(step_id);
  if (ended.empty()) return status;
  const Step& step = ended.mapped();
  EndMemory(step);
  if (step.calls > 1) return status;
  // Did the step fail because of the plan? Then the plan is not run again.
  const auto broken = [&](const std::string& code, const std::string& what, const std::string& advice) {
    return Broken(code, absl::StrCat(what, ", and the step failed: ", status.message()), advice);
  };
  if (!step.runs.Noted().empty()) return broken("STR-4001", step.runs.Noted(), kHalfUpdated);
  if (const std::string problem = step.values.has_value() ? step.values->Problem() : ""; !problem.empty()) {
    return broken("STR-4004", problem, kWrongValues);
  }
  return status;
}

absl::Status PlanObserver::NotBuilt(const absl::Status& status) {
  const std::string text = absl::StrCat("the planned step cannot be built: ", status.message(), ". Graph ",
                                        promise_.strategy->graph_fingerprint(), ". ");
  if (!promise_.strict) Say("STR-2003", absl::StrCat(text, "Training goes on without it."));
  return absl::FailedPreconditionError(absl::StrCat("STR-2003 ", text, "No step is run (STR_STRICT=1)."));
}

absl::Status PlanObserver::End(int64_t step_id, const std::vector<bool>& delivered) {
  absl::MutexLock lock(&mutex_);
  const auto ended = Leave(step_id);
  // Another call of the same step is under way, and nodes are counted for all together.
  if (ended.empty()) return CheckResults(delivered);
  const Step& step = ended.mapped();
  const std::optional<device::StepMemory> memory = EndMemory(step);
  if (const std::string problem = step.failed ? "" : step.runs.Problem(step.calls); !problem.empty()) {
    return Broken("STR-4001", problem, kHalfUpdated);
  }
  if (absl::Status status = CheckResults(delivered); !status.ok()) return status;
  if (step.calls > 1) return absl::OkStatus();
  if (const std::string problem = step.values.has_value() ? step.values->Problem() : ""; !problem.empty()) {
    return Broken("STR-4004", problem, kWrongValues);
  }
  if (memory.has_value() && !memory_checked_) {
    memory_checked_ = true;
    if (absl::Status status = CheckMemory(*memory); !status.ok()) return status;
  } else if (memory.has_value()) {
    SayIfLarger(*memory);
  }
  if (reported_) return absl::OkStatus();
  reported_ = true;
  Report(step, memory);
  return absl::OkStatus();
}

absl::Status PlanObserver::Broken(const std::string& code, const std::string& what, const std::string& advice) const {
  return absl::InternalError(
      absl::StrCat(code, " the planned step did not do what was planned: ", what, ". ", advice, ". Graph ",
                   promise_.strategy->graph_fingerprint(), ". ",
                   promise_.strict ? "No later step is run (STR_STRICT=1)." : "Later steps run without the plan."));
}

absl::Status PlanObserver::CheckResults(const std::vector<bool>& delivered) const {
  for (size_t i = 0; i < delivered.size() && i < promise_.always_delivered.size(); ++i) {
    if (!delivered[i] && promise_.always_delivered[i]) {
      return Broken("STR-4002",
                    absl::StrCat("result ", i, " of the step, '", promise_.result_names[i], "', has no value"),
                    kHalfUpdated);
    }
  }
  return absl::OkStatus();
}

void PlanObserver::SayIfLarger(const device::StepMemory& memory) const {
  const config::StrategyFile& strategy = *promise_.strategy;
  const int64_t allowed_bytes = Allowed(strategy.budget_bytes());
  if (memory.peak_bytes <= allowed_bytes || memory.own_peak_bytes + strategy.external_bytes() <= allowed_bytes) return;
  SayOnce("STR-3012",
          absl::StrCat("a step is larger than the plan's: the peak is above the budget of ",
                       config::FormatBytes(strategy.budget_bytes()),
                       ". Its batch is probably larger than the captured one: capture and plan with the largest batch, "
                       "or set STR_BUDGET, which plans for each. Graph ",
                       strategy.graph_fingerprint()));
}

absl::Status PlanObserver::CheckMemory(const device::StepMemory& memory) const {
  const config::StrategyFile& strategy = *promise_.strategy;
  const std::string measured = absl::StrCat("the measured peak is ", config::FormatBytes(memory.peak_bytes));
  // They were compared before, in this step or in an earlier one.
  const std::string advice =
      absl::StrCat(promise_.tensors != nullptr ? "Values are as they should be" : "Values were not compared",
                   ". Capture with the script that trains, and plan again");
  if (planned_places_ > 0 && memory.placed == 0) {
    return Broken("STR-4003", absl::StrCat("none of ", planned_places_, " planned allocations took its place"), advice);
  }
  // Less outside of the step than when it was captured, such as in loops, is not the plan's doing.
  const int64_t less_outside = std::max<int64_t>(0, strategy.external_bytes() - memory.external_bytes);
  if (memory.peak_bytes + less_outside < strategy.predicted_peak_bytes() / 2) {
    return Broken("STR-4003",
                  absl::StrCat(measured, ", less than half of the predicted ",
                               config::FormatBytes(strategy.predicted_peak_bytes())),
                  advice);
  }
  // With no more outside of the step than planned, would it have kept the budget?
  const int64_t allowed_bytes = Allowed(strategy.budget_bytes());
  if (memory.peak_bytes > allowed_bytes && memory.own_peak_bytes + strategy.external_bytes() > allowed_bytes) {
    return Broken("STR-4003",
                  absl::StrCat(measured, ", above the budget of ", config::FormatBytes(strategy.budget_bytes()),
                               ", and not because of what is outside of the step"),
                  advice);
  }
  return absl::OkStatus();
}

std::string PlanObserver::AppliedText(const Step& step) const {
  std::string text = absl::StrCat(changes_.recomputed_nodes, " recomputed, ", changes_.swapped_tensors, " swapped (",
                                  config::FormatBytes(step.swapped_bytes), " a step");
  if (changes_.disk_tensors > 0) {
    absl::StrAppend(&text, ", of which ", changes_.disk_tensors, " to the disk, ",
                    config::FormatBytes(step.disk_bytes));
  }
  absl::StrAppend(&text, "), ", refusals_);
  if (changes_.recomputed_nodes + changes_.swapped_tensors == 0) {
    absl::StrAppend(&text, "; WARNING: only the order of the nodes was changed");
  }
  return text;
}

void PlanObserver::Report(const Step& step, const std::optional<device::StepMemory>& memory) const {
  const config::StrategyFile& strategy = *promise_.strategy;
  std::string text = absl::StrCat("applied: ", AppliedText(step), ". Predicted peak ",
                                  config::FormatBytes(strategy.predicted_peak_bytes()), ", ");
  if (memory.has_value()) {
    absl::StrAppend(&text, "measured ", config::FormatBytes(memory->peak_bytes), ", of which outside of the step ",
                    config::FormatBytes(memory->external_bytes), " (planned ",
                    config::FormatBytes(strategy.external_bytes()), "). ", memory->placed,
                    " allocations placed as planned, ", memory->misplaced, " elsewhere. ");
    if (memory->peak_bytes > Allowed(strategy.budget_bytes())) {
      absl::StrAppend(&text, "WARNING: the peak is above the budget of ", config::FormatBytes(strategy.budget_bytes()),
                      ", because more is outside of the step than when it was captured. ");
    }
  } else {
    absl::StrAppend(&text, "not measured: another planned step ran at the same time. ");
  }
  if (const int64_t resident_bytes = PeakResidentBytes(); resident_bytes > 0) {
    absl::StrAppend(&text, "The whole process had at most ", config::FormatBytes(resident_bytes), " in RAM so far. ");
  }
  absl::StrAppend(&text, "Checked: ", step.runs.nodes_run(), " nodes ran once and in order");
  if (step.values.has_value()) absl::StrAppend(&text, ", ", step.values->compared(), " values as first computed");
  Say("STR-3001", absl::StrCat(text, ". Graph ", strategy.graph_fingerprint(), "."));
}

}  // namespace str::rewrite
