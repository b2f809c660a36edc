// Gurobi's C interface, opened at run time: STR is built without it. Only what STR calls is declared, after Gurobi's
// reference manual; it has been the same since version 9.
#ifndef STR_OPTIMIZER_ILP_GUROBI_LIBRARY_H_
#define STR_OPTIMIZER_ILP_GUROBI_LIBRARY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace str::optimizer {

// GRBenv and GRBmodel are opaque; functions return 0 or an error code.
struct GurobiLibrary {
  using Callback = int (*)(void* model, void* data, int where, void* user);

  // Stays loaded to the end of the process. NotFound if there is no such library or it is not Gurobi's.
  static absl::StatusOr<GurobiLibrary> Open(const std::string& path);

  void (*version)(int* major, int* minor, int* technical) = nullptr;
  int (*emptyenv)(void** environment) = nullptr;
  int (*startenv)(void* environment) = nullptr;
  void (*freeenv)(void* environment) = nullptr;
  const char* (*geterrormsg)(void* environment) = nullptr;
  int (*setintparam)(void* environment, const char* name, int value) = nullptr;
  int (*setdblparam)(void* environment, const char* name, double value) = nullptr;
  int (*newmodel)(void* environment, void** model, const char* name, int columns, double* cost, double* lower,
                  double* upper, char* types, char** names) = nullptr;
  int (*addconstrs)(void* model, int rows, int terms, int* begin, int* column, double* coefficient, char* sense,
                    double* right, char** names) = nullptr;
  int (*addrangeconstrs)(void* model, int rows, int terms, int* begin, int* column, double* coefficient, double* lower,
                         double* upper, char** names) = nullptr;
  void* (*getenv)(void* model) = nullptr;
  int (*setdblattr)(void* model, const char* name, double value) = nullptr;
  int (*getintattr)(void* model, const char* name, int* value) = nullptr;
  int (*getdblattr)(void* model, const char* name, double* value) = nullptr;
  int (*getdblattrarray)(void* model, const char* name, int first, int count, double* values) = nullptr;
  int (*setcallbackfunc)(void* model, Callback callback, void* user) = nullptr;
  int (*cbget)(void* data, int where, int what, void* value) = nullptr;
  void (*terminate)(void* model) = nullptr;
  int (*optimize)(void* model) = nullptr;
  int (*freemodel)(void* model) = nullptr;
};

// Where a library may be, the likeliest first: under GUROBI_HOME, by name on the loader's path, in the gurobipy wheel
// of this Python.
std::vector<std::string> GurobiCandidates(const std::string& python);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ILP_GUROBI_LIBRARY_H_
