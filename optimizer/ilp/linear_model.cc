#include "optimizer/ilp/linear_model.h"

#include <cmath>

#include "absl/log/check.h"

namespace str::optimizer {

int LinearModel::AddColumn(const Column& column) {
  CHECK(column.lower <= column.upper && std::abs(column.lower) <= kLargestBound &&
        std::abs(column.upper) <= kLargestBound)
      << "column " << columns_.size() << ": [" << column.lower << ", " << column.upper << "]";
  columns_.push_back(column);
  return static_cast<int>(columns_.size()) - 1;
}

int LinearModel::AddRow(double lower, absl::Span<const LinearTerm> terms, double upper) {
  rows_.push_back({lower, upper, static_cast<int>(terms_.size())});
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  return static_cast<int>(rows_.size()) - 1;
}

}  // namespace str::optimizer
