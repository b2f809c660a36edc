#include "strategies/checkmate/passes.h"

#include <algorithm>
#include <numeric>

#include "absl/log/check.h"
#include "optimizer/graph/backward.h"
#include "strategies/checkmate/articulation.h"

namespace str::strategies {
namespace {

// Values that together are at most this share of what the backward pass takes are small.
constexpr double kSmallShare = 0.01;

bool Takes(const StagedNode& node, int input) {
  return std::binary_search(node.inputs.begin(), node.inputs.end(), input);
}

bool IsMirrored(const StagedGraph& staged) {
  const int layers = (staged.size() - 1) / 2;
  if (layers < 1 || staged.size() != 2 * layers + 1) return false;
  if (!Takes(staged.node(layers), layers - 1) || !Takes(staged.node(layers + 1), layers)) return false;
  for (int i = 0; i < layers; ++i) {
    if (!Takes(staged.node(2 * layers - i), i) || !staged.node(i).viewed.empty()) return false;
  }
  return true;
}

std::vector<bool> FindBackward(const StagedGraph& staged, const optimizer::Graph& graph) {
  const optimizer::BackwardPass pass = optimizer::FindBackward(graph);
  std::vector<bool> backward(staged.size(), false);
  for (int i = 0; i < staged.size(); ++i) {
    for (const optimizer::NodeId id : staged.node(i).nodes) backward[i] = backward[i] || pass.nodes[id];
  }
  return backward;
}

std::vector<Role> RolesFrom(const StagedGraph& staged, const std::vector<bool>& backward) {
  std::vector<Role> roles(staged.size(), Role::kOther);
  for (int i = staged.size() - 1; i >= 0; --i) {
    if (backward[i]) {
      roles[i] = Role::kBackward;
      continue;
    }
    for (const int consumer : staged.node(i).consumers) {
      if (roles[consumer] != Role::kOther) roles[i] = Role::kForward;
    }
  }
  return roles;
}

bool TakenByBackward(const StagedGraph& staged, const std::vector<Role>& roles, int position) {
  for (const int consumer : staged.node(position).consumers) {
    if (roles[consumer] == Role::kBackward) return true;
  }
  return false;
}

// The smallest values first, as long as all of them together are few bytes.
std::vector<bool> FindSmall(const StagedGraph& staged, const std::vector<Role>& roles) {
  std::vector<int> forward;
  int64_t taken_bytes = 0;
  for (int i = 0; i < staged.size(); ++i) {
    if (roles[i] != Role::kForward) continue;
    forward.push_back(i);
    if (TakenByBackward(staged, roles, i)) taken_bytes += staged.node(i).bytes;
  }
  std::stable_sort(forward.begin(), forward.end(),
                   [&](int a, int b) { return staged.node(a).bytes < staged.node(b).bytes; });
  std::vector<bool> small(staged.size(), false);
  int64_t sum = 0;
  for (const int i : forward) {
    sum += staged.node(i).bytes;
    if (static_cast<double>(sum) > kSmallShare * static_cast<double>(taken_bytes)) break;
    // Views come and go with what they view.
    small[i] = staged.node(i).viewed.empty();
  }
  return small;
}

std::vector<int> FindLayers(const StagedGraph& staged, const Passes& passes) {
  std::vector<int> layer(staged.size(), 0);
  for (int stage = 0; stage < staged.size(); ++stage) {
    if (passes.roles[stage] == Role::kForward) {
      layer[stage] = stage;
      continue;
    }
    if (stage > 0) layer[stage] = layer[stage - 1];
    if (passes.roles[stage] == Role::kOther) continue;
    for (const int input : staged.node(stage).inputs) {
      if (!std::binary_search(passes.candidates.begin(), passes.candidates.end(), input)) continue;
      layer[stage] = input;
      break;
    }
  }
  return layer;
}

}  // namespace

Passes FindPasses(const StagedGraph& staged, const optimizer::Graph* graph) {
  Passes passes;
  passes.small.assign(staged.size(), false);
  passes.mirrored = IsMirrored(staged);
  if (passes.mirrored) {
    const int layers = staged.size() / 2;
    passes.roles.assign(staged.size(), Role::kBackward);
    std::fill_n(passes.roles.begin(), layers, Role::kForward);
    passes.candidates.resize(layers);
    std::iota(passes.candidates.begin(), passes.candidates.end(), 0);
    passes.articulation_points = ArticulationPoints(staged, passes.candidates);
  } else {
    CHECK(graph != nullptr) << "edges alone do not tell";
    passes.roles = RolesFrom(staged, FindBackward(staged, *graph));
    passes.small = FindSmall(staged, passes.roles);
    std::vector<int> forward;
    for (int i = 0; i < staged.size(); ++i) {
      if (passes.roles[i] != Role::kForward) continue;
      forward.push_back(i);
      const StagedNode& node = staged.node(i);
      const bool decides = node.may_rerun && !node.held && node.bytes > 0 && node.viewed.empty() && !passes.small[i];
      if (decides && TakenByBackward(staged, passes.roles, i)) passes.candidates.push_back(i);
    }
    const std::vector<int> cuts = ArticulationPoints(staged, Backbone(staged, forward));
    std::set_intersection(cuts.begin(), cuts.end(), passes.candidates.begin(), passes.candidates.end(),
                          std::back_inserter(passes.articulation_points));
  }
  passes.layer = FindLayers(staged, passes);
  return passes;
}

}  // namespace str::strategies
