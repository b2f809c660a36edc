#include "optimizer/ilp/testing/random_model.h"

#include <cmath>
#include <random>
#include <vector>

namespace str::optimizer {

LinearModel RandomModel(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto number = [&](int low, int high) {
    return static_cast<double>(low + static_cast<int>(random() % (high - low + 1)));
  };
  const int columns = 1 + static_cast<int>(random() % 10);
  const int rows = static_cast<int>(random() % 7);
  // A third of the models have only continuous columns, a third only integer ones.
  const int kind = static_cast<int>(random() % 3);
  LinearModel model;
  model.set_offset(number(-9, 9));
  for (int column = 0; column < columns; ++column) {
    if (kind == 0 || (kind == 1 && random() % 2 == 0)) {
      const double lower = number(-9, 9);
      model.AddContinuous(lower, lower + number(0, 9), number(-9, 9));
    } else {
      model.AddBinary(number(-9, 9));
    }
  }
  for (int row = 0; row < rows; ++row) {
    std::vector<LinearTerm> terms;
    double middle = 0;
    for (int column = 0; column < columns; ++column) {
      if (random() % 3 == 0) continue;
      terms.push_back({column, number(-9, 9)});
      // Around values within the bounds, so that about half of the models are feasible.
      const LinearModel::Column& bounds = model.columns()[column];
      middle += terms.back().coefficient * (random() % 2 == 0 ? bounds.lower : bounds.upper);
    }
    switch (random() % 5) {
      case 0:
        model.AddRow(middle, terms, middle);
        break;
      case 1:
        model.AddRow(-LinearModel::kOpen, terms, middle + number(-9, 3));
        break;
      case 2:
        model.AddRow(middle - number(-9, 3), terms, LinearModel::kOpen);
        break;
      case 3:
        model.AddRow(-LinearModel::kOpen, terms, LinearModel::kOpen);
        break;
      default:
        model.AddRow(middle, terms, middle + number(1, 9));
    }
  }
  return model;
}

LinearModel HardModel() {
  std::mt19937_64 random(1);
  LinearModel model;
  for (int row = 0; row < 5; ++row) {
    std::vector<LinearTerm> terms;
    double sum = 0;
    for (int column = 0; column < 50; ++column) {
      if (row == 0) model.AddBinary(0);
      const double coefficient = static_cast<double>(random() % 100);
      terms.push_back({column, coefficient});
      sum += coefficient;
    }
    const int low = model.AddContinuous(0, 5000, 1), high = model.AddContinuous(0, 5000, 1);
    terms.push_back({low, 1});
    terms.push_back({high, -1});
    model.AddRow(std::floor(sum / 2), terms, std::floor(sum / 2));
  }
  return model;
}

}  // namespace str::optimizer
