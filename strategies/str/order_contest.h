// Which order to plan in: orders compete by what a plan in them costs.
//
// The order that needs the least memory with everything kept is the favourite. If its greedy plan is as fast as keeping
// everything, it is the plan. Otherwise every order gets a greedy plan, the best few a short search, and what is then
// the best a bound and a search. Where the gap stays wide, the second-best order is planned too, and nodes of the
// better of both are moved. The judge has the last word.
#ifndef STR_STRATEGIES_STR_ORDER_CONTEST_H_
#define STR_STRATEGIES_STR_ORDER_CONTEST_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "optimizer/order/orders.h"
#include "strategies/planner.h"
#include "strategies/str/order_planner.h"
#include "strategies/str/problem.h"

namespace str::strategies {

class OrderContest {
 public:
  // All must outlive this. `orders`: the favourite first, not empty. `stop` may be null.
  OrderContest(const PlanRequest& request, const ProblemOptions& options,
               const std::vector<optimizer::CandidateOrder>& orders, const Limit* limit,
               const ProgressCallback& progress, const std::atomic<bool>* stop)
      : request_(request), options_(options), orders_(orders), limit_(*limit), progress_(progress), stop_(stop) {}

  absl::StatusOr<PlanResult> Run();

 private:
  using Entrant = std::unique_ptr<OrderPlanner>;

  Entrant Enter(const std::string& name, const std::vector<optimizer::NodeId>& order) const;
  // The first of `orders_` in which a plan exists becomes the favourite, if there is one.
  absl::Status FindFavourite();
  void NoteLeast(const OrderPlanner& entrant);
  bool IsFeasible(const OrderPlanner& entrant) const;
  // Whether there is time to look at every order thoroughly.
  bool IsSmall() const;
  // Whether nothing more is worth trying, or there is no time.
  bool IsDone(const OrderPlanner& best) const;
  // A greedy plan in every other order.
  absl::Status EnterOthers();
  // The fastest entrant by a short search, which has to beat the favourite clearly.
  OrderPlanner* FindFastest();
  // The judge's word on what the entrant starts from, and its bound.
  absl::Status Prepare(OrderPlanner* entrant);
  absl::Status PlanIn(OrderPlanner* entrant);
  // Plans in an order that comes about by moving nodes of those of `starts`; returns the better of it and the first.
  absl::StatusOr<OrderPlanner*> MoveNodesOf(const std::vector<OrderPlanner*>& starts);
  // For wide gaps: moves nodes first, then plans.
  absl::StatusOr<OrderPlanner*> MoveAndPlan(OrderPlanner* best);
  // Plans in the best order, and in the next one if that may be better.
  absl::StatusOr<OrderPlanner*> PlanInTwo(OrderPlanner* best);
  void Report(const std::string& line) const;

  const PlanRequest& request_;
  const ProblemOptions& options_;
  const std::vector<optimizer::CandidateOrder>& orders_;
  const Limit& limit_;
  const ProgressCallback& progress_;
  const std::atomic<bool>* const stop_;
  // The favourite first.
  std::vector<Entrant> entrants_;
  // Those of the short search, the fastest first.
  std::vector<OrderPlanner*> fastest_;
  // How many of `orders_` were tried for the favourite.
  size_t tried_ = 0;
  PlanResult result_;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_ORDER_CONTEST_H_
