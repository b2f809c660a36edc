// Runs a schedule of mksch on its graph, for tests: is everything there when it is used, and what does it need?
#ifndef STR_OPTIMIZER_IMPORTERS_MKSCH_VERIFIER_H_
#define STR_OPTIMIZER_IMPORTERS_MKSCH_VERIFIER_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "optimizer/importers/mksch_text.h"

namespace str::optimizer {

struct MkschFigures {
  // Of values, their gradients and the gradients of leaves; without the latter.
  int64_t peak_bytes = 0;
  int64_t peak_bytes_without_leaves = 0;
  // Time of forward functions beyond running each once: 10 for one whose type begins with "Conv", 1 for others.
  int64_t recompute_time = 0;
};

// InvalidArgument naming the line that uses or forgets what is not there, or what was never made.
absl::StatusOr<MkschFigures> RunMkschSchedule(const MkschGraph& graph, absl::string_view schedule);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_IMPORTERS_MKSCH_VERIFIER_H_
