// A linear program with continuous and integer columns, independent of who solves it:
//
//   minimise  offset + sum cost_j x_j   so that   row_lower_i <= sum a_ij x_j <= row_upper_i,  lower_j <= x_j <=
//   upper_j
//
// Contract for whoever builds one, so that solvers' absolute tolerances (about 1e-6) mean little:
//  - Every column has finite bounds, and as tight ones as are known. Bounds of 1e6 and more made a solver's presolve
//    report feasible models as infeasible; a CHECK refuses bounds beyond kLargestBound.
//  - Quantities are scaled so that what matters is above 1e-3 and nothing is above kLargestBound.
// A row may be open on one side: use kOpen.
#ifndef STR_OPTIMIZER_ILP_LINEAR_MODEL_H_
#define STR_OPTIMIZER_ILP_LINEAR_MODEL_H_

#include <limits>
#include <vector>

#include "absl/types/span.h"

namespace str::optimizer {

struct LinearTerm {
  int column = 0;
  double coefficient = 0;
};

class LinearModel {
 public:
  static constexpr double kOpen = std::numeric_limits<double>::infinity();
  static constexpr double kLargestBound = 1e4;

  struct Column {
    double lower = 0;
    double upper = 0;
    double cost = 0;
    bool integer = false;
  };
  struct Row {
    double lower = -kOpen;
    double upper = kOpen;
    // Its terms are terms()[first_term, next row's first_term).
    int first_term = 0;
  };

  // Each returns the index of what was added.
  int AddContinuous(double lower, double upper, double cost) { return AddColumn({lower, upper, cost, false}); }
  int AddBinary(double cost) { return AddColumn({0, 1, cost, true}); }
  // A column at most once per row.
  int AddRow(double lower, absl::Span<const LinearTerm> terms, double upper);
  void set_offset(double offset) { offset_ = offset; }

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<LinearTerm>& terms() const { return terms_; }
  double offset() const { return offset_; }

 private:
  int AddColumn(const Column& column);

  std::vector<Column> columns_;
  std::vector<Row> rows_;
  std::vector<LinearTerm> terms_;
  double offset_ = 0;
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ILP_LINEAR_MODEL_H_
