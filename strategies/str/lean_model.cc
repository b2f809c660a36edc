#include "strategies/str/lean_model.h"

#include <algorithm>

#include "absl/log/check.h"
#include "optimizer/simulator/program.h"
#include "optimizer/simulator/simulator.h"

namespace str::strategies {

using optimizer::kNone;
using optimizer::NodeId;
using optimizer::TensorId;

namespace {

// Of the peak with everything kept: storages that are smaller and not decided are left out.
constexpr int64_t kTinyShareOfPeak = 50000;

}  // namespace

LeanModel::LeanModel(const Problem* problem) : problem_(*problem) {
  const std::vector<int32_t> full_stage = Condense();
  FindKeptBytes();
  AddStorages();
  AddUndecided();
  AddStageRows(full_stage);
  FindTakeovers();
}

std::vector<int32_t> LeanModel::Condense() {
  const int full_stages = problem_.stages();
  condensed_.resize(full_stages + 1);
  std::vector<int32_t> full_stage;
  for (int t = 0; t < full_stages; ++t) {
    const bool matters = !problem_.touches(t).empty();
    if (matters || stages_.empty() || full_stage.back() != kNone) {
      stages_.emplace_back();
      full_stage.push_back(matters ? t : kNone);
    }
    condensed_[t] = stages() - 1;
    const double seconds = problem_.costs().node_seconds[problem_.node(t)];
    stages_.back().seconds += seconds;
    compute_seconds_ += seconds;
  }
  condensed_[full_stages] = stages();
  for (const Unit& unit : problem_.units()) {
    if (!unit.afterlife) units_by_end_.push_back(units());
    units_.push_back({unit.storage, condensed_[unit.from], condensed_[unit.to], unit.afterlife, unit.hands_over});
  }
  std::stable_sort(units_by_end_.begin(), units_by_end_.end(),
                   [this](int32_t a, int32_t b) { return units_[a].to < units_[b].to; });
  return full_stage;
}

void LeanModel::AddStorages() {
  const optimizer::Graph& graph = problem_.graph();
  const optimizer::Costs& costs = problem_.costs();
  storage_of_.resize(graph.tensor_count());
  for (TensorId id = 0; id < graph.tensor_count(); ++id) storage_of_[id] = problem_.storage_of(id);
  for (const Storage& from : problem_.storages()) {
    LeanStorage storage;
    storage.bytes = from.rounded_bytes;
    storage.first_unit = from.first_unit;
    storage.end_unit = from.first_unit + from.units;
    if (from.units > 0 && units_[storage.end_unit - 1].afterlife) storage.afterlife = storage.end_unit - 1;
    if (from.may_swap) {
      storage.copy_out_seconds = costs.CopyOutSeconds(from.bytes);
      storage.copy_in_seconds = costs.CopyInSeconds(from.bytes);
    }
    for (int32_t input : graph.forwards(from.root)) {
      const int32_t candidate = problem_.storage_of(graph.inputs(from.producer)[input]);
      if (candidate == kNone || problem_.storages()[candidate].rounded_bytes != from.rounded_bytes) continue;
      storage.takes_over = candidate;
      break;
    }
    storages_.push_back(storage);
  }
}

void LeanModel::AddUndecided() {
  const optimizer::Graph& graph = problem_.graph();
  const int tensors = graph.tensor_count();
  std::vector<bool> held(tensors, false);
  for (TensorId id = 0; id < tensors; ++id) {
    const optimizer::Tensor& tensor = graph.tensor(id);
    if (tensor.outside_uses > 0) held[tensor.root] = true;
  }
  const int32_t decided = storages();
  for (TensorId id = 0; id < tensors; ++id) {
    const optimizer::Tensor& tensor = graph.tensor(id);
    if (tensor.root != id) {
      if (storage_of_[tensor.root] >= decided) storage_of_[id] = storage_of_[tensor.root];
      continue;
    }
    if (storage_of_[id] != kNone || held[id] || tensor.external || tensor.reads_variable) continue;
    if (!graph.node(tensor.node).in_program || tensor.rounded_bytes <= peak_bytes_ / kTinyShareOfPeak) continue;
    storage_of_[id] = storages();
    LeanStorage storage;
    storage.bytes = tensor.rounded_bytes;
    storages_.push_back(storage);
  }
  // Their uses may lie in stages that were merged.
  for (int t = 0; t < problem_.stages(); ++t) {
    const NodeId id = problem_.node(t);
    const optimizer::Node& node = graph.node(id);
    const auto use = [&](TensorId tensor) {
      if (storage_of_[tensor] >= decided) storages_[storage_of_[tensor]].last_use = condensed_[t];
    };
    for (TensorId output = node.first_tensor; output < node.first_tensor + node.outputs; ++output) use(output);
    for (TensorId input : graph.inputs(id)) use(input);
  }
}

void LeanModel::AddStageRows(const std::vector<int32_t>& full_stage) {
  const optimizer::Graph& graph = problem_.graph();
  first_input_ = first_output_ = {0};
  for (int t = 0; t < stages(); ++t) {
    if (full_stage[t] != kNone) {
      const NodeId id = problem_.node(full_stage[t]);
      const optimizer::Node& node = graph.node(id);
      for (TensorId input : graph.inputs(id)) {
        const int32_t storage = storage_of_[input];
        const auto row = inputs_.begin() + first_input_.back();
        if (storage != kNone && std::find(row, inputs_.end(), storage) == inputs_.end()) inputs_.push_back(storage);
      }
      stages_[t].rerun_bytes = node.temporary_bytes;
      for (TensorId id = node.first_tensor; id < node.first_tensor + node.outputs; ++id) {
        const optimizer::Tensor& tensor = graph.tensor(id);
        const int32_t storage = problem_.storage_of(id);
        if (storage != kNone && problem_.storages()[storage].root == id) {
          outputs_.push_back(storage);
        } else if (storage == kNone && tensor.view_of == kNone && !tensor.reads_variable && !tensor.external) {
          stages_[t].rerun_bytes += tensor.rounded_bytes;
        }
      }
    }
    first_input_.push_back(static_cast<int32_t>(inputs_.size()));
    first_output_.push_back(static_cast<int32_t>(outputs_.size()));
  }
  const int32_t decided = static_cast<int32_t>(problem_.storages().size());
  for (int t = 0; t < stages(); ++t) {
    for (const int32_t storage : outputs(t)) storages_[storage].producer = storages_[storage].last_use = t;
    for (const int32_t storage : inputs(t)) {
      if (storage < decided) storages_[storage].last_use = t;
    }
  }
}

void LeanModel::FindTakeovers() {
  for (const LeanStorage& storage : storages_) {
    if (storage.takes_over == kNone) continue;
    LeanStorage& source = storages_[storage.takes_over];
    source.taken_over |= source.last_use == storage.producer;
  }
}

void LeanModel::FindKeptBytes() {
  const int full_stages = problem_.stages();
  optimizer::Simulator simulator(&problem_.graph(), &problem_.costs());
  optimizer::SimulationDetail detail;
  detail.profile = true;
  optimizer::Simulation simulation;
  const absl::Status status =
      simulator.Run(optimizer::KeepAll(problem_.graph(), problem_.nodes()), detail, &simulation);
  CHECK(status.ok()) << "the order does not run: " << status;
  peak_bytes_ = simulation.peak_bytes;
  for (int t = 0; t < full_stages; ++t) {
    LeanStage& stage = stages_[condensed_[t]];
    const bool begins = t == 0 || condensed_[t - 1] != condensed_[t];
    stage.kept_bytes = std::max(stage.kept_bytes, simulation.profile[t]);
    if (begins) stage.kept_before_bytes = t == 0 ? simulation.profile[t] : simulation.held[t - 1];
  }
}

}  // namespace str::strategies
