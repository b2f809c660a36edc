#include "strategies/str/evaluator.h"

#include <algorithm>

#include "absl/log/check.h"

namespace str::strategies {

Evaluator::Evaluator(const Problem* problem)
    : problem_(*problem), simulator_(&problem->graph(), &problem->costs()), decoder_(problem), composer_(problem) {}

Evaluation Evaluator::EvaluateMemory(const Decisions& decisions, int64_t budget_bytes) {
  Evaluation evaluation;
  evaluation_tight_ = true;
  if (!decoder_.Decode(decisions, &draft_)) return evaluation;
  composer_.ComposeTight(draft_, &tight_program_, &steps_);
  optimizer::SimulationDetail detail;
  detail.profile = true;
  const absl::Status status = simulator_.Run(tight_program_, detail, &simulation_);
  CHECK(status.ok()) << "a decoded program does not run: " << status;
  evaluation.valid = true;
  evaluation.tight_peak_bytes = evaluation.peak_bytes = simulation_.peak_bytes;
  evaluation.host_peak_bytes = simulation_.host_peak_bytes;
  evaluation.most_excess_bytes = std::max<int64_t>(0, simulation_.peak_bytes - budget_bytes);
  const size_t computes = draft_.computes.size();
  compute_bytes_.resize(computes);
  for (size_t i = 0; i < computes; ++i) compute_bytes_[i] = simulation_.profile[steps_[i]];
  return evaluation;
}

void Evaluator::EvaluateTime(int64_t budget_bytes, Evaluation* evaluation) {
  if (!evaluation->valid) return;
  for (const Draft::CopyOut& copy : draft_.copies_out) {
    evaluation->copy_seconds += problem_.costs().CopyOutSeconds(problem_.storages()[copy.storage].bytes);
  }
  for (const Draft::Fetch& fetch : draft_.fetches) {
    evaluation->copy_seconds += problem_.costs().CopyInSeconds(problem_.storages()[fetch.storage].bytes);
  }
  const optimizer::Simulation* chosen = &simulation_;
  evaluation_tight_ = true;
  if (!draft_.fetches.empty()) {
    composer_.ComposeRelaxed(draft_, compute_bytes_, budget_bytes, &relaxed_program_);
    const absl::Status status = simulator_.Run(relaxed_program_, optimizer::SimulationDetail(), &relaxed_simulation_);
    CHECK(status.ok()) << "a composed program does not run: " << status;
    if (relaxed_simulation_.peak_bytes <= std::max(budget_bytes, simulation_.peak_bytes)) {
      chosen = &relaxed_simulation_;
      evaluation_tight_ = false;
    }
  }
  evaluation->peak_bytes = chosen->peak_bytes;
  evaluation->host_peak_bytes = chosen->host_peak_bytes;
  evaluation->seconds = chosen->seconds;
}

int32_t Evaluator::PeakStage() const {
  const auto step = std::lower_bound(steps_.begin(), steps_.end(), simulation_.peak_step);
  CHECK(step != steps_.end()) << "the peak is after the last node";
  return draft_.computes[step - steps_.begin()].stage;
}

Evaluation Evaluator::Evaluate(const Decisions& decisions, int64_t budget_bytes) {
  Evaluation evaluation = EvaluateMemory(decisions, budget_bytes);
  EvaluateTime(budget_bytes, &evaluation);
  return evaluation;
}

}  // namespace str::strategies
