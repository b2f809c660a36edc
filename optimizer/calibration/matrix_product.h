// A multiplication of matrices that comes near to what the machine's cores can compute: the probe for a compute rate.
//
// One thread; several may run at the same time. Uses the widest vector instructions that the machine has.
#ifndef STR_OPTIMIZER_CALIBRATION_MATRIX_PRODUCT_H_
#define STR_OPTIMIZER_CALIBRATION_MATRIX_PRODUCT_H_

#include <cstdint>
#include <vector>

namespace str::optimizer {

// `side` must be a multiple of this.
inline constexpr int kProductSideStep = 96;

// Row by row; c = a * b. All three have side * side elements.
void MultiplyMatrices(int side, const std::vector<float>& a, const std::vector<float>& b, std::vector<float>* c);

inline int64_t ProductFlops(int side) { return int64_t{2} * side * side * side; }

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_CALIBRATION_MATRIX_PRODUCT_H_
