#include "optimizer/tools/finished_plan.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "config/strategy_against_graph.h"
#include "config/strategy_validator.h"
#include "optimizer/simulator/program_file.h"

namespace str::tools {
namespace {

absl::Status Broken(absl::string_view planner, absl::string_view what) {
  return absl::InternalError(
      absl::StrCat("nothing was written: the plan of strategy ", planner, " is wrong, which is a bug in STR: ", what));
}

}  // namespace

absl::StatusOr<FinishedPlan> FinishPlan(const GraphInput& input, absl::string_view planner,
                                        const strategies::PlanRequest& request, const strategies::PlanResult& result) {
  FinishedPlan plan;
  config::StrategyFile& file = plan.file;
  optimizer::WriteSteps(input.file, input.graph, result.program, &file);
  // Judged is what the file says, not what the planner had in mind.
  const absl::StatusOr<optimizer::Program> program = optimizer::ProgramFromStrategy(input.graph, file);
  if (!program.ok()) return Broken(planner, program.status().message());
  absl::StatusOr<optimizer::Fit> fit = optimizer::FitProgram(input.graph, input.costs, *program, request.budget_bytes);
  if (!fit.ok()) return Broken(planner, fit.status().message());
  const int64_t needed = request.placed ? fit->fit_bytes : fit->verdict.peak_bytes();
  if (needed > request.budget_bytes) {
    return Broken(planner, absl::StrCat("it needs ", needed, " bytes of a budget of ", request.budget_bytes));
  }
  const int64_t host_bytes = fit->verdict.simulation.host_peak_bytes;
  if (request.host_limit_bytes > 0 && host_bytes > request.host_limit_bytes) {
    return Broken(planner,
                  absl::StrCat("it needs ", host_bytes, " bytes on the host, limited to ", request.host_limit_bytes));
  }
  const int64_t disk_bytes = fit->verdict.simulation.disk_peak_bytes;
  if (disk_bytes > request.disk_limit_bytes) {
    return Broken(planner,
                  absl::StrCat("it needs ", disk_bytes, " bytes on the disk, limited to ", request.disk_limit_bytes));
  }
  file.set_format_version(1);
  file.set_graph_name(input.file.name());
  file.set_graph_fingerprint(input.file.fingerprint());
  file.set_tensorflow_version(input.file.tensorflow_version());
  file.set_device(input.file.device());
  file.set_planner(std::string(planner));
  file.set_solver(result.solver);
  file.set_seed(request.seed);
  file.set_budget_bytes(request.budget_bytes);
  file.set_predicted_peak_bytes(fit->verdict.peak_bytes());
  file.set_predicted_step_seconds(fit->verdict.seconds());
  file.set_baseline_step_seconds(input.baseline_seconds);
  file.set_bound_seconds(result.bound_seconds);
  file.set_external_bytes(input.file.external_bytes());
  if (fit->fit_bytes <= request.budget_bytes) optimizer::WritePlaces(*fit, &file);
  if (absl::Status status = config::ValidateStrategy(file); !status.ok()) return Broken(planner, status.message());
  if (absl::Status status = config::CheckStrategyAgainstGraph(file, input.file); !status.ok()) {
    return Broken(planner, status.message());
  }
  plan.fit = *std::move(fit);
  return plan;
}

}  // namespace str::tools
