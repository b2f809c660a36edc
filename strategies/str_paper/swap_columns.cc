#include "strategies/str_paper/swap_columns.h"

namespace str::strategies {
namespace {

using optimizer::LinearModel;

constexpr double kOpen = LinearModel::kOpen;
// Copies back per copy out.
constexpr double kMostCopiesBack = 5;

}  // namespace

SwapTables MakeSwapTables(const optimizer::Graph& graph, const optimizer::Costs& costs, const StagedGraph& staged) {
  std::vector<double> out, in;
  for (int i = 0; i < staged.size(); ++i) {
    double out_seconds = 0, in_seconds = 0;
    for (const optimizer::TensorId tensor : staged.node(i).tensors) {
      out_seconds += costs.CopyOutSeconds(graph.tensor(tensor).bytes);
      in_seconds += costs.CopyInSeconds(graph.tensor(tensor).bytes);
    }
    out.push_back(out_seconds);
    in.push_back(in_seconds);
  }
  return {SwapTable(staged, out), SwapTable(staged, in)};
}

SwapColumns::SwapColumns(const StagedGraph* graph, const SwapTables* tables, std::vector<bool> may_swap, SwapRows rows)
    : graph_(*graph),
      tables_(*tables),
      size_(graph->size()),
      may_swap_(std::move(may_swap)),
      rows_(rows),
      out_(static_cast<size_t>(size_) * size_),
      in_(out_) {}

void SwapColumns::AddColumns(LinearModel* model) {
  const auto add = [&](const SwapTable& table, int stage, int position, std::vector<Term>* terms) {
    const bool possible =
        table.Finish(stage, position) != SwapTable::kNever && table.Start(stage, position) != SwapTable::kNever;
    if (possible) (*terms)[Index(stage, position)].column = model->AddBinary(0);
  };
  for (int stage = 0; stage < size_; ++stage) {
    for (int i = 0; i < stage; ++i) {
      if (!may_swap_[i]) continue;
      add(tables_.out, stage, i, &out_);
      add(tables_.in, stage, i, &in_);
    }
  }
}

std::vector<int> SwapColumns::Restoring(int stage, int position) const {
  const int start = tables_.in.Start(stage, position);
  if (start == SwapTable::kNever || in(start, position).column < 0) return {};
  return {in(start, position).column};
}

std::vector<std::pair<int, int>> SwapColumns::Arriving(int stage) const {
  std::vector<std::pair<int, int>> arriving;
  for (int i = 0; i < stage; ++i) {
    for (int start = i + 1; start <= stage; ++start) {
      const Term term = in(start, i);
      if (term.column >= 0 && tables_.in.Finish(start, i) >= stage) arriving.push_back({term.column, i});
    }
  }
  return arriving;
}

void SwapColumns::AddRows(const StagedModel& staged, LinearModel* model) const {
  for (int i = 0; i < size_; ++i) {
    if (!may_swap_[i]) continue;
    AddCopyRows(i, model);
    AddSourceRows(i, staged, model);
  }
  AddLaneRows(tables_.out, out_, model);
  AddLaneRows(tables_.in, in_, model);
}

void SwapColumns::AddSourceRows(int position, const StagedModel& staged, LinearModel* model) const {
  for (int stage = position + 1; stage < size_; ++stage) {
    RowBuilder row;
    if (rows_ == SwapRows::kPublished) {
      const int start = tables_.out.Start(stage, position);
      if (start != SwapTable::kNever) row.Add(1, out(start, position));
    } else {
      // At most one of them starts.
      for (int start = position + 1; start <= stage; ++start) {
        if (tables_.out.Finish(start, position) >= stage) row.Add(1, out(start, position));
      }
    }
    row.Add(-1, staged.held(stage, position)).AddTo(model, -kOpen, 0);
  }
}

void SwapColumns::AddCopyRows(int position, LinearModel* model) const {
  RowBuilder outs, least_back, most_back, before;
  for (int stage = position + 1; stage < size_; ++stage) {
    RowBuilder(before).Add(1, in(stage, position)).AddTo(model, -kOpen, 0);
    before.Add(-1, out(stage, position));
    outs.Add(1, out(stage, position));
    least_back.Add(1, out(stage, position)).Add(-1, in(stage, position));
    most_back.Add(-kMostCopiesBack, out(stage, position)).Add(1, in(stage, position));
  }
  outs.AddTo(model, -kOpen, 1);
  least_back.AddTo(model, -kOpen, 0);
  most_back.AddTo(model, -kOpen, 0);
}

void SwapColumns::AddLaneRows(const SwapTable& table, const std::vector<Term>& starts, LinearModel* model) const {
  // Copies that start in a stage: a column of its own keeps the rows short.
  std::vector<Term> started(size_);
  for (int stage = 0; stage < size_; ++stage) {
    RowBuilder sum;
    int count = 0;
    for (int i = 0; i < stage; ++i) {
      sum.Add(1, starts[Index(stage, i)]);
      count += starts[Index(stage, i)].column >= 0;
    }
    if (count == 0) continue;
    started[stage].column = model->AddContinuous(0, count, 0);
    sum.Add(-1, started[stage]).AddTo(model, 0, 0);
  }
  for (int stage = 0; stage < size_; ++stage) {
    for (int i = 0; i < stage; ++i) {
      const Term start = starts[Index(stage, i)];
      if (start.column < 0) continue;
      const int finish = table.Finish(stage, i);
      RowBuilder lane, value;
      for (int later = stage; later <= finish; ++later) lane.Add(1, started[later]);
      // If this copy starts, it is the only one; if not, the row binds nothing.
      const double length = finish - stage + 1;
      lane.Add(length, start).AddTo(model, -kOpen, 1 + length);
      if (finish == stage) continue;
      for (int later = stage + 1; later <= finish; ++later) value.Add(1, starts[Index(later, i)]);
      value.Add(length - 1, start).AddTo(model, -kOpen, length - 1);
    }
  }
}

}  // namespace str::strategies
