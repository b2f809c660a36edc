#include "strategies/kusumoto/chain_program.h"

#include <algorithm>
#include <limits>

#include "strategies/staged/schedule.h"

namespace str::strategies::kusumoto {
namespace {

using optimizer::Action;
using optimizer::Graph;
using optimizer::NodeId;
using optimizer::Program;
using optimizer::Step;
using optimizer::TensorId;

class Composer {
 public:
  Composer(const Graph& graph, const ForwardPart& part, const LowerSets& sets, const std::vector<int>& chain)
      : graph_(graph), part_(part), last_(static_cast<int>(chain.size()) - 1), segment_(graph.node_count(), 0) {
    SetSegments(sets, chain);
    FindDropped();
    FindStages();
  }

  Program Compose() const {
    Program program;
    // By segment, in order.
    std::vector<std::vector<NodeId>> forward(last_ + 1), backward(last_ + 1);
    for (const NodeId id : part_.order) {
      if (!graph_.node(id).in_program) continue;
      (part_.backward[id] ? backward : forward)[segment_[id]].push_back(id);
    }
    for (const std::vector<NodeId>& segment : forward) {
      for (const NodeId id : segment) program.push_back({Action::kRun, id});
    }
    for (int segment = last_; segment >= 0; --segment) {
      for (const NodeId id : forward[segment]) {
        if (dropped_[id]) program.push_back({Action::kRerun, id});
      }
      for (const NodeId id : backward[segment]) program.push_back({Action::kRun, id});
    }
    return WithoutUntaken(graph_, program);
  }

 private:
  // Of forward nodes. Those that are no values run as late as those who need them allow.
  void SetSegments(const LowerSets& sets, const std::vector<int>& chain) {
    std::vector<int> of_value(part_.values.size(), last_);
    for (int i = last_; i >= 0; --i) {
      for (size_t value = 0; value < of_value.size(); ++value) {
        if (sets.Has(chain[i], static_cast<int>(value))) of_value[value] = i;
      }
    }
    for (const NodeId id : part_.order) {
      if (part_.backward[id]) continue;
      const int value = part_.value_of[id];
      if (value >= 0) {
        segment_[id] = of_value[value];
        continue;
      }
      for (const NodeId before : part_.constraints.predecessors[id]) {
        segment_[id] = std::max(segment_[id], segment_[before]);
      }
    }
    for (auto id = part_.order.rbegin(); id != part_.order.rend(); ++id) {
      if (part_.backward[*id] || part_.value_of[*id] >= 0) continue;
      int first_need = std::numeric_limits<int>::max();
      for (const NodeId after : part_.constraints.successors[*id]) {
        if (!part_.backward[after]) first_need = std::min(first_need, segment_[after]);
      }
      if (first_need <= last_) segment_[*id] = std::max(segment_[*id], first_need);
    }
  }

  // What is not kept after its segment: no later segment takes it.
  void FindDropped() {
    dropped_.assign(graph_.node_count(), false);
    for (const NodeId id : part_.order) dropped_[id] = part_.value_of[id] >= 0 && segment_[id] < last_;
    for (const NodeId id : part_.order) {
      if (part_.backward[id]) continue;
      for (const TensorId input : graph_.inputs(id)) {
        const NodeId made_by = graph_.tensor(input).node;
        if (segment_[made_by] < segment_[id]) dropped_[made_by] = false;
      }
    }
  }

  // Backward nodes run in the first stage, from the last segment down, in which everything is there.
  void FindStages() {
    for (const NodeId id : part_.order) {
      if (!part_.backward[id]) continue;
      segment_[id] = last_;
      for (const NodeId before : part_.constraints.predecessors[id]) {
        if (part_.backward[before]) segment_[id] = std::min(segment_[id], segment_[before]);
      }
      for (const TensorId input : graph_.inputs(id)) {
        const NodeId made_by = graph_.tensor(input).node;
        if (dropped_[made_by]) segment_[id] = std::min(segment_[id], segment_[made_by]);
      }
    }
  }

  const Graph& graph_;
  const ForwardPart& part_;
  const int last_;
  // By node: of a forward node its segment, of a backward node the segment during whose stage it runs.
  std::vector<int> segment_;
  std::vector<bool> dropped_;
};

}  // namespace

Program ChainProgram(const Graph& graph, const ForwardPart& part, const LowerSets& sets,
                     const std::vector<int>& chain) {
  return Composer(graph, part, sets, chain).Compose();
}

}  // namespace str::strategies::kusumoto
