#include "optimizer/ilp/mps.h"

#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace str::optimizer {
namespace {

// Enough digits to read back the same double.
std::string Number(double value) { return absl::StrFormat("%.17g", value); }

bool Binds(const LinearModel::Row& row) { return std::isfinite(row.lower) || std::isfinite(row.upper); }

char Sense(const LinearModel::Row& row) {
  if (row.lower == row.upper) return 'E';
  return std::isfinite(row.upper) ? 'L' : 'G';
}

// MPS lists terms by column.
std::vector<std::vector<LinearTerm>> ByColumn(const LinearModel& model) {
  std::vector<std::vector<LinearTerm>> columns(model.columns().size());
  const int rows = static_cast<int>(model.rows().size());
  for (int row = 0; row < rows; ++row) {
    if (!Binds(model.rows()[row])) continue;
    const int end = row + 1 < rows ? model.rows()[row + 1].first_term : static_cast<int>(model.terms().size());
    for (int term = model.rows()[row].first_term; term < end; ++term) {
      columns[model.terms()[term].column].push_back({row, model.terms()[term].coefficient});
    }
  }
  return columns;
}

}  // namespace

std::string MpsText(const LinearModel& model, bool relax_integers) {
  std::string text = "NAME str\nROWS\n N COST\n";
  for (size_t row = 0; row < model.rows().size(); ++row) {
    if (Binds(model.rows()[row]))
      absl::StrAppend(&text, " ", std::string(1, Sense(model.rows()[row])), " R", row, "\n");
  }
  absl::StrAppend(&text, "COLUMNS\n");
  const std::vector<std::vector<LinearTerm>> by_column = ByColumn(model);
  bool integers = false;
  for (size_t column = 0; column < model.columns().size(); ++column) {
    if (const bool integer = model.columns()[column].integer && !relax_integers; integer != integers) {
      integers = integer;
      absl::StrAppend(&text, " MARKER 'MARKER' ", integer ? "'INTORG'" : "'INTEND'", "\n");
    }
    // Also where it is 0: a column is known by being listed.
    absl::StrAppend(&text, " C", column, " COST ", Number(model.columns()[column].cost), "\n");
    for (const LinearTerm& term : by_column[column]) {
      absl::StrAppend(&text, " C", column, " R", term.column, " ", Number(term.coefficient), "\n");
    }
  }
  if (integers) absl::StrAppend(&text, " MARKER 'MARKER' 'INTEND'\n");
  // The offset is what the objective's right-hand side takes away.
  absl::StrAppend(&text, "RHS\n RHS COST ", Number(-model.offset()), "\n");
  std::string ranges;
  for (size_t i = 0; i < model.rows().size(); ++i) {
    const LinearModel::Row& row = model.rows()[i];
    if (!Binds(row)) continue;
    absl::StrAppend(&text, " RHS R", i, " ", Number(Sense(row) == 'G' ? row.lower : row.upper), "\n");
    if (Sense(row) == 'L' && std::isfinite(row.lower)) {
      absl::StrAppend(&ranges, " RANGE R", i, " ", Number(row.upper - row.lower), "\n");
    }
  }
  if (!ranges.empty()) absl::StrAppend(&text, "RANGES\n", ranges);
  absl::StrAppend(&text, "BOUNDS\n");
  for (size_t column = 0; column < model.columns().size(); ++column) {
    absl::StrAppend(&text, " LO BOUND C", column, " ", Number(model.columns()[column].lower), "\n");
    absl::StrAppend(&text, " UP BOUND C", column, " ", Number(model.columns()[column].upper), "\n");
  }
  return absl::StrCat(text, "ENDATA\n");
}

}  // namespace str::optimizer
