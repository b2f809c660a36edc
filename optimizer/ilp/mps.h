// Linear models as MPS text (free form), the format that every solver reads. Rows are R0, R1, ..., columns C0, C1, ...;
// numbers keep all their digits. Rows that bind nothing are left out.
#ifndef STR_OPTIMIZER_ILP_MPS_H_
#define STR_OPTIMIZER_ILP_MPS_H_

#include <string>

#include "optimizer/ilp/linear_model.h"

namespace str::optimizer {

// With `relax_integers` all columns are continuous.
std::string MpsText(const LinearModel& model, bool relax_integers);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ILP_MPS_H_
