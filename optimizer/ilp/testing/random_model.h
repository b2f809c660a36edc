// Small random linear models with small whole numbers: continuous and integer columns, rows of every kind, feasible
// and infeasible, some without rows.
#ifndef STR_OPTIMIZER_ILP_TESTING_RANDOM_MODEL_H_
#define STR_OPTIMIZER_ILP_TESTING_RANDOM_MODEL_H_

#include <cstdint>

#include "optimizer/ilp/linear_model.h"

namespace str::optimizer {

// Equal seeds give equal models.
LinearModel RandomModel(uint64_t seed);

// Subset sums of random numbers: nothing is close to the optimum, so that the search goes on for long.
LinearModel HardModel();

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ILP_TESTING_RANDOM_MODEL_H_
