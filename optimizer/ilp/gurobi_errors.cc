#include "optimizer/ilp/gurobi_errors.h"

#include "absl/strings/str_cat.h"

namespace str::optimizer {

absl::Status GurobiError(int code, absl::string_view text, const LinearModel* model) {
  if (code == kGurobiModelTooLarge && model != nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "Gurobi's licence is too small for this model of ", model->columns().size(), " columns and ",
        model->rows().size(), " rows (", text, "): set GRB_LICENSE_FILE to a full licence, or use --solver=highs"));
  }
  if (code == kGurobiNoLicence) {
    return absl::FailedPreconditionError(absl::StrCat("Gurobi has no licence for this (", text, ")"));
  }
  if (model == nullptr) return absl::FailedPreconditionError(text);
  return absl::InternalError(absl::StrCat("Gurobi failed on the model: ", text, " (error ", code, ")"));
}

}  // namespace str::optimizer
