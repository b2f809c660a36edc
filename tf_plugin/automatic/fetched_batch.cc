#include "tf_plugin/automatic/fetched_batch.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/graph/algorithm.h"
#include "tensorflow/core/graph/node_builder.h"
#include "tf_plugin/graph/graph_view.h"

namespace str::automatic {
namespace {

using tensorflow::Edge;
using tensorflow::Graph;
using tensorflow::Node;

bool Fetches(const Node& node) {
  return node.type_string() == "IteratorGetNext" || node.type_string() == "IteratorGetNextSync";
}

// In an order in which they can run.
std::vector<Node*> FetchesOf(const Graph& graph) {
  std::vector<Node*> order;
  tensorflow::GetReversePostOrder(graph, &order, tensorflow::NodeComparatorName());
  std::set<const Node*> found;
  std::vector<Node*> fetches;
  for (Node* node : order) {
    if (!Fetches(*node)) continue;
    const bool ready = std::all_of(node->in_edges().begin(), node->in_edges().end(), [&](const Edge* edge) {
      return !edge->src()->IsOp() || edge->src()->IsArg() || found.count(edge->src()) > 0;
    });
    if (!ready) continue;
    found.insert(node);
    fetches.push_back(node);
  }
  return fetches;
}

std::string ArgumentName(const Node& fetch, int output) {
  return absl::StrCat(graph::kNodePrefix, "fetched/", fetch.name(), "_", output);
}

std::map<std::string, Node*> NodesByName(const Graph& graph) {
  std::map<std::string, Node*> nodes;
  for (Node* node : graph.op_nodes()) nodes[node->name()] = node;
  return nodes;
}

int NumberOfArguments(const Graph& graph) {
  int arguments = 0;
  for (const Node* node : graph.op_nodes()) {
    int index = 0;
    if (node->IsArg() && tensorflow::TryGetNodeAttr(node->attrs(), "index", &index)) {
      arguments = std::max(arguments, index + 1);
    }
  }
  return arguments;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Graph>> WithoutFetches(const Graph& graph) {
  auto inner = std::make_unique<Graph>(graph.flib_def());
  inner->Copy(graph);
  int arguments = NumberOfArguments(*inner);
  for (Node* fetch : FetchesOf(*inner)) {
    std::vector<tensorflow::PartialTensorShape> shapes;
    tensorflow::GetNodeAttr(fetch->attrs(), "output_shapes", &shapes).IgnoreError();
    for (int output = 0; output < fetch->num_outputs(); ++output) {
      Node* argument = nullptr;
      tensorflow::NodeBuilder builder(ArgumentName(*fetch, output), "_Arg");
      builder.Attr("T", fetch->output_type(output)).Attr("index", arguments++);
      if (output < static_cast<int>(shapes.size())) {
        builder.Attr("_output_shapes", std::vector<tensorflow::PartialTensorShape>{shapes[output]});
      }
      if (absl::Status status = builder.Finalize(inner.get(), &argument); !status.ok()) return status;
      argument->set_assigned_device_name(fetch->assigned_device_name());
      std::vector<std::pair<Node*, int>> users;
      for (const Edge* edge : fetch->out_edges()) {
        if (!edge->IsControlEdge() && edge->src_output() == output) users.emplace_back(edge->dst(), edge->dst_input());
      }
      for (const auto& [user, input] : users) {
        if (absl::Status status = inner->UpdateEdge(argument, 0, user, input); !status.ok()) return status;
      }
    }
    inner->RemoveNode(fetch);
  }
  tensorflow::FixupSourceAndSinkEdges(inner.get());
  return inner;
}

absl::Status AddFetches(const Graph& graph, Graph& outer) {
  std::map<std::string, Node*> nodes = NodesByName(outer);
  for (const Node* fetch : FetchesOf(graph)) {
    absl::Status status;
    Node* const copy = outer.AddNode(fetch->def(), &status);
    if (!status.ok()) return status;
    copy->set_assigned_device_name(fetch->assigned_device_name());
    nodes[fetch->name()] = copy;
    for (const Edge* edge : fetch->in_edges()) {
      if (!edge->src()->IsOp()) continue;
      outer.AddEdge(nodes.at(edge->src()->name()), edge->src_output(), copy, edge->dst_input());
    }
    for (int output = 0; output < fetch->num_outputs(); ++output) {
      Node* const argument = nodes.at(ArgumentName(*fetch, output));
      const std::vector<const Edge*> users(argument->out_edges().begin(), argument->out_edges().end());
      for (const Edge* edge : users) {
        if (edge->IsControlEdge()) continue;
        if (status = outer.UpdateEdge(copy, output, edge->dst(), edge->dst_input()); !status.ok()) return status;
      }
      outer.RemoveNode(argument);
    }
  }
  tensorflow::FixupSourceAndSinkEdges(&outer);
  return absl::OkStatus();
}

}  // namespace str::automatic
