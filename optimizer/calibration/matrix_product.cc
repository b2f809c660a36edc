#include "optimizer/calibration/matrix_product.h"

#include <cstring>

namespace str::optimizer {
namespace {

// One block of the result is kept in registers while a row of `a` meets a panel of `b`: 6 x 2 vectors of 16 floats.
typedef float Vector __attribute__((vector_size(64), aligned(4)));
constexpr int kLanes = 16;
constexpr int kRows = 6;
constexpr int kPanel = 2 * kLanes;
static_assert(kProductSideStep % kRows == 0 && kProductSideStep % kPanel == 0);

// `panel` holds the columns [column, column + kPanel) of b, row by row.
__attribute__((target_clones("avx512f", "arch=haswell", "default"))) void MultiplyPanel(int side, const float* a,
                                                                                        const float* panel, int column,
                                                                                        float* c) {
  for (int row = 0; row < side; row += kRows) {
    Vector left[kRows] = {}, right[kRows] = {};
    for (int k = 0; k < side; ++k) {
      const Vector b0 = *reinterpret_cast<const Vector*>(panel + k * kPanel);
      const Vector b1 = *reinterpret_cast<const Vector*>(panel + k * kPanel + kLanes);
      for (int r = 0; r < kRows; ++r) {
        const float value = a[(row + r) * side + k];
        left[r] += value * b0;
        right[r] += value * b1;
      }
    }
    for (int r = 0; r < kRows; ++r) {
      std::memcpy(c + (row + r) * side + column, &left[r], sizeof(Vector));
      std::memcpy(c + (row + r) * side + column + kLanes, &right[r], sizeof(Vector));
    }
  }
}

}  // namespace

void MultiplyMatrices(int side, const std::vector<float>& a, const std::vector<float>& b, std::vector<float>* c) {
  std::vector<float> panel(side * kPanel);
  for (int column = 0; column < side; column += kPanel) {
    for (int k = 0; k < side; ++k) {
      std::memcpy(&panel[k * kPanel], &b[k * side + column], kPanel * sizeof(float));
    }
    MultiplyPanel(side, a.data(), panel.data(), column, c->data());
  }
}

}  // namespace str::optimizer
