#include "strategies/str/order_contest.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "config/text_units.h"
#include "optimizer/order/constraints.h"
#include "optimizer/order/order_variations.h"
#include "optimizer/parallel/run_parallel.h"
#include "strategies/str/order_moves.h"

namespace str::strategies {
namespace {

// Nodes of all variations together: a greedy plan of a large graph takes long.
constexpr int kNodesOfVariations = 10000;
constexpr int kFewestVariations = 2;
constexpr int kMostVariations = 15;
// An order has to be better by this share of the step's time to be tried in place of the favourite, or by this share of
// what the favourite loses if that is less. Greedy plans and short searches are off by half as much.
constexpr double kClearlyBetter = 5e-3;
constexpr double kClearShareOfLoss = 0.5;
// Orders that get a short search beside the favourite.
constexpr size_t kMostRivals = 4;
// Where the best plan's gap is wider, more is tried.
constexpr double kWideGap = 0.005;
// Up to this size, orders are looked at thoroughly, and nodes are moved.
constexpr int kMostNodesOfSmall = 2000;
// Up to this size moving nodes does not take long, so that they are moved first where the gap is wide.
constexpr int kMostNodesOfQuickMoves = 500;
// Of the step's time: more is seldom gained by the usual search.
constexpr double kGainOfSearch = 0.01;
// Moving nodes: turns of several chains, each chain of so many rounds at most, fewer for small graphs, where little can
// move, and for large ones, where rounds take long. The next turn begins where the best chains of the last one ended.
// It ends after some turns that did not help.
constexpr int kMostRounds = 60;
constexpr int kFewestRounds = 2;
constexpr int kNodesPerRound = 3;
constexpr int kNodesOfRounds = 20000;
constexpr int kMoveChains = 4;
constexpr int kMostTurns = 10;
constexpr int kMostTurnsInVain = 2;
constexpr double kHelped = 1e-3;

bool IsFaster(const OrderPlanner& a, const OrderPlanner& b) {
  if (a.program().empty()) return false;
  return b.program().empty() || a.seconds() < b.seconds();
}

}  // namespace

void OrderContest::Report(const std::string& line) const {
  if (progress_) progress_(line);
}

OrderContest::Entrant OrderContest::Enter(const std::string& name, const std::vector<optimizer::NodeId>& order) const {
  return std::make_unique<OrderPlanner>(request_, options_, name, order, &limit_, progress_, stop_);
}

bool OrderContest::IsFeasible(const OrderPlanner& entrant) const {
  return !entrant.least().program.empty() && entrant.least().fit_bytes <= request_.budget_bytes;
}

void OrderContest::NoteLeast(const OrderPlanner& entrant) {
  const LeastMemory& least = entrant.least();
  // Whatever is dropped, the host has no room.
  if (least.program.empty()) return;
  if (result_.min_budget_bytes != 0 && least.fit_bytes >= result_.min_budget_bytes) return;
  result_.min_budget_bytes = least.fit_bytes;
  result_.least_memory_program = least.program;
}

absl::Status OrderContest::FindFavourite() {
  for (const optimizer::CandidateOrder& order : orders_) {
    ++tried_;
    Entrant entrant = Enter(order.name, order.nodes);
    if (absl::Status status = entrant->FindLeast(); !status.ok()) return status;
    NoteLeast(*entrant);
    if (!entrant->least().program.empty()) {
      Report(absl::StrCat("order ", order.name, " needs ", config::FormatBytes(order.peak_bytes),
                          " with everything kept, at least ", config::FormatBytes(entrant->least().fit_bytes)));
    }
    if (!IsFeasible(*entrant)) continue;
    entrant->FindGreedy(IsSmall());
    entrants_.push_back(std::move(entrant));
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status OrderContest::EnterOthers() {
  const bool has_favourite = !entrants_.empty();
  if (has_favourite && limit_.Reached()) return absl::OkStatus();
  std::vector<Entrant> others;
  std::vector<std::vector<optimizer::NodeId>> known;
  for (size_t i = 0; i < orders_.size(); ++i) {
    known.push_back(orders_[i].nodes);
    if (i >= tried_) others.push_back(Enter(orders_[i].name, orders_[i].nodes));
  }
  const int most =
      std::clamp(kNodesOfVariations / std::max(1, request_.graph->program_nodes()), kFewestVariations, kMostVariations);
  for (const optimizer::NamedOrder& order : optimizer::OrderVariations(*request_.graph, known, most, request_.seed)) {
    others.push_back(Enter(order.name, order.nodes));
  }
  std::vector<absl::Status> statuses(others.size());
  optimizer::RunParallel(static_cast<int>(others.size()), request_.threads, [&](int i) {
    if (limit_.Reached()) return;
    if (!has_favourite || IsSmall()) statuses[i] = others[i]->FindLeast();
    if (statuses[i].ok() && (has_favourite || IsFeasible(*others[i]))) others[i]->FindGreedy(IsSmall());
  });
  for (size_t i = 0; i < others.size(); ++i) {
    if (!statuses[i].ok()) return statuses[i];
    NoteLeast(*others[i]);
    if (has_favourite ? std::isfinite(others[i]->expected_seconds()) : IsFeasible(*others[i])) {
      entrants_.push_back(std::move(others[i]));
    }
  }
  if (has_favourite || entrants_.empty()) return absl::OkStatus();
  const auto faster = [](const Entrant& a, const Entrant& b) { return a->expected_seconds() < b->expected_seconds(); };
  std::stable_sort(entrants_.begin(), entrants_.end(), faster);
  return entrants_.front()->ConsiderStarts();
}

OrderPlanner* OrderContest::FindFastest() {
  OrderPlanner* const favourite = entrants_.front().get();
  const auto faster = [](const OrderPlanner* a, const OrderPlanner* b) {
    return a->expected_seconds() < b->expected_seconds();
  };
  // Before a search, every order has the same bound: the nodes' own time.
  const auto beats_favourite = [favourite](const OrderPlanner& entrant) {
    const double seconds = favourite->expected_seconds();
    if (!std::isfinite(seconds)) return std::isfinite(entrant.expected_seconds());
    const double loss = seconds - favourite->bound_seconds();
    return entrant.expected_seconds() < seconds - std::min(kClearlyBetter * seconds, kClearShareOfLoss * loss);
  };
  for (const Entrant& entrant : entrants_) {
    if (beats_favourite(*entrant)) fastest_.push_back(entrant.get());
  }
  if (fastest_.empty()) return favourite;
  std::stable_sort(fastest_.begin(), fastest_.end(), faster);
  if (fastest_.size() > kMostRivals) fastest_.resize(kMostRivals);
  fastest_.push_back(favourite);
  optimizer::RunParallel(static_cast<int>(fastest_.size()), request_.threads,
                         [&](int i) { fastest_[i]->SearchBriefly(); });
  for (const OrderPlanner* entrant : fastest_) {
    Report(absl::StrFormat("order %s: about %.6f s by a short search", entrant->order_name(),
                           entrant->expected_seconds()));
  }
  std::stable_sort(fastest_.begin(), fastest_.end(), faster);
  return beats_favourite(*fastest_.front()) ? fastest_.front() : favourite;
}

absl::Status OrderContest::Prepare(OrderPlanner* entrant) {
  if (entrant != entrants_.front().get()) {
    if (entrant->least().program.empty() && !limit_.Reached()) {
      if (absl::Status status = entrant->FindLeast(); !status.ok()) return status;
      NoteLeast(*entrant);
    }
    if (absl::Status status = entrant->ConsiderStarts(); !status.ok()) return status;
  }
  return entrant->Proven(kOptimalGap) ? absl::OkStatus() : entrant->FindBound();
}

absl::Status OrderContest::PlanIn(OrderPlanner* entrant) {
  if (absl::Status status = Prepare(entrant); !status.ok()) return status;
  return entrant->Plan();
}

bool OrderContest::IsSmall() const { return request_.graph->program_nodes() <= kMostNodesOfSmall; }

bool OrderContest::IsDone(const OrderPlanner& best) const {
  return limit_.Reached() || best.Proven(std::max(kWideGap, request_.gap));
}

absl::StatusOr<OrderPlanner*> OrderContest::MoveNodesOf(const std::vector<OrderPlanner*>& starts) {
  OrderPlanner* const best = starts.front();
  if (!IsSmall()) return best;
  const optimizer::Constraints constraints = optimizer::OrderConstraints(*request_.graph);
  std::vector<OrderedDecisions> fastest;
  for (const OrderPlanner* entrant : starts) {
    // The captured order need not respect all of them.
    if (!std::isfinite(entrant->expected_seconds()) || !optimizer::Respects(constraints, entrant->order())) continue;
    fastest.push_back({entrant->order(), entrant->start(), entrant->expected_seconds()});
  }
  if (fastest.empty()) return best;
  OrderMoveOptions options;
  options.budget_bytes = request_.budget_bytes;
  options.host_limit_bytes = request_.host_limit_bytes;
  const int nodes = std::max(1, request_.graph->program_nodes());
  options.rounds = std::clamp(std::min(nodes / kNodesPerRound, kNodesOfRounds / nodes), kFewestRounds, kMostRounds);
  options.good_enough_seconds = best->bound_seconds() * (1 + request_.gap);
  const double before = best->expected_seconds();
  int in_vain = 0;
  for (int turn = 0; turn < kMostTurns && in_vain < kMostTurnsInVain && !limit_.Reached(); ++turn) {
    std::vector<OrderedDecisions> found(kMoveChains);
    optimizer::RunParallel(kMoveChains, request_.threads, [&](int i) {
      OrderMoveOptions own = options;
      own.seed = (request_.seed * kMostTurns + turn) * kMoveChains + i + 1;
      const OrderedDecisions& start = fastest[i % fastest.size()];
      found[i] = MoveNodes(*request_.graph, *request_.costs, options_, constraints, start, own, limit_);
    });
    const auto faster = [](const OrderedDecisions& a, const OrderedDecisions& b) { return a.seconds < b.seconds; };
    std::stable_sort(found.begin(), found.end(), faster);
    in_vain = found.front().seconds < (1 - kHelped) * fastest.front().seconds ? 0 : in_vain + 1;
    found.resize(kMoveChains / 2);
    fastest = std::move(found);
    Report(absl::StrFormat("order %s, nodes moved: about %.6f s", best->order_name(), fastest.front().seconds));
    if (fastest.front().seconds <= options.good_enough_seconds) break;
  }
  if (fastest.front().seconds > (1 - kHelped) * before) return best;
  Entrant moved = Enter(absl::StrCat(best->order_name(), ", nodes moved"), fastest.front().order);
  moved->TryStart(fastest.front().decisions);
  // Its least memory is not noted as the smallest budget: at that budget this order may not come about again.
  if (absl::Status status = moved->FindLeast(); !status.ok()) return status;
  OrderPlanner* const entrant = moved.get();
  entrants_.push_back(std::move(moved));
  if (absl::Status status = PlanIn(entrant); !status.ok()) return status;
  return IsFaster(*entrant, *best) ? entrant : best;
}

absl::StatusOr<OrderPlanner*> OrderContest::MoveAndPlan(OrderPlanner* best) {
  std::vector<OrderPlanner*> starts = {best};
  std::copy_if(fastest_.begin(), fastest_.end(), std::back_inserter(starts),
               [best](const OrderPlanner* entrant) { return entrant != best; });
  const absl::StatusOr<OrderPlanner*> moved = MoveNodesOf(starts);
  if (!moved.ok()) return moved.status();
  // Where moving gained little, the usual search in the order as it was may gain more.
  const bool is_close =
      (*moved)->program().empty() || best->expected_seconds() < (1 + kGainOfSearch) * (*moved)->seconds();
  if (*moved == best || (is_close && !(*moved)->Proven(request_.gap))) {
    if (absl::Status status = best->Plan(); !status.ok()) return status;
  }
  return IsFaster(**moved, *best) ? *moved : best;
}

absl::StatusOr<OrderPlanner*> OrderContest::PlanInTwo(OrderPlanner* best) {
  if (absl::Status status = best->Plan(); !status.ok()) return status;
  const auto next =
      std::find_if(fastest_.begin(), fastest_.end(), [best](const OrderPlanner* entrant) { return entrant != best; });
  if (next == fastest_.end() || limit_.Reached() || best->Proven(request_.gap)) return best;
  const double to_beat = (IsDone(*best) ? 1 - kHelped : 1) * best->seconds();
  if (!best->program().empty() && (*next)->expected_seconds() >= to_beat) return best;
  if (absl::Status status = PlanIn(*next); !status.ok()) return status;
  return IsFaster(**next, *best) ? *next : best;
}

absl::StatusOr<PlanResult> OrderContest::Run() {
  result_.status = PlanStatus::kInfeasible;
  if (absl::Status status = FindFavourite(); !status.ok()) return status;
  if (!entrants_.empty()) {
    if (absl::Status status = entrants_.front()->ConsiderStarts(); !status.ok()) return status;
  }
  if (entrants_.empty() || !entrants_.front()->Proven(kOptimalGap)) {
    if (absl::Status status = EnterOthers(); !status.ok()) return status;
  }
  if (entrants_.empty()) {
    if (limit_.Reached()) result_.status = PlanStatus::kLimit;
    return result_;
  }
  OrderPlanner* const favourite = entrants_.front().get();
  OrderPlanner* best = FindFastest();
  if (absl::Status status = Prepare(best); !status.ok()) return status;
  const double gap_to_move = request_.graph->program_nodes() <= kMostNodesOfQuickMoves ? kWideGap : kVeryWideGap;
  const bool moves_first =
      IsSmall() && !best->Proven(gap_to_move) && best->expected_seconds() > (1 + gap_to_move) * best->bound_seconds();
  const absl::StatusOr<OrderPlanner*> planned = moves_first ? MoveAndPlan(best) : PlanInTwo(best);
  if (!planned.ok()) return planned.status();
  best = *planned;
  if (!IsDone(*best) && !best->Proven(gap_to_move)) {
    const absl::StatusOr<OrderPlanner*> moved = MoveNodesOf({best});
    if (!moved.ok()) return moved.status();
    best = *moved;
  }
  if (absl::Status status = best->SearchWidely(); !status.ok()) return status;
  // Its first plans were judged before any search.
  if (IsFaster(*favourite, *best)) best = favourite;
  if (best->program().empty()) {
    if (limit_.Reached()) result_.status = PlanStatus::kLimit;
    return result_;
  }
  if (absl::Status status = best->TakeBack(); !status.ok()) return status;
  result_.status = best->Proven(kOptimalGap) ? PlanStatus::kOptimal : PlanStatus::kFeasible;
  result_.program = best->program();
  // Without one there was no time: whoever has more may look for it.
  if (best->has_bound()) result_.bound_seconds = best->bound_seconds();
  return result_;
}

}  // namespace str::strategies
