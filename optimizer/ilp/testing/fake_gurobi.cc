// A stand-in for Gurobi's library, with HiGHS behind the same C interface: what gurobi_c_solver.cc says to Gurobi can
// be tested without a licence for it. FAKE_GUROBI_REFUSES=CODE makes it refuse to start with that error,
// FAKE_GUROBI_LARGEST=N to take models of more columns or rows than N.
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/numbers.h"
#include "optimizer/ilp/highs_solver.h"

using str::optimizer::LinearModel;
using str::optimizer::LinearTerm;
using str::optimizer::Solution;
using str::optimizer::SolveOptions;
using str::optimizer::SolveStatus;

namespace {

constexpr double kInfinite = 1e100;
constexpr int kUnknownName = 10004, kTooLarge = 10010, kBroken = 10003;

struct Environment {
  std::string message = "the stand-in refuses";
  double time_limit = kInfinite, gap = 1e-4;
};

struct Model {
  Environment environment;
  LinearModel linear;
  bool integers = false;
  int (*callback)(void*, void*, int, void*) = nullptr;
  void* user = nullptr;
  std::atomic<bool> stop{false};
  double best = 0, bound = 0;
  Solution solution;
};

int FromEnvironment(const char* name, int otherwise) {
  int value = otherwise;
  if (const char* text = std::getenv(name); text == nullptr || !absl::SimpleAtoi(text, &value)) return otherwise;
  return value;
}

double Clip(double value) { return std::min(kInfinite, std::max(-kInfinite, value)); }

}  // namespace

