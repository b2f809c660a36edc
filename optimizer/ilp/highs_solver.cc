#include "optimizer/ilp/highs_solver.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "interfaces/highs_c_api.h"

namespace str::optimizer {
namespace {

using HighsPointer = std::unique_ptr<void, void (*)(void*)>;

// Called by HiGHS while it works.
void OnCallback(int type, const char*, const HighsCallbackDataOut* out, HighsCallbackDataIn* in, void* data) {
  const SolveOptions& options = *static_cast<const SolveOptions*>(data);
  if (type == kHighsCallbackMipLogging) {
    options.progress(out->mip_primal_bound, out->mip_dual_bound);
  } else if (in != nullptr) {
    const bool enough = type == kHighsCallbackMipInterrupt && out->mip_dual_bound >= options.enough_bound;
    const bool stopped = options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
    if (enough || stopped) in->user_interrupt = 1;
  }
}

bool Configure(void* highs, const SolveOptions& options) {
  // With "output_flag" off there would be no progress either.
  bool ok = Highs_setBoolOptionValue(highs, "log_to_console", 0) == kHighsStatusOk;
  ok = ok && Highs_setIntOptionValue(highs, "threads", 1) == kHighsStatusOk;
  // Presolve of HiGHS 1.15.1 returned a wrong optimum for an integer model with tight bounds (seed 202 of
  // optimizer/bound/step_bound_test.cc), and a wrong bound must never be claimed.
  ok = ok && Highs_setStringOptionValue(highs, "presolve", "off") == kHighsStatusOk;
  ok = ok && Highs_setDoubleOptionValue(highs, "mip_rel_gap", options.relative_gap) == kHighsStatusOk;
  ok = ok && Highs_setDoubleOptionValue(highs, "mip_abs_gap", 0) == kHighsStatusOk;
  if (!options.heuristics) {
    ok = ok && Highs_setDoubleOptionValue(highs, "mip_heuristic_effort", 0) == kHighsStatusOk;
    for (const char* heuristic : {"mip_heuristic_run_rins", "mip_heuristic_run_rens", "mip_heuristic_run_zi_round",
                                  "mip_heuristic_run_root_reduced_cost", "mip_heuristic_run_feasibility_jump"}) {
      ok = ok && Highs_setBoolOptionValue(highs, heuristic, 0) == kHighsStatusOk;
    }
    // These work by reducing the model, as presolve does.
    for (const char* reduction : {"mip_detect_symmetry", "mip_allow_restart"}) {
      ok = ok && Highs_setBoolOptionValue(highs, reduction, 0) == kHighsStatusOk;
    }
  }
  if (options.time_limit != absl::InfiniteDuration()) {
    const double seconds = std::max(0.0, absl::ToDoubleSeconds(options.time_limit));
    ok = ok && Highs_setDoubleOptionValue(highs, "time_limit", seconds) == kHighsStatusOk;
  }
  std::vector<HighsInt> callbacks;
  if (options.stop != nullptr) callbacks = {kHighsCallbackSimplexInterrupt, kHighsCallbackIpmInterrupt};
  if (options.stop != nullptr || options.enough_bound < LinearModel::kOpen) {
    callbacks.push_back(kHighsCallbackMipInterrupt);
  }
  if (options.progress) callbacks.push_back(kHighsCallbackMipLogging);
  if (callbacks.empty()) return ok;
  ok = ok && Highs_setCallback(highs, &OnCallback, const_cast<SolveOptions*>(&options)) == kHighsStatusOk;
  for (const HighsInt type : callbacks) ok = ok && Highs_startCallback(highs, type) == kHighsStatusOk;
  return ok;
}

bool Pass(void* highs, const LinearModel& model, bool integers) {
  std::vector<double> cost, lower, upper, row_lower, row_upper, value;
  std::vector<HighsInt> integrality, start, index;
  for (const LinearModel::Column& column : model.columns()) {
    cost.push_back(column.cost);
    lower.push_back(column.lower);
    upper.push_back(column.upper);
    integrality.push_back(column.integer && integers ? kHighsVarTypeInteger : kHighsVarTypeContinuous);
  }
  const double infinity = Highs_getInfinity(highs);
  for (const LinearModel::Row& row : model.rows()) {
    row_lower.push_back(std::max(row.lower, -infinity));
    row_upper.push_back(std::min(row.upper, infinity));
    start.push_back(row.first_term);
  }
  for (const LinearTerm& term : model.terms()) {
    index.push_back(term.column);
    value.push_back(term.coefficient);
  }
  const HighsInt columns = static_cast<HighsInt>(cost.size()), rows = static_cast<HighsInt>(start.size());
  const HighsInt terms = static_cast<HighsInt>(index.size());
  return Highs_passMip(highs, columns, rows, terms, kHighsMatrixFormatRowwise, kHighsObjSenseMinimize, model.offset(),
                       cost.data(), lower.data(), upper.data(), row_lower.data(), row_upper.data(), start.data(),
                       index.data(), value.data(), integrality.data()) == kHighsStatusOk;
}

Solution Read(const void* highs, const LinearModel& model, bool searched) {
  Solution solution;
  const HighsInt status = Highs_getModelStatus(highs);
  if (status == kHighsModelStatusInfeasible) {
    solution.status = SolveStatus::kInfeasible;
    solution.bound = std::numeric_limits<double>::infinity();
    return solution;
  }
  HighsInt primal = kHighsSolutionStatusNone;
  Highs_getIntInfoValue(highs, "primal_solution_status", &primal);
  const bool optimal = status == kHighsModelStatusOptimal || status == kHighsModelStatusModelEmpty;
  if (primal == kHighsSolutionStatusFeasible || optimal) {
    solution.status = optimal ? SolveStatus::kOptimal : SolveStatus::kFeasible;
    solution.objective = Highs_getObjectiveValue(highs);
    solution.values.resize(model.columns().size());
    Highs_getSolution(highs, solution.values.data(), nullptr, nullptr, nullptr);
  }
  if (searched) {
    Highs_getDoubleInfoValue(highs, "mip_dual_bound", &solution.bound);
  } else if (optimal) {
    solution.bound = solution.objective;
  }
  return solution;
}

}  // namespace

absl::StatusOr<Solution> SolveWithHighs(const LinearModel& model, const SolveOptions& options) {
  const HighsPointer highs(Highs_create(), &Highs_destroy);
  if (!Configure(highs.get(), options)) return absl::InternalError("HiGHS refuses its options");
  const bool integers =
      !options.relax_integers && std::any_of(model.columns().begin(), model.columns().end(),
                                             [](const LinearModel::Column& column) { return column.integer; });
  if (!Pass(highs.get(), model, integers)) return absl::InternalError("HiGHS refuses the model");
  if (Highs_run(highs.get()) == kHighsStatusError) return absl::InternalError("HiGHS failed on the model");
  return Read(highs.get(), model, integers);
}

std::string HighsSolver::name() const { return absl::StrCat("HiGHS ", Highs_version()); }

}  // namespace str::optimizer
