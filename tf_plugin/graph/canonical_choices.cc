#include "tf_plugin/graph/canonical_choices.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/graph/node_builder.h"
#include "tensorflow/core/util/util.h"
#include "tf_plugin/graph/graph_view.h"

namespace str::graph {
namespace {

using tensorflow::Edge;
using tensorflow::Graph;
using tensorflow::Node;

// Edges into nodes that the layout pass may merge with each other, all from one node, by the consumer's name.
struct Candidates {
  std::vector<const Edge*> filters;  // into Conv2DBackpropFilter
  std::vector<const Edge*> biases;   // into BiasAddGrad
};

std::string TextAttr(const Node& node, const std::string& name) {
  std::string value;
  return tensorflow::GetNodeAttr(node.attrs(), name, &value).ok() ? value : "";
}

std::set<const Node*> ControlInputs(const Node& node) {
  std::set<const Node*> inputs;
  for (const Edge* edge : node.in_edges()) {
    if (edge->IsControlEdge()) inputs.insert(edge->src());
  }
  return inputs;
}

bool RunsOnCpu(const Node& node) {
  for (const std::string& device : {node.assigned_device_name(), node.requested_device()}) {
    if (!device.empty() && !absl::StrContains(device, "CPU")) return false;
  }
  return true;
}

// The layout pass's own conditions, except that it also merges nodes that take different outputs of one node.
bool CanMerge(const Node& filter, const Node& bias) {
  const tensorflow::DataType type = bias.input_type(0);
  return (type == tensorflow::DT_FLOAT || type == tensorflow::DT_BFLOAT16) && filter.input_type(2) == type &&
         TextAttr(filter, "padding") != "EXPLICIT" &&
         TextAttr(filter, "data_format") == TextAttr(bias, "data_format") && RunsOnCpu(filter) &&
         filter.assigned_device_name() == bias.assigned_device_name() &&
         filter.requested_device() == bias.requested_device() && ControlInputs(filter) == ControlInputs(bias);
}

// With one filter or one bias, the only pair that can be merged always is. With several of both, the pass looks at one
// partner of each node, and whether that is the right one depends on the order of edges.
bool IsOpen(const Candidates& candidates) {
  int pairs = 0;
  for (const Edge* filter : candidates.filters) {
    for (const Edge* bias : candidates.biases) pairs += CanMerge(*filter->dst(), *bias->dst()) ? 1 : 0;
  }
  return pairs > 1 || (pairs == 1 && candidates.filters.size() > 1 && candidates.biases.size() > 1);
}

bool ByConsumer(const Edge* a, const Edge* b) { return a->dst()->name() < b->dst()->name(); }

// By the name of the node that all edges come from.
std::map<std::string, Candidates> FindCandidates(const Graph& graph) {
  std::map<std::string, Candidates> found;
  for (const Node* node : graph.op_nodes()) {
    const bool is_filter = node->type_string() == "Conv2DBackpropFilter";
    if (!is_filter && node->type_string() != "BiasAddGrad") continue;
    const Edge* edge = nullptr;
    if (!node->input_edge(is_filter ? 2 : 0, &edge).ok()) continue;
    Candidates& candidates = found[edge->src()->name()];
    (is_filter ? candidates.filters : candidates.biases).push_back(edge);
  }
  for (auto& [source, candidates] : found) {
    std::sort(candidates.filters.begin(), candidates.filters.end(), ByConsumer);
    std::sort(candidates.biases.begin(), candidates.biases.end(), ByConsumer);
  }
  return found;
}

// Edges that may share a source, because the layout pass has no choice between their consumers.
using Group = std::vector<const Edge*>;

// Pairs first, then the filters and the biases that are left over, together where they take the same tensor.
std::vector<Group> Pair(Candidates candidates) {
  std::vector<Group> groups;
  std::map<std::pair<bool, int>, Group> left_over;
  for (const Edge* filter : candidates.filters) {
    const auto bias = std::find_if(candidates.biases.begin(), candidates.biases.end(), [&](const Edge* other) {
      return other->src_output() == filter->src_output() && CanMerge(*filter->dst(), *other->dst());
    });
    if (bias == candidates.biases.end()) {
      left_over[{false, filter->src_output()}].push_back(filter);
      continue;
    }
    groups.push_back({filter, *bias});
    candidates.biases.erase(bias);
  }
  for (const Edge* bias : candidates.biases) left_over[{true, bias->src_output()}].push_back(bias);
  for (auto& [key, group] : left_over) groups.push_back(std::move(group));
  return groups;
}

// Gives the group's consumers an Identity of their tensor to take instead.
absl::Status MoveToOwnSource(const Group& group, Graph& graph) {
  const Node& first = *group.front()->dst();
  Node* source = nullptr;
  absl::Status status =
      tensorflow::NodeBuilder(absl::StrCat(kNodePrefix, "own_source/", first.name()), "Identity", graph.op_registry())
          .Input(group.front()->src(), group.front()->src_output())
          .Device(first.requested_device())
          .Finalize(&graph, &source);
  if (!status.ok()) return status;
  source->set_assigned_device_name(first.assigned_device_name());
  for (const Edge* edge : group) {
    // The edge is gone afterwards.
    if (status = graph.UpdateEdge(source, 0, edge->dst(), edge->dst_input()); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status SettleBiasGradients(Graph& graph) {
  for (const auto& [source, candidates] : FindCandidates(graph)) {
    if (!IsOpen(candidates)) continue;
    const std::vector<Group> groups = Pair(candidates);
    for (size_t i = 1; i < groups.size(); ++i) {
      if (absl::Status status = MoveToOwnSource(groups[i], graph); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

// Whether the layout pass treats the ends of this edge otherwise if it visits the consumer first.
bool DependsOnOrder(const Edge& edge) {
  const std::string& source = edge.src()->type_string();
  const std::string& consumer = edge.dst()->type_string();
  if (source == "MaxPool") return consumer == "MaxPoolGrad" && edge.dst_input() == 1;
  if (source == "MaxPool3D") return consumer == "MaxPool3DGrad" && edge.dst_input() == 1;
  if (source != "Pad" || consumer != "Conv2D") return false;
  const auto& users = edge.dst()->out_edges();
  return std::any_of(users.begin(), users.end(),
                     [](const Edge* user) { return user->dst()->type_string() == "BiasAdd"; });
}

bool Reaches(const Node* from, const Node* to) {
  std::vector<const Node*> open = {from};
  std::set<const Node*> seen = {from};
  while (!open.empty()) {
    const Node* const node = open.back();
    open.pop_back();
    if (node == to) return true;
    for (const Edge* edge : node->out_edges()) {
      if (seen.insert(edge->dst()).second) open.push_back(edge->dst());
    }
  }
  return false;
}

absl::Status SettleLoops(Graph& graph) {
  const auto nodes = graph.op_nodes();
  if (std::none_of(nodes.begin(), nodes.end(), [](const Node* node) { return node->IsNextIteration(); })) {
    return absl::OkStatus();
  }
  std::vector<const Edge*> in_loops;
  for (const Edge* edge : graph.edges()) {
    if (!edge->IsControlEdge() && DependsOnOrder(*edge) && RunsOnCpu(*edge->dst()) &&
        Reaches(edge->dst(), edge->src())) {
      in_loops.push_back(edge);
    }
  }
  for (const Edge* edge : in_loops) {
    if (absl::Status status = MoveToOwnSource({edge}, graph); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SettleChoices(std::unique_ptr<Graph>& graph) {
  if (!tensorflow::IsMKLEnabled()) return absl::OkStatus();
  auto copy = std::make_unique<Graph>(graph->flib_def());
  copy->Copy(*graph);
  if (absl::Status status = SettleBiasGradients(*copy); !status.ok()) return status;
  if (absl::Status status = SettleLoops(*copy); !status.ok()) return status;
  if (copy->num_op_nodes() > graph->num_op_nodes()) graph = std::move(copy);
  return absl::OkStatus();
}

}  // namespace str::graph
