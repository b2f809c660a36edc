// What Gurobi's error codes mean for who runs STR.
#ifndef STR_OPTIMIZER_ILP_GUROBI_ERRORS_H_
#define STR_OPTIMIZER_ILP_GUROBI_ERRORS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "optimizer/ilp/linear_model.h"

namespace str::optimizer {

// Code 0 stands for what is not Gurobi's, such as a missing package.
inline constexpr int kGurobiNoLicence = 10009;
inline constexpr int kGurobiModelTooLarge = 10010;

// FailedPrecondition with what to do for a missing licence or a model too large for it; Internal for anything else
// while a model is solved. `model` is null while Gurobi is being started: then every error is FailedPrecondition.
absl::Status GurobiError(int code, absl::string_view text, const LinearModel* model);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ILP_GUROBI_ERRORS_H_
