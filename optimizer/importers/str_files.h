// Finds the files of a solution of the published STR: 0/1 matrices, by a folder that has them or by its INI file.
//
//   folder: R, S, P, Q or PrunedQ, layer_names. P and Q belong together; PrunedQ, without useless copies, is preferred.
//   INI:    [solution] strategy=none|recompute|swap|hybrid, tags=LAYER_NAMES
//           [recompute] r=FILE   [swap] p=FILE q=FILE   [hybrid] r=FILE p=FILE q=FILE
//           Paths are relative to the INI's folder. S is taken from beside R if it is there: S-approx for R-approx.
#ifndef STR_OPTIMIZER_IMPORTERS_STR_FILES_H_
#define STR_OPTIMIZER_IMPORTERS_STR_FILES_H_

#include <string>

#include "absl/status/statusor.h"

namespace str::optimizer {

// Paths; empty: none. Without any of them everything is kept.
struct StrFiles {
  std::string computed;     // R
  std::string held;         // S
  std::string copied_out;   // P
  std::string copied_back;  // Q
  std::string layer_names;
};

// Errors name the file, and the line where there is one.
absl::StatusOr<StrFiles> FindStrFiles(const std::string& path);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_IMPORTERS_STR_FILES_H_
