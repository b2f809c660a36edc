#include "optimizer/sweep/max_batch.h"

#include <algorithm>
#include <utility>

#include "optimizer/graph/backward.h"
#include "strategies/checkmate/yardstick.h"

namespace str::tools {
namespace {

// Two sums of the same times in another order are the same time.
constexpr double kSame = 1e-9;

class Finder {
 public:
  Finder(const MaxBatchQuery& query, const strategies::Planner& planner, const std::atomic<bool>* stop)
      : query_(query), planner_(planner), stop_(stop) {}

  MaxBatchResult Run() {
    const BatchRange& range = query_.batches;
    const int64_t count = (range.last - range.first) / range.step + 1;
    // How many of the batches are known to fit, and the first that is known not to, counted from 1.
    int64_t fits = 0, fails = 1;
    while (fails <= count && Fits(At(fails))) {
      fits = fails;
      fails = std::min(2 * fails, fails == count ? count + 1 : count);
    }
    while (fails - fits > 1 && result_.error.empty() && !Stopped()) {
      const int64_t middle = fits + (fails - fits) / 2;
      (Fits(At(middle)) ? fits : fails) = middle;
    }
    result_.batch = fits == 0 ? 0 : At(fits);
    return std::move(result_);
  }

 private:
  int64_t At(int64_t position) const { return query_.batches.first + (position - 1) * query_.batches.step; }
  bool Stopped() const { return stop_ != nullptr && stop_->load(); }

  // Keeps the plan if it is good enough.
  bool Fits(int64_t batch) {
    const absl::Status status = Try(batch);
    if (!status.ok()) result_.error = std::string(status.message());
    return status.ok() && accepted_;
  }

  absl::Status Try(int64_t batch) {
    accepted_ = false;
    absl::StatusOr<config::GraphFile> file = ScaleToBatch(*query_.graphs, batch);
    if (!file.ok()) return file.status();
    const absl::StatusOr<GraphInput> input =
        MakeGraphInput(*std::move(file), query_.graphs->front().source_name, query_.device);
    if (!input.ok()) return input.status();
    double max_overhead = 0;
    if (query_.max_overhead.has_value()) {
      max_overhead = *query_.max_overhead;
    } else {
      const absl::StatusOr<double> forward = ForwardShare(*input);
      if (!forward.ok()) return forward.status();
      max_overhead = *forward;
    }
    PointResult point = PlanAt(*input);
    ++result_.plans;
    if (!point.error.empty()) return absl::FailedPreconditionError(point.error);
    result_.limited |= point.row.status == StatusName(strategies::PlanStatus::kLimit);
    const std::optional<double> overhead = point.row.Overhead();
    accepted_ = overhead.has_value() && *overhead <= max_overhead + kSame;
    if (!accepted_) return absl::OkStatus();
    result_.row = std::move(point.row);
    result_.max_overhead = max_overhead;
    return absl::OkStatus();
  }

  PointResult PlanAt(const GraphInput& input) {
    if (query_.yardstick == Yardstick::kCheckmate && strategies::HasCheckmateSchedules(planner_.name())) {
      PointResult point{ResultRow(input, planner_.name(), "infeasible", query_.budget_bytes), ""};
      const std::optional<strategies::CheckmateFigures> figures =
          strategies::FastestAsCheckmate(planner_.name(), input.graph, input.costs, query_.budget_bytes);
      if (!figures.has_value()) return point;
      point.row.status = "feasible";
      point.row.peak_bytes = figures->peak_bytes;
      point.row.step_seconds = figures->seconds;
      return point;
    }
    strategies::PlanRequest request = MakeRequest(input, query_.budget_bytes);
    request.time_limit = query_.time_limit_per_plan;
    request.seed = query_.seed;
    return PlanPoint(input, planner_, request, stop_);
  }

  const MaxBatchQuery& query_;
  const strategies::Planner& planner_;
  const std::atomic<bool>* const stop_;
  MaxBatchResult result_;
  bool accepted_ = false;
};

}  // namespace

absl::StatusOr<double> ForwardShare(const GraphInput& input) {
  const optimizer::BackwardPass backward = optimizer::FindBackward(input.graph);
  double forward = 0, all = 0;
  for (optimizer::NodeId id = 0; id < input.graph.node_count(); ++id) {
    const double seconds = input.costs.node_seconds[id];
    all += seconds;
    if (!backward.nodes[id]) forward += seconds;
  }
  if (!backward.known || all <= 0) {
    return absl::FailedPreconditionError(
        "no node is known to be backward, so what one more forward pass costs is not known; use --max-overhead");
  }
  return forward / all;
}

MaxBatchResult FindMaxBatch(const MaxBatchQuery& query, const strategies::Planner& planner,
                            const std::atomic<bool>* stop) {
  return Finder(query, planner, stop).Run();
}

}  // namespace str::tools
