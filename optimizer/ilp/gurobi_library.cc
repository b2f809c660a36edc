#include "optimizer/ilp/gurobi_library.h"

#include <dlfcn.h>
#include <glob.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace str::optimizer {
namespace {

// Newest first. A plain libgurobi.so does not exist: the version is part of the name.
constexpr const char* kLoaderNames[] = {"libgurobi130.so", "libgurobi120.so", "libgurobi110.so", "libgurobi100.so",
                                        "libgurobi95.so"};

void AddMatches(const std::string& pattern, std::vector<std::string>* paths) {
  glob_t found = {};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    paths->insert(paths->end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
}

template <typename Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

}  // namespace

absl::StatusOr<GurobiLibrary> GurobiLibrary::Open(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return absl::NotFoundError(dlerror());
  GurobiLibrary gurobi;
  const bool complete =
      Find(library, "GRBversion", &gurobi.version) && Find(library, "GRBemptyenv", &gurobi.emptyenv) &&
      Find(library, "GRBstartenv", &gurobi.startenv) && Find(library, "GRBfreeenv", &gurobi.freeenv) &&
      Find(library, "GRBgeterrormsg", &gurobi.geterrormsg) && Find(library, "GRBsetintparam", &gurobi.setintparam) &&
      Find(library, "GRBsetdblparam", &gurobi.setdblparam) && Find(library, "GRBnewmodel", &gurobi.newmodel) &&
      Find(library, "GRBaddconstrs", &gurobi.addconstrs) &&
      Find(library, "GRBaddrangeconstrs", &gurobi.addrangeconstrs) && Find(library, "GRBgetenv", &gurobi.getenv) &&
      Find(library, "GRBsetdblattr", &gurobi.setdblattr) && Find(library, "GRBgetintattr", &gurobi.getintattr) &&
      Find(library, "GRBgetdblattr", &gurobi.getdblattr) &&
      Find(library, "GRBgetdblattrarray", &gurobi.getdblattrarray) &&
      Find(library, "GRBsetcallbackfunc", &gurobi.setcallbackfunc) && Find(library, "GRBcbget", &gurobi.cbget) &&
      Find(library, "GRBterminate", &gurobi.terminate) && Find(library, "GRBoptimize", &gurobi.optimize) &&
      Find(library, "GRBfreemodel", &gurobi.freemodel);
  if (!complete) return absl::NotFoundError(absl::StrCat(path, " is not Gurobi's library: ", dlerror()));
  return gurobi;
}

std::vector<std::string> GurobiCandidates(const std::string& python) {
  std::vector<std::string> paths;
  if (const char* home = std::getenv("GUROBI_HOME"); home != nullptr && *home != '\0') {
    AddMatches(absl::StrCat(home, "/lib/libgurobi[0-9]*.so"), &paths);
  }
  std::reverse(paths.begin(), paths.end());
  paths.insert(paths.end(), std::begin(kLoaderNames), std::end(kLoaderNames));
  // PREFIX/bin/python -> PREFIX/lib/python3.x/site-packages.
  for (int ups = 0, end = static_cast<int>(python.size()); end > 0 && ups < 2; ++ups) {
    end = static_cast<int>(python.rfind('/', end - 1));
    if (end <= 0) break;
    if (ups == 1) {
      AddMatches(absl::StrCat(python.substr(0, end), "/lib/python3*/site-packages/gurobipy/.libs/libgurobi[0-9]*.so"),
                 &paths);
    }
  }
  return paths;
}

}  // namespace str::optimizer
