#include "strategies/dtr/graph_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace str::dtr {
namespace {

using optimizer::Graph;
using optimizer::Node;
using optimizer::NodeId;
using optimizer::Tensor;
using optimizer::TensorId;
using strategies::Pin;

// After the last node.
constexpr NodeId kEnd = std::numeric_limits<NodeId>::max();

class GraphTracer {
 public:
  explicit GraphTracer(const strategies::PlanRequest& request)
      : request_(request),
        graph_(*request.graph),
        last_use_(graph_.tensor_count()),
        needed_until_(graph_.tensor_count(), 0),
        kept_(graph_.tensor_count(), false),
        traced_(graph_.tensor_count(), kNone) {}

  absl::StatusOr<GraphTrace> Trace() {
    for (TensorId tensor = 0; tensor < graph_.tensor_count(); ++tensor) FindUses(tensor);
    FindNeeds();
    AddConstants();
    std::vector<std::vector<TensorId>> released(graph_.node_count()), discarded(graph_.node_count());
    for (TensorId tensor = 0; tensor < graph_.tensor_count(); ++tensor) {
      if (!graph_.node(graph_.tensor(tensor).node).in_program) continue;
      if (last_use_[tensor] != kEnd) released[last_use_[tensor]].push_back(tensor);
      const bool discards = graph_.tensor(tensor).root == tensor && kept_[tensor] && needed_until_[tensor] != kEnd;
      if (discards) discarded[needed_until_[tensor]].push_back(tensor);
    }
    for (NodeId node = 0; node < graph_.node_count(); ++node) {
      if (!graph_.node(node).in_program) continue;
      AddNode(node);
      for (const TensorId tensor : released[node]) builder_.Release(traced_[tensor]);
      for (const TensorId tensor : discarded[node]) builder_.Discard(traced_[tensor]);
    }
    absl::StatusOr<dtr::Trace> trace = std::move(builder_).Build({});
    if (!trace.ok()) return trace.status();
    return GraphTrace{*std::move(trace), std::move(nodes_)};
  }

 private:
  bool IsKept(TensorId tensor) const {
    const Pin pin = request_.pins.empty() ? Pin::kFree : request_.pins[tensor];
    return !graph_.node(graph_.tensor(tensor).node).MayRerun() || graph_.tensor(tensor).outside_uses > 0 ||
           pin == Pin::kKeep || pin == Pin::kSwap;
  }

  void FindUses(TensorId tensor) {
    const Tensor& facts = graph_.tensor(tensor);
    NodeId last = facts.node;
    for (const NodeId consumer : graph_.consumers(tensor)) {
      if (graph_.node(consumer).in_program) last = std::max(last, consumer);
    }
    last_use_[tensor] = facts.outside_uses > 0 ? kEnd : last;
    NodeId& until = needed_until_[facts.root];
    until = std::max(until, last_use_[tensor]);
    if (IsKept(tensor)) kept_[facts.root] = true;
  }

  // What a node that may run again takes is needed as long as anything that it makes.
  void FindNeeds() {
    for (bool changed = true; changed;) {
      changed = false;
      for (NodeId node = graph_.node_count() - 1; node >= 0; --node) {
        if (!graph_.node(node).MayRerun()) continue;
        NodeId until = 0;
        for (int i = 0; i < graph_.node(node).outputs; ++i) {
          until = std::max(until, needed_until_[graph_.tensor(graph_.node(node).first_tensor + i).root]);
        }
        for (const TensorId input : graph_.inputs(node)) {
          NodeId& needed = needed_until_[graph_.tensor(input).root];
          changed |= needed < until;
          needed = std::max(needed, until);
        }
      }
    }
  }

  // What is there before the first node.
  void AddConstants() {
    builder_.AddConstant(graph_.external_bytes());
    for (TensorId tensor = 0; tensor < graph_.tensor_count(); ++tensor) {
      const Tensor& facts = graph_.tensor(tensor);
      if (graph_.node(facts.node).in_program) continue;
      traced_[tensor] = builder_.AddConstant(facts.external || facts.reads_variable ? 0 : facts.rounded_bytes);
    }
  }

  void AddNode(NodeId id) {
    const Node& node = graph_.node(id);
    std::vector<int32_t> inputs;
    for (const TensorId input : graph_.inputs(id)) inputs.push_back(traced_[input]);
    std::vector<TraceBuilder::Output> outputs;
    for (TensorId tensor = node.first_tensor; tensor < node.first_tensor + node.outputs; ++tensor) {
      const Tensor& facts = graph_.tensor(tensor);
      TraceBuilder::Output output;
      output.kept = IsKept(tensor);
      if (facts.view_of != optimizer::kNone) {
        const auto viewed = std::find(graph_.inputs(id).begin(), graph_.inputs(id).end(), facts.view_of);
        output.alias = static_cast<int32_t>(viewed - graph_.inputs(id).begin());
      } else if (!facts.external && !facts.reads_variable) {
        output.bytes = facts.rounded_bytes;
      }
      outputs.push_back(output);
    }
    const int64_t cost = std::llround(request_.costs->node_seconds[id] * 1e9);
    int32_t tensor = builder_.AddCall(inputs, outputs, cost, node.temporary_bytes);
    for (int i = 0; i < node.outputs; ++i) traced_[node.first_tensor + i] = tensor++;
    nodes_.push_back(id);
  }

  const strategies::PlanRequest& request_;
  const Graph& graph_;
  // Per tensor the one that makes its buffer. The next two by that one only.
  std::vector<NodeId> last_use_;
  std::vector<NodeId> needed_until_;
  std::vector<char> kept_;
  std::vector<int32_t> traced_;
  TraceBuilder builder_;
  std::vector<NodeId> nodes_;
};

}  // namespace

absl::StatusOr<GraphTrace> TraceGraph(const strategies::PlanRequest& request) { return GraphTracer(request).Trace(); }

optimizer::Program ToProgram(const GraphTrace& trace, const RunResult& result) {
  optimizer::Program program;
  for (const RunEvent& event : result.history) {
    if (event.kind == RunEvent::kCalled) program.push_back({optimizer::Action::kRun, trace.nodes[event.id]});
    if (event.kind == RunEvent::kAgain) program.push_back({optimizer::Action::kRerun, trace.nodes[event.id]});
  }
  return program;
}

}  // namespace str::dtr
