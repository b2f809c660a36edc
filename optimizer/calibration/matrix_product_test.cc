#include "optimizer/calibration/matrix_product.h"

#include "gtest/gtest.h"

namespace str::optimizer {
namespace {

TEST(MatrixProductTest, IsTheProduct) {
  constexpr int kSide = 2 * kProductSideStep;
  std::vector<float> a(kSide * kSide), b(kSide * kSide), c(kSide * kSide, -1);
  // Small whole numbers: exact in any order of summation.
  for (int i = 0; i < kSide * kSide; ++i) {
    a[i] = static_cast<float>(i % 7 - 3);
    b[i] = static_cast<float>(i % 11 - 5);
  }
  MultiplyMatrices(kSide, a, b, &c);
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      float expected = 0;
      for (int k = 0; k < kSide; ++k) expected += a[row * kSide + k] * b[k * kSide + column];
      ASSERT_EQ(c[row * kSide + column], expected) << row << ", " << column;
    }
  }
  EXPECT_EQ(ProductFlops(kSide), int64_t{2} * kSide * kSide * kSide);
}

}  // namespace
}  // namespace str::optimizer
