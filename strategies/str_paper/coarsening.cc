#include "strategies/str_paper/coarsening.h"

#include <algorithm>
#include <vector>

namespace str::strategies {
namespace {

// Positions [begin, end) of the graph that is coarsened.
struct Group {
  int begin = 0;
  int end = 0;
  int64_t bytes = 0;
  // Some member has bytes and may run again; has bytes and may not.
  bool again = false;
  bool once = false;
};

bool MayFuse(const Group& a, const Group& b) { return !(a.again || b.again) || !(a.once || b.once); }

// The index of the left one of the pair to fuse: the lightest group with the lighter of its neighbours. -1: none.
int FindPair(const std::vector<Group>& groups) {
  int best = -1;
  int64_t best_bytes = 0, best_pair = 0;
  for (size_t i = 0; i + 1 < groups.size(); ++i) {
    if (!MayFuse(groups[i], groups[i + 1])) continue;
    const int64_t lighter = std::min(groups[i].bytes, groups[i + 1].bytes);
    const int64_t pair = groups[i].bytes + groups[i + 1].bytes;
    if (best >= 0 && (lighter > best_bytes || (lighter == best_bytes && pair >= best_pair))) continue;
    best = static_cast<int>(i);
    best_bytes = lighter;
    best_pair = pair;
  }
  return best;
}

StagedNode Fuse(const StagedGraph& graph, const Group& group, const std::vector<int>& group_of) {
  StagedNode fused;
  fused.may_rerun = !group.once;
  int64_t live = 0, peak = 0;
  const auto leaves = [&](int position) {
    const StagedNode& node = graph.node(position);
    return node.held || (!node.consumers.empty() && node.consumers.back() >= group.end);
  };
  for (int i = group.begin; i < group.end; ++i) {
    const StagedNode& node = graph.node(i);
    fused.seconds += node.seconds;
    fused.nodes.insert(fused.nodes.end(), node.nodes.begin(), node.nodes.end());
    fused.held = fused.held || node.held;
    for (const int input : node.inputs) {
      if (input < group.begin) fused.inputs.push_back(group_of[input]);
    }
    if (leaves(i)) {
      fused.bytes += node.bytes;
      fused.tensors.insert(fused.tensors.end(), node.tensors.begin(), node.tensors.end());
      fused.may_swap = fused.may_swap || node.may_swap;
      for (const int viewed : node.viewed) {
        if (viewed < group.begin) fused.viewed.push_back(group_of[viewed]);
      }
    }
    live += node.bytes;
    const auto ends_here = [&](int j) {
      return !leaves(j) && (graph.node(j).consumers.empty() ? j == i : graph.node(j).consumers.back() == i);
    };
    const bool takes_over = node.takes_over >= group.begin && ends_here(node.takes_over);
    peak = std::max(peak, live - (takes_over ? graph.node(node.takes_over).bytes : 0) + node.temporary_bytes);
    for (int j = group.begin; j <= i; ++j) {
      if (ends_here(j)) live -= graph.node(j).bytes;
    }
  }
  fused.temporary_bytes = peak - fused.bytes;
  return fused;
}

}  // namespace

StagedGraph Coarsen(const StagedGraph& graph, int most) {
  std::vector<Group> groups;
  for (int i = 0; i < graph.size(); ++i) {
    const StagedNode& node = graph.node(i);
    groups.push_back({i, i + 1, node.bytes, node.bytes > 0 && node.may_rerun, node.bytes > 0 && !node.may_rerun});
  }
  while (static_cast<int>(groups.size()) > most) {
    const int left = FindPair(groups);
    if (left < 0) break;
    Group& into = groups[left];
    const Group& from = groups[left + 1];
    into.end = from.end;
    into.bytes += from.bytes;
    into.again = into.again || from.again;
    into.once = into.once || from.once;
    groups.erase(groups.begin() + left + 1);
  }
  std::vector<int> group_of(graph.size());
  StagedGraph coarse(graph.fixed_bytes());
  for (size_t g = 0; g < groups.size(); ++g) {
    for (int i = groups[g].begin; i < groups[g].end; ++i) group_of[i] = static_cast<int>(g);
    coarse.Add(Fuse(graph, groups[g], group_of));
  }
  return coarse;
}

}  // namespace str::strategies
