// The largest batch that fits a budget: twice as far until nothing fits, then the interval is halved.
#ifndef STR_OPTIMIZER_SWEEP_MAX_BATCH_H_
#define STR_OPTIMIZER_SWEEP_MAX_BATCH_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "optimizer/sweep/plan_point.h"
#include "optimizer/sweep/scaled_graph.h"
#include "strategies/planner.h"

namespace str::tools {

// The batches that are tried: first, first + step, and so on.
struct BatchRange {
  int64_t first = 1;
  int64_t last = int64_t{1} << 24;
  int64_t step = 1;
};

enum class Yardstick {
  kJudge,
  // Checkmate's baselines as published (strategies/checkmate/yardstick.h); all else by the judge.
  kCheckmate,
};

struct MaxBatchQuery {
  const std::vector<GraphAtBatch>* graphs = nullptr;
  std::string device;
  int64_t budget_bytes = 0;
  BatchRange batches;
  // Most time above everything kept, as a share; none: one more forward pass.
  std::optional<double> max_overhead;
  Yardstick yardstick = Yardstick::kJudge;
  absl::Duration time_limit_per_plan = absl::InfiniteDuration();
  uint64_t seed = 0;
};

struct MaxBatchResult {
  // 0: not even the smallest.
  int64_t batch = 0;
  // The plan of that batch; empty without one.
  std::optional<ResultRow> row;
  // What a plan of that batch may cost above everything kept, as a share.
  double max_overhead = 0;
  int plans = 0;
  // Some plan was not found in time, which counts as not fitting.
  bool limited = false;
  // Why a plan could not be tried; the batch is what was known until then.
  std::string error;
};

// The time of one forward pass as a share of the step's: of what may be made again where backward nodes are marked, as
// in imported graphs, else of what was not made by a gradient tape. FailedPrecondition if no node is known to be
// backward.
absl::StatusOr<double> ForwardShare(const GraphInput& input);

MaxBatchResult FindMaxBatch(const MaxBatchQuery& query, const strategies::Planner& planner,
                            const std::atomic<bool>* stop);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_SWEEP_MAX_BATCH_H_
