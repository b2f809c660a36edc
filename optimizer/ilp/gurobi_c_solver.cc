#include "optimizer/ilp/gurobi_c_solver.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "optimizer/ilp/gurobi_errors.h"

namespace str::optimizer {
namespace {

// From Gurobi's reference manual.
constexpr int kOptimal = 2, kInfeasible = 3, kInfeasibleOrUnbounded = 4;
constexpr int kWhereMip = 3, kWhatBest = 3000, kWhatBound = 3001;
// Written for infinity.
constexpr double kInfinite = 1e99;
constexpr absl::Duration kProgress = absl::Milliseconds(500);

double Finite(double value) { return std::abs(value) < kInfinite ? value : std::copysign(LinearModel::kOpen, value); }

// Rows as Gurobi takes them; `lower` only for ranges.
struct Rows {
  std::vector<int> begin, column;
  std::vector<double> coefficient, lower, right;
  std::vector<char> sense;

  int count() const { return static_cast<int>(begin.size()); }
  int terms() const { return static_cast<int>(column.size()); }
};

// One model on its way through Gurobi.
class Work {
 public:
  Work(const GurobiLibrary& library, void* environment, const LinearModel& model, const SolveOptions& options)
      : library_(library), environment_(environment), model_(model), options_(options) {}
  ~Work() {
    if (gurobi_ != nullptr) library_.freemodel(gurobi_);
  }

  absl::StatusOr<Solution> Run() {
    int code = AddColumns();
    if (code == 0) code = AddRows();
    if (code == 0) code = library_.setdblattr(gurobi_, "ObjCon", model_.offset());
    if (code == 0) code = Configure();
    if (code == 0) code = library_.setcallbackfunc(gurobi_, &OnCallback, this);
    if (code == 0) code = library_.optimize(gurobi_);
    Solution solution;
    if (code == 0) code = Read(&solution);
    if (code == 0) return solution;
    return GurobiError(code, library_.geterrormsg(gurobi_ == nullptr ? environment_ : library_.getenv(gurobi_)),
                       &model_);
  }

 private:
  int AddColumns() {
    std::vector<double> cost, lower, upper;
    std::vector<char> types;
    for (const LinearModel::Column& column : model_.columns()) {
      cost.push_back(column.cost);
      lower.push_back(column.lower);
      upper.push_back(column.upper);
      types.push_back(column.integer && !options_.relax_integers ? 'I' : 'C');
    }
    return library_.newmodel(environment_, &gurobi_, "str", static_cast<int>(cost.size()), cost.data(), lower.data(),
                             upper.data(), types.data(), nullptr);
  }

  int AddRows() {
    Rows plain, ranges;
    const std::vector<LinearModel::Row>& rows = model_.rows();
    for (size_t i = 0; i < rows.size(); ++i) {
      const double lower = rows[i].lower, upper = rows[i].upper;
      if (std::isinf(lower) && std::isinf(upper)) continue;
      const bool range = std::isfinite(lower) && std::isfinite(upper) && lower < upper;
      Rows& into = range ? ranges : plain;
      into.begin.push_back(into.terms());
      const int end = i + 1 < rows.size() ? rows[i + 1].first_term : static_cast<int>(model_.terms().size());
      for (int term = rows[i].first_term; term < end; ++term) {
        into.column.push_back(model_.terms()[term].column);
        into.coefficient.push_back(model_.terms()[term].coefficient);
      }
      into.lower.push_back(lower);
      into.right.push_back(std::isfinite(upper) ? upper : lower);
      into.sense.push_back(lower == upper ? '=' : std::isfinite(upper) ? '<' : '>');
    }
    int code = 0;
    if (plain.count() > 0) {
      code = library_.addconstrs(gurobi_, plain.count(), plain.terms(), plain.begin.data(), plain.column.data(),
                                 plain.coefficient.data(), plain.sense.data(), plain.right.data(), nullptr);
    }
    if (code == 0 && ranges.count() > 0) {
      code =
          library_.addrangeconstrs(gurobi_, ranges.count(), ranges.terms(), ranges.begin.data(), ranges.column.data(),
                                   ranges.coefficient.data(), ranges.lower.data(), ranges.right.data(), nullptr);
    }
    return code;
  }

