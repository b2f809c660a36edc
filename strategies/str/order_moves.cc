#include "strategies/str/order_moves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <utility>

#include "strategies/str/annealer.h"
#include "strategies/str/lean_evaluator.h"
#include "strategies/str/lean_model.h"

namespace str::strategies {
namespace {

using optimizer::NodeId;

// Per round, and at most so many per node: tiny graphs have few orders.
constexpr int kOrderMovesPerRound = 200;
constexpr int64_t kDecisionMovesPerRound = 2000;
constexpr int kOrderMovesPerNode = 4;
constexpr int kDecisionMovesPerNode = 40;
// One in so many changes of the order exchanges blocks; the others move one node.
constexpr int kExchangesOneIn = 10;
constexpr int kLongestBlock = 12;
// Temperatures, as shares of the step's time, for changes of the order and of decisions.
constexpr double kHottest = 1e-2;
constexpr double kColdest = 1e-5;
// What memory above the budget costs, as in Annealer.
constexpr double kPenalty = 10;

// One order with what is needed to evaluate decisions in it.
struct Arena {
  Arena(const optimizer::Graph& graph, const optimizer::Costs& costs, const ProblemOptions& options,
        std::vector<NodeId> nodes, bool count_host_bytes)
      : order(std::move(nodes)),
        problem(&graph, &costs, order, options),
        model(&problem),
        evaluator(&model, count_host_bytes) {}

  std::vector<NodeId> order;
  Problem problem;
  LeanModel model;
  LeanEvaluator evaluator;
};

class OrderMover {
 public:
  OrderMover(const optimizer::Graph& graph, const optimizer::Costs& costs, const ProblemOptions& problem_options,
             const optimizer::Constraints& constraints, const OrderMoveOptions& options, const Limit& limit)
      : graph_(graph),
        costs_(costs),
        problem_options_(problem_options),
        constraints_(constraints),
        options_(options),
        limit_(limit),
        order_moves_(std::min(kOrderMovesPerRound, kOrderMovesPerNode * graph.program_nodes())),
        decision_moves_(std::min(kDecisionMovesPerRound, int64_t{kDecisionMovesPerNode} * graph.program_nodes())),
        random_(options.seed),
        block_of_(graph.node_count(), 0) {}

  OrderedDecisions Run(const OrderedDecisions& start) {
    best_ = start;
    current_ = Open(start.order);
    decisions_ = start.decisions;
    cost_ = Cost(current_->evaluator.Evaluate(decisions_, options_.budget_bytes));
    for (int round = 0; round < options_.rounds && !limit_.Reached(); ++round) {
      const double share = static_cast<double>(round) / std::max(1, options_.rounds - 1);
      const double heat = kHottest * std::pow(kColdest / kHottest, share);
      for (int i = 0; i < order_moves_ && !limit_.Reached(); ++i) TryOrder(heat * Seconds());
      AnnealDecisions(heat);
      if (best_.seconds <= options_.good_enough_seconds) break;
    }
    return best_;
  }

 private:
  std::unique_ptr<Arena> Open(std::vector<NodeId> order) const {
    return std::make_unique<Arena>(graph_, costs_, problem_options_, std::move(order), options_.host_limit_bytes > 0);
  }

  double Seconds() const { return current_->model.compute_seconds(); }

  bool Fits(const Evaluation& evaluation) const {
    return evaluation.valid && evaluation.tight_peak_bytes <= options_.budget_bytes &&
           (options_.host_limit_bytes == 0 || evaluation.host_peak_bytes <= options_.host_limit_bytes);
  }

  double Cost(const Evaluation& evaluation) const {
    if (!evaluation.valid) return std::numeric_limits<double>::infinity();
    const double peak = static_cast<double>(current_->model.peak_bytes());
    const double most = Seconds() * static_cast<double>(evaluation.most_excess_bytes) / peak;
    return evaluation.Cost() + kPenalty * (most + evaluation.excess / peak);
  }

  // Remembers what fits and is faster than anything before.
  void Note(const Evaluation& evaluation) {
    if (!Fits(evaluation) || evaluation.seconds >= best_.seconds) return;
    best_ = {current_->order, decisions_, evaluation.seconds};
  }

  bool ProposeOrder(std::vector<NodeId>* order) {
    return random_() % kExchangesOneIn == 0 ? ExchangeBlocks(order) : MoveWithinSlack(order);
  }

