#include "strategies/kusumoto/forward_part.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "optimizer/graph/backward.h"
#include "strategies/kusumoto/condense.h"

namespace str::strategies::kusumoto {
namespace {

using optimizer::Graph;
using optimizer::kNone;
using optimizer::NodeId;
using optimizer::Tensor;
using optimizer::TensorId;

// Times that are multiples of something up to so many times are exact; others are rounded to so many units.
constexpr int64_t kMostExactUnits = 4096;
constexpr int64_t kRoundedUnits = 1024;
constexpr double kNanosecondsPerSecond = 1e9;

bool OwnsBuffer(const Tensor& tensor) { return tensor.view_of == kNone && !tensor.reads_variable && !tensor.external; }

int64_t OwnBytes(const Graph& graph, NodeId node) {
  int64_t bytes = 0;
  for (int i = 0; i < graph.node(node).outputs; ++i) {
    const Tensor& tensor = graph.tensor(graph.node(node).first_tensor + i);
    if (OwnsBuffer(tensor)) bytes += tensor.rounded_bytes;
  }
  return bytes;
}

// Whether the node's only output ends up in the buffer of an input that nobody else takes.
bool TakesOver(const Graph& graph, NodeId node) {
  if (graph.node(node).outputs != 1) return false;
  const TensorId output = graph.node(node).first_tensor;
  for (const int32_t position : graph.forwards(output)) {
    const TensorId input = graph.inputs(node)[position];
    if (OwnsBuffer(graph.tensor(input)) && graph.consumers(input).size() == 1 &&
        graph.tensor(input).rounded_bytes == graph.tensor(output).rounded_bytes) {
      return true;
    }
  }
  return false;
}

bool Pinned(const PlanRequest& request, NodeId id) {
  if (request.pins.empty()) return false;
  const optimizer::Node& node = request.graph->node(id);
  for (int i = 0; i < node.outputs; ++i) {
    const Pin pin = request.pins[node.first_tensor + i];
    if (pin == Pin::kKeep || pin == Pin::kSwap) return true;
  }
  return false;
}

// What must come after something backward is backward too.
std::vector<bool> FindBackward(const Graph& graph, const std::vector<NodeId>& order,
                               const optimizer::Constraints& constraints) {
  std::vector<bool> backward = optimizer::FindBackward(graph).nodes;
  for (const NodeId id : order) {
    for (const NodeId before : constraints.predecessors[id]) {
      if (backward[before]) backward[id] = true;
    }
  }
  return backward;
}

// By node: whether a value is made of it. Something backward must depend on it.
std::vector<bool> FindValueNodes(const PlanRequest& request, const ForwardPart& part) {
  const Graph& graph = *request.graph;
  std::vector<bool> wanted = part.backward;
  for (auto id = part.order.rbegin(); id != part.order.rend(); ++id) {
    if (!wanted[*id]) continue;
    for (const NodeId before : part.constraints.predecessors[*id]) wanted[before] = true;
  }
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    wanted[id] = wanted[id] && !part.backward[id] && graph.node(id).MayRerun() && !Pinned(request, id);
  }
  return wanted;
}

void SortOnce(std::vector<int>* list) {
  std::sort(list->begin(), list->end());
  list->erase(std::unique(list->begin(), list->end()), list->end());
}

// Turns seconds by value into whole units.
void SetTimes(const std::vector<double>& seconds, ValueGraph* values) {
  std::vector<int64_t> nanoseconds;
  int64_t unit = 0, total = 0;
  for (const double time : seconds) {
    nanoseconds.push_back(std::llround(time * kNanosecondsPerSecond));
    unit = std::gcd(unit, nanoseconds.back());
    total += nanoseconds.back();
  }
  if (total == 0) return;
  if (total / unit > kMostExactUnits) unit = std::max<int64_t>(1, total / kRoundedUnits);
  for (size_t i = 0; i < values->size(); ++i) (*values)[i].kept_time = (nanoseconds[i] + unit / 2) / unit;
}

// What of each value others take, and what it takes to make that.
std::vector<double> SetKept(const PlanRequest& request, const std::vector<NodeId>& nodes,
                            const std::vector<int64_t>& bytes, const std::vector<std::vector<int>>& inputs,
                            const std::vector<int>& group_of, ValueGraph* values) {
  std::vector<bool> taken(nodes.size(), false);
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const int input : inputs[i]) taken[input] = taken[input] || group_of[input] != group_of[i];
  }
  std::vector<double> seconds(values->size(), 0);
  // What shares its input's buffer is taken with the node that made the buffer.
  for (size_t i = nodes.size(); i-- > 0;) {
    if (!taken[i]) continue;
    Value& value = (*values)[group_of[i]];
    value.kept_bytes += bytes[i];
    seconds[group_of[i]] += request.costs->node_seconds[nodes[i]];
    if (bytes[i] > 0) continue;
    for (const int input : inputs[i]) {
      if (group_of[input] == group_of[i]) taken[input] = true;
    }
  }
  return seconds;
}

}  // namespace

ForwardPart FindForwardPart(const PlanRequest& request, const std::vector<NodeId>& base_order) {
  const Graph& graph = *request.graph;
  ForwardPart part;
  part.constraints = optimizer::OrderConstraints(graph);
  const bool respects = optimizer::Respects(part.constraints, base_order);
  part.order = respects ? base_order : optimizer::RepairedOrder(part.constraints);
  part.backward = FindBackward(graph, part.order, part.constraints);
  const std::vector<bool> is_value = FindValueNodes(request, part);

  part.fixed_bytes = graph.external_bytes();
  // By node: the values, as indices into `nodes`, that it depends on without others in between.
  std::vector<std::vector<int>> sources(graph.node_count());
  std::vector<NodeId> nodes;
  std::vector<int64_t> bytes;
  std::vector<std::vector<int>> inputs;
  for (const NodeId id : part.order) {
    if (part.backward[id]) continue;
    for (const NodeId before : part.constraints.predecessors[id]) {
      sources[id].insert(sources[id].end(), sources[before].begin(), sources[before].end());
    }
    SortOnce(&sources[id]);
    const int64_t own_bytes = OwnBytes(graph, id);
    if (!is_value[id]) {
      part.fixed_bytes += own_bytes;
      continue;
    }
    inputs.push_back(std::move(sources[id]));
    sources[id] = {static_cast<int>(nodes.size())};
    nodes.push_back(id);
    bytes.push_back(TakesOver(graph, id) ? 0 : own_bytes);
  }
  std::vector<Fusable> items(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) items[i] = {bytes[i], inputs[i]};
  const std::vector<int> group_of = Condense(items, kMostValues);
  part.values.resize(group_of.empty() ? 0 : *std::max_element(group_of.begin(), group_of.end()) + 1);
  part.value_of.assign(graph.node_count(), -1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    part.value_of[nodes[i]] = group_of[i];
    Value& value = part.values[group_of[i]];
    value.bytes += bytes[i];
    for (const int input : inputs[i]) {
      if (group_of[input] == group_of[i]) continue;
      value.inputs.push_back(group_of[input]);
      part.values[group_of[input]].consumers.push_back(group_of[i]);
    }
  }
  for (Value& value : part.values) {
    SortOnce(&value.inputs);
    SortOnce(&value.consumers);
  }
  SetTimes(SetKept(request, nodes, bytes, inputs, group_of, &part.values), &part.values);
  return part;
}

}  // namespace str::strategies::kusumoto