extern "C" {

void GRBversion(int* major, int* minor, int* technical) { *major = 99, *minor = 1, *technical = 2; }

int GRBemptyenv(void** environment) {
  *environment = new Environment;
  return 0;
}

int GRBstartenv(void*) { return FromEnvironment("FAKE_GUROBI_REFUSES", 0); }
void GRBfreeenv(void* environment) { delete static_cast<Environment*>(environment); }
const char* GRBgeterrormsg(void* environment) { return static_cast<Environment*>(environment)->message.c_str(); }

int GRBsetintparam(void*, const char* name, int value) {
  const bool known = std::strcmp(name, "OutputFlag") == 0 || (std::strcmp(name, "Threads") == 0 && value == 1);
  return known ? 0 : kUnknownName;
}

int GRBsetdblparam(void* environment, const char* name, double value) {
  Environment& to = *static_cast<Environment*>(environment);
  if (std::strcmp(name, "TimeLimit") == 0) {
    to.time_limit = value;
  } else if (std::strcmp(name, "MIPGap") == 0) {
    to.gap = value;
  } else if (std::strcmp(name, "MIPGapAbs") != 0) {
    return kUnknownName;
  }
  return 0;
}

int GRBnewmodel(void* environment, void** model, const char*, int columns, double* cost, double* lower, double* upper,
                char* types, char**) {
  auto* const made = new Model;
  made->environment = *static_cast<Environment*>(environment);
  for (int i = 0; i < columns; ++i) {
    // Integers of other bounds than 0 and 1 are not in any model here.
    if (types[i] == 'I' && lower[i] == 0 && upper[i] == 1) {
      made->linear.AddBinary(cost[i]);
      made->integers = true;
    } else {
      made->linear.AddContinuous(lower[i], upper[i], cost[i]);
    }
  }
  *model = made;
  return 0;
}

int GRBaddrangeconstrs(void* model, int rows, int terms, int* begin, int* column, double* coefficient, double* lower,
                       double* upper, char**) {
  for (int row = 0; row < rows; ++row) {
    std::vector<LinearTerm> of_row;
    for (int i = begin[row]; i < (row + 1 < rows ? begin[row + 1] : terms); ++i) {
      of_row.push_back({column[i], coefficient[i]});
    }
    static_cast<Model*>(model)->linear.AddRow(lower[row], of_row, upper[row]);
  }
  return 0;
}

int GRBaddconstrs(void* model, int rows, int terms, int* begin, int* column, double* coefficient, char* sense,
                  double* right, char** names) {
  std::vector<double> lower, upper;
  for (int row = 0; row < rows; ++row) {
    lower.push_back(sense[row] == '<' ? -LinearModel::kOpen : right[row]);
    upper.push_back(sense[row] == '>' ? LinearModel::kOpen : right[row]);
  }
  return GRBaddrangeconstrs(model, rows, terms, begin, column, coefficient, lower.data(), upper.data(), names);
}

void* GRBgetenv(void* model) { return &static_cast<Model*>(model)->environment; }

int GRBsetdblattr(void* model, const char* name, double value) {
  if (std::strcmp(name, "ObjCon") != 0) return kUnknownName;
  static_cast<Model*>(model)->linear.set_offset(value);
  return 0;
}

int GRBsetcallbackfunc(void* model, int (*callback)(void*, void*, int, void*), void* user) {
  static_cast<Model*>(model)->callback = callback;
  static_cast<Model*>(model)->user = user;
  return 0;
}

int GRBcbget(void* data, int where, int what, void* value) {
  const Model& model = *static_cast<Model*>(data);
  if (where != 3 || (what != 3000 && what != 3001)) return kUnknownName;
  *static_cast<double*>(value) = Clip(what == 3000 ? model.best : model.bound);
  return 0;
}

void GRBterminate(void* model) { static_cast<Model*>(model)->stop = true; }

int GRBoptimize(void* model) {
  Model& work = *static_cast<Model*>(model);
  const size_t largest = FromEnvironment("FAKE_GUROBI_LARGEST", std::numeric_limits<int>::max());
  if (work.linear.columns().size() > largest || work.linear.rows().size() > largest) return kTooLarge;
  SolveOptions options;
  if (work.environment.time_limit < kInfinite) options.time_limit = absl::Seconds(work.environment.time_limit);
  options.relative_gap = work.environment.gap;
  options.stop = &work.stop;
  options.progress = [&](double best, double bound) {
    work.best = best;
    work.bound = bound;
    work.callback(model, model, 3, work.user);
  };
  work.callback(model, model, 0, work.user);
  const absl::StatusOr<Solution> solution = str::optimizer::SolveWithHighs(work.linear, options);
  if (!solution.ok()) return kBroken;
  work.solution = *solution;
  return 0;
}

int GRBgetintattr(void* model, const char* name, int* value) {
  const Model& work = *static_cast<Model*>(model);
  if (std::strcmp(name, "IsMIP") == 0) {
    *value = work.integers ? 1 : 0;
  } else if (std::strcmp(name, "SolCount") == 0) {
    *value = work.solution.values.empty() ? 0 : 1;
  } else if (std::strcmp(name, "Status") == 0) {
    *value = work.solution.status == SolveStatus::kOptimal      ? 2
             : work.solution.status == SolveStatus::kInfeasible ? 3
                                                                : 9;
  } else {
    return kUnknownName;
  }
  return 0;
}

int GRBgetdblattr(void* model, const char* name, double* value) {
  const Model& work = *static_cast<Model*>(model);
  if (std::strcmp(name, "ObjVal") == 0) {
    *value = Clip(work.solution.objective);
  } else if (std::strcmp(name, "ObjBound") == 0) {
    *value = Clip(work.solution.bound);
  } else {
    return kUnknownName;
  }
  return 0;
}

int GRBgetdblattrarray(void* model, const char* name, int first, int count, double* values) {
  if (std::strcmp(name, "X") != 0) return kUnknownName;
  std::copy_n(static_cast<Model*>(model)->solution.values.begin() + first, count, values);
  return 0;
}

int GRBfreemodel(void* model) {
  delete static_cast<Model*>(model);
  return 0;
}

}  // extern "C"