  int Configure() {
    // A model has an environment of its own, copied from the one it was made in.
    void* const environment = library_.getenv(gurobi_);
    int code = library_.setintparam(environment, "Threads", 1);
    if (code == 0) code = library_.setdblparam(environment, "MIPGap", options_.relative_gap);
    if (code == 0) code = library_.setdblparam(environment, "MIPGapAbs", 0);
    if (code == 0 && options_.time_limit != absl::InfiniteDuration()) {
      const double seconds = std::max(0.0, absl::ToDoubleSeconds(options_.time_limit));
      code = library_.setdblparam(environment, "TimeLimit", seconds);
    }
    return code;
  }

  static int OnCallback(void* model, void* data, int where, void* user) {
    Work& work = *static_cast<Work*>(user);
    const SolveOptions& options = work.options_;
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) work.library_.terminate(model);
    if (where != kWhereMip || !options.progress || absl::Now() - work.last_progress_ < kProgress) return 0;
    work.last_progress_ = absl::Now();
    double best = 0, bound = 0;
    if (work.library_.cbget(data, where, kWhatBest, &best) == 0 &&
        work.library_.cbget(data, where, kWhatBound, &bound) == 0) {
      options.progress(Finite(best), Finite(bound));
    }
    return 0;
  }

  int Read(Solution* solution) {
    int status = 0, searched = 0, solutions = 0;
    int code = library_.getintattr(gurobi_, "Status", &status);
    if (code == 0) code = library_.getintattr(gurobi_, "IsMIP", &searched);
    if (code != 0) return code;
    // Every column is bounded, so nothing is unbounded.
    if (status == kInfeasible || status == kInfeasibleOrUnbounded) {
      solution->status = SolveStatus::kInfeasible;
      solution->bound = LinearModel::kOpen;
      return 0;
    }
    code = library_.getintattr(gurobi_, "SolCount", &solutions);
    if (code == 0 && searched != 0) {
      code = library_.getdblattr(gurobi_, "ObjBound", &solution->bound);
      solution->bound = Finite(solution->bound);
    }
    if (code != 0 || solutions == 0 || (searched == 0 && status != kOptimal)) return code;
    solution->status = status == kOptimal ? SolveStatus::kOptimal : SolveStatus::kFeasible;
    code = library_.getdblattr(gurobi_, "ObjVal", &solution->objective);
    if (searched == 0) solution->bound = solution->objective;
    solution->values.resize(model_.columns().size());
    if (code != 0) return code;
    return library_.getdblattrarray(gurobi_, "X", 0, static_cast<int>(solution->values.size()),
                                    solution->values.data());
  }

  const GurobiLibrary& library_;
  void* const environment_;
  const LinearModel& model_;
  const SolveOptions& options_;
  void* gurobi_ = nullptr;
  absl::Time last_progress_ = absl::Now();
};

}  // namespace

absl::StatusOr<std::unique_ptr<const GurobiCSolver>> GurobiCSolver::Make(const GurobiLibrary& library) {
  void* environment = nullptr;
  int code = library.emptyenv(&environment);
  if (code == 0) code = library.setintparam(environment, "OutputFlag", 0);
  if (code == 0) code = library.startenv(environment);
  if (code == 0) return std::unique_ptr<const GurobiCSolver>(new GurobiCSolver(library, environment));
  const absl::Status status = GurobiError(code, library.geterrormsg(environment), nullptr);
  if (environment != nullptr) library.freeenv(environment);
  return status;
}

GurobiCSolver::~GurobiCSolver() { library_.freeenv(environment_); }

std::string GurobiCSolver::name() const {
  int major = 0, minor = 0, technical = 0;
  library_.version(&major, &minor, &technical);
  return absl::StrCat("Gurobi ", major, ".", minor, ".", technical);
}

absl::StatusOr<Solution> GurobiCSolver::Solve(const LinearModel& model, const SolveOptions& options) const {
  const absl::MutexLock lock(&mutex_);
  return Work(library_, environment_, model, options).Run();
}

}  // namespace str::optimizer
