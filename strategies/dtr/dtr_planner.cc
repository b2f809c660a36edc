// dtr: what DTR does online with the captured order, as a plan. h_DTR, eager eviction, small storages left alone.
//
// DTR counts memory otherwise than the judge, and a smaller budget may turn out better than a larger one. So it is run
// with every budget of a fixed grid, and of the programs that the judge finds to fit the fastest is the plan. The grid
// depends on the graph alone, so that the smallest budget is the least that one of its programs needs.
#include <memory>

#include "absl/strings/str_cat.h"
#include "strategies/dtr/graph_trace.h"
#include "strategies/dtr/heuristic.h"
#include "strategies/dtr/runtime.h"
#include "strategies/planner.h"
#include "strategies/program_list.h"
#include "strategies/registry.h"

namespace str::dtr {
namespace {

using strategies::Limit;
using strategies::PlanRequest;
using strategies::PlanResult;
using strategies::ProgramList;

constexpr char kHeuristic[] = "h_DTR";
// Between what is there before the first node and what is needed without eviction.
constexpr int kLevels = 100;
// Below this many budgets in a row that DTR fails at, it is taken to fail at all.
constexpr int kMostFailures = 5;

class DtrPlanner : public strategies::Planner {
 public:
  absl::string_view name() const override { return "dtr"; }
  absl::string_view description() const override {
    return "dynamic tensor rematerialization: evicts when memory runs out, recomputes when needed";
  }
  bool copies() const override { return false; }

  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const strategies::ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override {
    const Limit limit(request.time_limit, stop);
    const absl::StatusOr<const HeuristicEntry*> heuristic = FindHeuristic(kHeuristic);
    if (!heuristic.ok()) return heuristic.status();
    const absl::StatusOr<GraphTrace> trace = TraceGraph(request);
    if (!trace.ok()) return trace.status();
    RuntimeOptions options;
    options.ignore_small = true;
    options.record = true;
    // Room for everything: this is quick, so that there is always something to choose from.
    RunResult run = Runtime(&trace->trace, *heuristic, options).Run();
    const int64_t least = run.constant_bytes;
    const int64_t most = run.peak_bytes;
    ProgramList programs(&request);
    bool complete = true;
    for (int level = kLevels - 1, failures = 0;; --level) {
      failures = run.status == RunStatus::kDone ? 0 : failures + 1;
      if (failures == 0) {
        if (absl::Status status = programs.Add(ToProgram(*trace, run)); !status.ok()) return status;
      }
      if (level == 0 || failures == kMostFailures) break;
      complete = !limit.Reached();
      if (!complete) break;
      options.budget_bytes = least + static_cast<int64_t>((most - least) * (static_cast<double>(level) / kLevels));
      run = Runtime(&trace->trace, *heuristic, options).Run();
      if (progress)
        progress(absl::StrCat("DTR with ", options.budget_bytes >> 20, " MiB, ", programs.size(), " plans"));
    }
    return programs.Choose(limit, complete);
  }
};

const strategies::PlannerRegistration kRegistration(std::make_unique<DtrPlanner>());

}  // namespace
}  // namespace str::dtr
