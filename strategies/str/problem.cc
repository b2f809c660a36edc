#include "strategies/str/problem.h"

#include <algorithm>

namespace str::strategies {
namespace {

using optimizer::kNone;
using optimizer::NodeId;
using optimizer::TensorId;

constexpr int64_t kSmallestDecidedBytes = 65536;
constexpr int64_t kSmallestShareOfPeak = 2000;
// Never too small, as in graphs whose sizes are in a unit of their own.
constexpr int64_t kLargeShareOfPeak = 100;

// Whether a tensor of the class keeps it from being decided.
bool IsFixed(const optimizer::Graph& graph, TensorId id) {
  const optimizer::Tensor& tensor = graph.tensor(id);
  if (tensor.outside_uses > 0) return true;
  // A view that cannot be restored after its storage was.
  if (tensor.view_of != kNone && !graph.node(tensor.node).MayRerun()) return true;
  for (NodeId consumer : graph.consumers(id)) {
    const optimizer::Node& node = graph.node(consumer);
    if (node.variable_use == config::VARIABLE_REPLACE && graph.inputs(consumer)[1] == id) return true;
  }
  return false;
}

}  // namespace

Problem::Problem(const optimizer::Graph* graph, const optimizer::Costs* costs, const std::vector<NodeId>& order,
                 const ProblemOptions& options)
    : graph_(*graph), costs_(*costs), allows_swap_(options.allow_swap), allows_recompute_(options.allow_recompute) {
  stage_of_.assign(graph_.node_count(), kNone);
  for (NodeId node : order) {
    if (!graph_.node(node).in_program) continue;
    stage_of_[node] = stages();
    nodes_.push_back(node);
    compute_seconds_ += costs_.node_seconds[node];
  }
  FindStorages(options);
  FindUnits();
  FindHandovers();
}

void Problem::FindStorages(const ProblemOptions& options) {
  const int tensors = graph_.tensor_count();
  std::vector<bool> fixed(tensors, false);
  for (TensorId id = 0; id < tensors; ++id) {
    if (IsFixed(graph_, id)) fixed[graph_.tensor(id).root] = true;
  }
  const int64_t smallest = std::max(options.peak_bytes / kSmallestShareOfPeak,
                                    std::min(kSmallestDecidedBytes, options.peak_bytes / kLargeShareOfPeak));
  std::vector<int32_t> storage_of_root(tensors, kNone);
  for (TensorId id = 0; id < tensors; ++id) {
    const optimizer::Tensor& tensor = graph_.tensor(id);
    const optimizer::Node& node = graph_.node(tensor.node);
    if (tensor.root != id || fixed[id] || tensor.external || tensor.reads_variable || !node.in_program) continue;
    if (tensor.rounded_bytes < smallest) continue;
    const Pin pin = options.pins == nullptr || options.pins->empty() ? Pin::kFree : (*options.pins)[id];
    Storage storage;
    storage.root = id;
    storage.producer = tensor.node;
    storage.bytes = tensor.bytes;
    storage.rounded_bytes = tensor.rounded_bytes;
    storage.can_rerun = node.MayRerun();
    storage.may_swap = options.allow_swap && (pin == Pin::kFree || pin == Pin::kSwap);
    storage.may_recompute =
        options.allow_recompute && storage.can_rerun && (pin == Pin::kFree || pin == Pin::kRecompute);
    if (!storage.may_swap && !storage.may_recompute) continue;
    storage_of_root[id] = static_cast<int32_t>(storages_.size());
    storages_.push_back(storage);
  }
  storage_of_.resize(tensors);
  for (TensorId id = 0; id < tensors; ++id) storage_of_[id] = storage_of_root[graph_.tensor(id).root];
}

void Problem::FindUnits() {
  std::vector<std::vector<int32_t>> uses(storages_.size());
  for (TensorId id = 0; id < graph_.tensor_count(); ++id) {
    if (storage_of_[id] == kNone) continue;
    std::vector<int32_t>& stages = uses[storage_of_[id]];
    stages.push_back(stage_of_[graph_.tensor(id).node]);
    for (NodeId consumer : graph_.consumers(id)) stages.push_back(stage_of_[consumer]);
  }
  touches_.resize(stages());
  for (size_t s = 0; s < storages_.size(); ++s) {
    std::vector<int32_t>& stages = uses[s];
    std::sort(stages.begin(), stages.end());
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    storages_[s].first_unit = static_cast<int32_t>(units_.size());
    for (size_t i = 0; i < stages.size(); ++i) {
      Touch touch{static_cast<int32_t>(s), kNoUseLeft};
      if (i + 1 < stages.size()) {
        touch.next = kNextUseAdjacent;
        if (stages[i + 1] - stages[i] >= 2) {
          touch.next = static_cast<int32_t>(units_.size());
          units_.push_back({touch.storage, stages[i], stages[i + 1]});
        }
      } else if (storages_[s].can_rerun) {
        touch.next = static_cast<int32_t>(units_.size());
        units_.push_back({touch.storage, stages[i], this->stages(), /*afterlife=*/true});
      }
      touches_[stages[i]].push_back(touch);
    }
    storages_[s].units = static_cast<int32_t>(units_.size()) - storages_[s].first_unit;
  }
}

void Problem::FindHandovers() {
  for (int stage = 0; stage < stages(); ++stage) {
    const optimizer::Node& node = graph_.node(nodes_[stage]);
    for (TensorId output = node.first_tensor; output < node.first_tensor + node.outputs; ++output) {
      const int32_t unit = FindHandover(stage, output);
      if (unit != kNone) units_[unit].hands_over = true;
    }
  }
}

int32_t Problem::FindHandover(int stage, TensorId output) const {
  const absl::Span<const TensorId> inputs = graph_.inputs(nodes_[stage]);
  int32_t found = kNone;
  for (const int32_t input : graph_.forwards(output)) {
    const optimizer::Tensor& candidate = graph_.tensor(inputs[input]);
    if (candidate.external || candidate.reads_variable) continue;
    const int32_t storage = storage_of_[inputs[input]];
    // It may well end here whatever is decided, and then its buffer is the one to take over.
    if (storage == kNone) return kNone;
    if (storages_[storage].rounded_bytes != graph_.tensor(output).rounded_bytes) continue;
    const auto taken =
        std::count_if(inputs.begin(), inputs.end(), [&](TensorId other) { return storage_of_[other] == storage; });
    if (taken > 1) continue;
    const int32_t next = std::find_if(touches_[stage].begin(), touches_[stage].end(), [&](const Touch& touch) {
                           return touch.storage == storage;
                         })->next;
    if (next == kNoUseLeft || (next >= 0 && units_[next].afterlife)) return kNone;
    if (next >= 0 && found == kNone && !units_[next].hands_over) found = next;
  }
  return found;
}

std::vector<Mode> Problem::KeepEverything() const {
  std::vector<Mode> decisions;
  for (const Unit& unit : units_) decisions.push_back(unit.afterlife ? Mode::kTransient : Mode::kKeep);
  return decisions;
}

bool Problem::Allows(const Unit& unit, Mode mode) const {
  const Storage& storage = storages_[unit.storage];
  if (unit.afterlife) return mode == Mode::kKeep || mode == Mode::kTransient;
  switch (mode) {
    case Mode::kKeep:
      return true;
    case Mode::kSwap:
      return storage.may_swap;
    case Mode::kRecompute:
    case Mode::kTransient:
      return storage.may_recompute;
  }
  return false;
}

}  // namespace str::strategies
