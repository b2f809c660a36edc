// File: budget.h
//
// STR_BUDGET: a number of bytes, or a share of the memory that there is.
#ifndef STR_TF_PLUGIN_BUDGET_H_
#define STR_TF_PLUGIN_BUDGET_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace str {

struct Budget {
  // 0: it is a share.
  int64_t bytes = 0;
  // Above 0, at most 1.
  double share = 0;
};

// "6GiB" or "80%".
absl::StatusOr<Budget> ParseBudget(absl::string_view text);

inline int64_t BudgetBytes(const Budget& budget, int64_t available_bytes) {
  return budget.bytes > 0 ? budget.bytes : static_cast<int64_t>(budget.share * available_bytes);
}

// The memory that this process may use: the machine's, or less where a control group limits it. 0 if the system does
// not say. `root` stands before the system's files.
int64_t HostMemoryBytes(const std::string& root = "");

// Bytes of this process in physical memory, now and at most so far; 0 if the system does not say.
int64_t ResidentBytes();
int64_t PeakResidentBytes();

}  // namespace str

#endif  // STR_TF_PLUGIN_BUDGET_H_