  // Moves one node to another place between its last predecessor and its first successor, often to one of these ends;
  // false if there is no other place.
  bool MoveWithinSlack(std::vector<NodeId>* order) {
    const size_t from = random_() % order->size();
    const NodeId node = (*order)[from];
    const auto has = [](const std::vector<NodeId>& nodes, NodeId other) {
      return std::find(nodes.begin(), nodes.end(), other) != nodes.end();
    };
    size_t first = from, last = from;
    while (first > 0 && !has(constraints_.predecessors[node], (*order)[first - 1])) --first;
    while (last + 1 < order->size() && !has(constraints_.successors[node], (*order)[last + 1])) ++last;
    if (first == last) return false;
    const uint64_t pick = random_() % 4;
    size_t to = pick == 0 ? first : pick == 1 ? last : first + random_() % (last - first + 1);
    if (to == from) to = from == last ? first : last;
    const auto begin = order->begin();
    if (to < from) {
      std::rotate(begin + to, begin + from, begin + from + 1);
    } else {
      std::rotate(begin + from, begin + from + 1, begin + to + 1);
    }
    return true;
  }

  // Exchanges two neighbouring blocks of the order; false if an edge forbids it.
  bool ExchangeBlocks(std::vector<NodeId>* order) {
    const size_t nodes = order->size();
    const auto length = [&] {
      const size_t most = 1 + random_() % kLongestBlock;
      return 1 + random_() % most;
    };
    const size_t first = random_() % nodes;
    const size_t middle = first + length();
    const size_t last = middle + length();
    if (last > nodes) return false;
    ++block_;
    for (size_t i = middle; i < last; ++i) block_of_[(*order)[i]] = block_;
    for (size_t i = first; i < middle; ++i) {
      for (const NodeId next : constraints_.successors[(*order)[i]]) {
        if (block_of_[next] == block_) return false;
      }
    }
    std::rotate(order->begin() + first, order->begin() + middle, order->begin() + last);
    return true;
  }

  void TryOrder(double temperature) {
    std::vector<NodeId> order = current_->order;
    if (!ProposeOrder(&order)) return;
    std::unique_ptr<Arena> arena = Open(std::move(order));
    Decisions decisions = CarryOver(current_->problem, decisions_, arena->problem);
    const Evaluation evaluation = arena->evaluator.Evaluate(decisions, options_.budget_bytes);
    const double cost = Cost(evaluation);
    if (cost > cost_ - temperature * std::log(uniform_(random_))) return;
    current_ = std::move(arena);
    decisions_ = std::move(decisions);
    cost_ = cost;
    Note(evaluation);
  }

  void AnnealDecisions(double heat) {
    AnnealOptions anneal;
    anneal.budget_bytes = options_.budget_bytes;
    anneal.moves = decision_moves_;
    anneal.hottest = heat;
    anneal.penalty = kPenalty;
    anneal.seed = random_();
    anneal.good_enough_seconds = options_.good_enough_seconds;
    const AnnealResult found = Annealer(&current_->model, &limit_, options_.host_limit_bytes).Run(decisions_, anneal);
    if (!found.fits) return;
    decisions_ = found.decisions;
    cost_ = Cost(found.evaluation);
    Note(found.evaluation);
  }

  const optimizer::Graph& graph_;
  const optimizer::Costs& costs_;
  const ProblemOptions& problem_options_;
  const optimizer::Constraints& constraints_;
  const OrderMoveOptions& options_;
  const Limit& limit_;
  // Per round.
  const int order_moves_;
  const int64_t decision_moves_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> uniform_{1e-300, 1};
  std::unique_ptr<Arena> current_;
  Decisions decisions_;
  double cost_ = 0;
  OrderedDecisions best_;
  // Scratch of ExchangeBlocks: the last block that a node was in.
  std::vector<int> block_of_;
  int block_ = 0;
};

}  // namespace

Decisions CarryOver(const Problem& from, const Decisions& decisions, const Problem& to) {
  Decisions carried = to.KeepEverything();
  const auto ends_in = [](const Problem& problem, const Unit& unit) {
    return unit.afterlife ? optimizer::kNone : problem.node(unit.to);
  };
  for (size_t s = 0; s < to.storages().size(); ++s) {
    const Storage& old = from.storages()[s];
    const Storage& storage = to.storages()[s];
    for (int32_t u = storage.first_unit; u < storage.first_unit + storage.units; ++u) {
      const Unit& unit = to.units()[u];
      for (int32_t v = old.first_unit; v < old.first_unit + old.units; ++v) {
        const Unit& before = from.units()[v];
        if (ends_in(from, before) != ends_in(to, unit)) continue;
        carried[u] = decisions[v];
        break;
      }
    }
  }
  return carried;
}

OrderedDecisions MoveNodes(const optimizer::Graph& graph, const optimizer::Costs& costs,
                           const ProblemOptions& problem_options, const optimizer::Constraints& constraints,
                           const OrderedDecisions& start, const OrderMoveOptions& options, const Limit& limit) {
  return OrderMover(graph, costs, problem_options, constraints, options, limit).Run(start);
}

}  // namespace str::strategies
