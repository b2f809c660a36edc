// What planners with a finite list of programs have in common: each is judged, and the cheapest that fits is the plan.
#ifndef STR_STRATEGIES_PROGRAM_LIST_H_
#define STR_STRATEGIES_PROGRAM_LIST_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "optimizer/simulator/program.h"
#include "optimizer/simulator/simulator.h"
#include "strategies/planner.h"

namespace str::strategies {

class ProgramList {
 public:
  // `request` must outlive this.
  explicit ProgramList(const PlanRequest* request);

  // Fails if the judge's engine cannot run it. A program that is there already is not added again.
  absl::Status Add(optimizer::Program program);

  int size() const { return static_cast<int>(entries_.size()); }

  // The fastest program that fits; of equally fast ones the first that was added. kInfeasible if none fits. The
  // smallest budget is that of the program that needs least. If the limit is reached on the way, or `complete` is false
  // because it was before, only a few more programs are tried, the one of least memory among them; a list without a
  // plan is then kLimit, and its smallest budget is not known.
  absl::StatusOr<PlanResult> Choose(const Limit& limit, bool complete) const;

 private:
  struct Entry {
    optimizer::Program program;
    int64_t peak_bytes = 0;
    double seconds = 0;
  };

  const PlanRequest& request_;
  optimizer::Simulator simulator_;
  std::vector<Entry> entries_;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_PROGRAM_LIST_H_
