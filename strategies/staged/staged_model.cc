#include "strategies/staged/staged_model.h"

#include <algorithm>

namespace str::strategies {
namespace {

using optimizer::LinearModel;

// In model units: the budget, and what running every node once takes. Far above the solvers' tolerances.
constexpr double kModelBudget = 1000;
constexpr double kModelTime = 1000;
constexpr double kOpen = LinearModel::kOpen;

}  // namespace

RowBuilder& RowBuilder::Add(double coefficient, Term term) {
  if (term.column >= 0) {
    terms_.push_back({term.column, coefficient});
  } else {
    constant_ += coefficient * term.constant;
  }
  return *this;
}

void RowBuilder::AddTo(LinearModel* model, double lower, double upper) const {
  if (!terms_.empty()) model->AddRow(lower - constant_, terms_, upper - constant_);
}

StagedModel::StagedModel(const StagedGraph* graph, int64_t budget_bytes, StagedExtras* extras,
                         int64_t node_budget_bytes)
    : graph_(*graph),
      extras_(extras),
      bytes_unit_(static_cast<double>(budget_bytes) / kModelBudget),
      computed_(static_cast<size_t>(graph->size()) * graph->size()),
      held_(computed_.size()) {
  if (graph_.total_seconds() > 0) seconds_unit_ = graph_.total_seconds() / kModelTime;
  model_.set_offset(graph_.total_seconds() / seconds_unit_);
  AddColumns();
  possible_ = EveryNodeFits(node_budget_bytes > 0 ? node_budget_bytes : budget_bytes);
  if (!possible_) return;
  for (int stage = 0; stage < graph_.size(); ++stage) {
    AddPresence(stage);
    AddMemory(stage);
  }
  if (extras_ != nullptr) extras_->AddRows(*this, &model_);
}

int64_t StagedModel::Columns(const StagedGraph& graph) {
  int64_t columns = 0;
  for (int i = 0; i < graph.size(); ++i) {
    // R, S and U in every later stage, and F for each input.
    columns += (graph.size() - i) * (3 + static_cast<int64_t>(graph.node(i).inputs.size()));
  }
  return columns;
}

double StagedModel::Seconds(double objective) const { return objective * seconds_unit_; }

void StagedModel::AddColumns() {
  for (int stage = 0; stage < graph_.size(); ++stage) {
    computed_[Index(stage, stage)].constant = 1;
    for (int i = 0; i < stage; ++i) {
      const StagedNode& node = graph_.node(i);
      if (node.may_rerun) computed_[Index(stage, i)].column = model_.AddBinary(node.seconds / seconds_unit_);
      held_[Index(stage, i)] = HeldTerm(stage, i);
    }
  }
  if (extras_ != nullptr) extras_->AddColumns(&model_);
}

Term StagedModel::HeldTerm(int stage, int position) {
  const StagedNode& node = graph_.node(position);
  if (node.held) return {-1, 1};
  bool used = false;
  for (const int consumer : node.consumers) used = used || consumer >= stage || graph_.node(consumer).may_rerun;
  if (!used) return {-1, 0};
  const bool only_once = !node.may_rerun && (extras_ == nullptr || !extras_->MayRestore(position));
  if (only_once && node.consumers.back() >= stage) return {-1, 1};
  return {model_.AddBinary(0), 0};
}

// Whether each stage's own node fits with its inputs and what must be held anyway.
bool StagedModel::EveryNodeFits(int64_t budget_bytes) const {
  for (int stage = 0; stage < graph_.size(); ++stage) {
    const StagedNode& node = graph_.node(stage);
    int64_t bytes = node.bytes + node.temporary_bytes;
    for (const int input : node.inputs) bytes += input == node.takes_over ? 0 : graph_.node(input).bytes;
    for (int i = 0; i < stage; ++i) {
      const bool input = std::binary_search(node.inputs.begin(), node.inputs.end(), i);
      if (held(stage, i).Is(1) && !input) bytes += graph_.node(i).bytes;
    }
    if (bytes > budget_bytes) return false;
  }
  return true;
}

void StagedModel::AddPresence(int stage) {
  for (int k = 0; k <= stage; ++k) {
    for (const int i : graph_.node(k).inputs) {
      if (computed(stage, k).Is(0) || held(stage, i).Is(1)) continue;
      RowBuilder()
          .Add(1, computed(stage, k))
          .Add(-1, computed(stage, i))
          .Add(-1, held(stage, i))
          .AddTo(&model_, -kOpen, 0);
    }
  }
  if (stage == 0) return;
  for (int i = 0; i < stage; ++i) {
    if (held(stage, i).Is(0)) continue;
    // A view is no use without the buffer that it shares.
    for (const int viewed : graph_.node(i).viewed) {
      if (held(stage, viewed).Is(1)) continue;
      RowBuilder().Add(1, held(stage, i)).Add(-1, held(stage, viewed)).AddTo(&model_, -kOpen, 0);
    }
    if (i == stage - 1) continue;
    RowBuilder row;
    row.Add(1, held(stage, i)).Add(-1, held(stage - 1, i)).Add(-1, computed(stage - 1, i));
    if (extras_ != nullptr) {
      for (const int column : extras_->Restoring(stage - 1, i)) row.Add(-1, {column, 0});
    }
    row.AddTo(&model_, -kOpen, 0);
  }
}

void StagedModel::AddMemory(int stage) {
  RowBuilder start;
  for (int i = 0; i < stage; ++i) start.Add(static_cast<double>(graph_.node(i).bytes) / bytes_unit_, held(stage, i));
  if (extras_ != nullptr) {
    for (const auto& [column, position] : extras_->Arriving(stage)) {
      start.Add(static_cast<double>(graph_.node(position).bytes) / bytes_unit_, {column, 0});
    }
  }
  // From node to node: U[t,k] is what is in use once k was reached.
  RowBuilder change = start;
  for (int k = 0; k <= stage; ++k) {
    const StagedNode& node = graph_.node(k);
    const Term in_use = {model_.AddContinuous(0, kModelBudget, 0), 0};
    change.Add(static_cast<double>(node.bytes) / bytes_unit_, computed(stage, k)).Add(-1, in_use);
    if (node.takes_over >= 0) AddFreed(stage, node.takes_over, k, &change);
    change.AddTo(&model_, 0, 0);
    if (node.temporary_bytes > 0) {
      RowBuilder()
          .Add(1, in_use)
          .Add(static_cast<double>(node.temporary_bytes) / bytes_unit_, computed(stage, k))
          .AddTo(&model_, -kOpen, kModelBudget);
    }
    change = RowBuilder().Add(1, in_use);
    if (k == stage) break;
    for (const int i : node.inputs) {
      if (i != node.takes_over) AddFreed(stage, i, k, &change);
    }
  }
}

void StagedModel::AddFreed(int stage, int value, int after, RowBuilder* row) {
  const double bytes = static_cast<double>(graph_.node(value).bytes) / bytes_unit_;
  if (bytes > 0) row->Add(-bytes, AddFree(stage, value, after));
}

Term StagedModel::AddFree(int stage, int value, int after) {
  std::vector<Term> hazards;
  if (stage + 1 < graph_.size()) hazards.push_back(held(stage + 1, value));
  for (const int consumer : graph_.node(value).consumers) {
    if (consumer > after && consumer <= stage) hazards.push_back(computed(stage, consumer));
  }
  if (computed(stage, after).Is(0) || graph_.node(value).held) return {-1, 0};
  for (const Term& hazard : hazards) {
    if (hazard.Is(1)) return {-1, 0};
  }
  const double most = 1 + static_cast<double>(hazards.size());
  const Term freed = {model_.AddBinary(0), 0};
  RowBuilder sum;
  sum.Add(1, {-1, 1}).Add(-1, computed(stage, after));
  for (const Term& hazard : hazards) sum.Add(1, hazard);
  RowBuilder(sum).Add(1, freed).AddTo(&model_, 1, kOpen);
  RowBuilder(sum).Add(most, freed).AddTo(&model_, -kOpen, most);
  return freed;
}

Schedule StagedModel::Read(const std::vector<double>& values) const {
  Schedule schedule;
  schedule.held = StageMatrix(graph_.size());
  for (int stage = 0; stage < graph_.size(); ++stage) {
    for (int i = 0; i < stage; ++i) schedule.held.Set(stage, i, held(stage, i).Value(values) > 0.5);
  }
  schedule.computed = LeastComputed(graph_, schedule.held);
  return schedule;
}

}  // namespace str::strategies
