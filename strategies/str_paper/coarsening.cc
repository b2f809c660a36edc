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
// `apart` says before which positions groups stay apart.
int FindPair(const std::vector<Group>& groups, const std::vector<bool>& apart) {
  int best = -1;
  int64_t best_bytes = 0, best_pair = 0;
  for (size_t i = 0; i + 1 < groups.size(); ++i) {
    if (apart[groups[i + 1].begin] || !MayFuse(groups[i], groups[i + 1])) continue;
    const int64_t lighter = std::min(groups[i].bytes, groups[i + 1].bytes);
    const int64_t pair = groups[i].bytes + groups[i + 1].bytes;
    if (best >= 0 && (lighter > best_bytes || (lighter == best_bytes && pair >= best_pair))) continue;
    best = static_cast<int>(i);
    best_bytes = lighter;
    best_pair = pair;
  }
  return best;
}

// Follows the memory of a group while it runs.
class GroupMemory {
 public:
  GroupMemory(const StagedGraph& graph, const Group& group) : graph_(graph), group_(group) {
    int64_t live = 0;
    for (int i = group.begin; i < group.end; ++i) {
      const StagedNode& node = graph.node(i);
      if (!node.held) live += node.bytes;
      const bool in_place = node.takes_over >= group.begin && EndsAt(node.takes_over, i);
      peak_ = std::max(peak_, live - (in_place ? graph.node(node.takes_over).bytes : 0) + node.temporary_bytes);
      for (int j = group.begin; j <= i; ++j) {
        if (EndsAt(j, i)) live -= graph.node(j).bytes;
      }
    }
  }

  // Whether others take the member's value.
  bool Leaves(int position) const {
    const StagedNode& node = graph_.node(position);
    return !node.held && !node.consumers.empty() && node.consumers.back() >= group_.end;
  }
  // Without what it takes from others.
  int64_t peak() const { return peak_; }
  // With it.
  int64_t needed() const {
    std::vector<int> inputs;
    for (int i = group_.begin; i < group_.end; ++i) {
      for (const int input : graph_.node(i).inputs) {
        if (input < group_.begin && !graph_.node(input).held) inputs.push_back(input);
      }
    }
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    int64_t bytes = peak_;
    for (const int input : inputs) bytes += graph_.node(input).bytes;
    return bytes;
  }

 private:
  // Whether `position` is the last to need the member's value.
  bool EndsAt(int member, int position) const {
    const StagedNode& node = graph_.node(member);
    if (node.held || Leaves(member)) return false;
    return node.consumers.empty() ? member == position : node.consumers.back() == position;
  }

  const StagedGraph& graph_;
  const Group& group_;
  int64_t peak_ = 0;
};

// `coarse` holds the groups before.
StagedNode Fuse(const StagedGraph& graph, const Group& group, const std::vector<int>& group_of,
                const StagedGraph& coarse) {
  StagedNode fused;
  fused.may_rerun = !group.once;
  const GroupMemory memory(graph, group);
  for (int i = group.begin; i < group.end; ++i) {
    const StagedNode& node = graph.node(i);
    fused.seconds += node.seconds;
    fused.nodes.insert(fused.nodes.end(), node.nodes.begin(), node.nodes.end());
    for (const int input : node.inputs) {
      if (input < group.begin) fused.inputs.push_back(group_of[input]);
    }
    // A buffer that is the whole value of another group can be taken over from it.
    const int from = node.takes_over;
    if (from >= 0 && from < group.begin && coarse.node(group_of[from]).tensors == graph.node(from).tensors) {
      fused.takes_over = group_of[from];
    }
    if (!memory.Leaves(i)) continue;
    fused.bytes += node.bytes;
    fused.tensors.insert(fused.tensors.end(), node.tensors.begin(), node.tensors.end());
    fused.may_swap = fused.may_swap || node.may_swap;
    for (const int viewed : node.viewed) {
      if (viewed < group.begin) fused.viewed.push_back(group_of[viewed]);
    }
  }
  fused.temporary_bytes = memory.peak() - fused.bytes;
  return fused;
}

}  // namespace

StagedGraph Coarsen(const StagedGraph& graph, int most, int64_t most_bytes) {
  std::vector<Group> groups;
  for (int i = 0; i < graph.size(); ++i) {
    const StagedNode& node = graph.node(i);
    groups.push_back({i, i + 1, node.bytes, node.bytes > 0 && node.may_rerun, node.bytes > 0 && !node.may_rerun});
  }
  std::vector<bool> apart(graph.size(), false);
  while (static_cast<int>(groups.size()) > most) {
    const int left = FindPair(groups, apart);
    if (left < 0) break;
    const Group& from = groups[left + 1];
    Group fused = groups[left];
    fused.end = from.end;
    fused.bytes += from.bytes;
    fused.again = fused.again || from.again;
    fused.once = fused.once || from.once;
    if (GroupMemory(graph, fused).needed() > most_bytes) {
      apart[from.begin] = true;
      continue;
    }
    groups[left] = fused;
    groups.erase(groups.begin() + left + 1);
  }
  std::vector<int> group_of(graph.size());
  // What stays to the end would keep its whole group there; so it counts from the start.
  int64_t fixed_bytes = graph.fixed_bytes();
  for (int i = 0; i < graph.size(); ++i) fixed_bytes += graph.node(i).held ? graph.node(i).bytes : 0;
  StagedGraph coarse(fixed_bytes);
  for (size_t g = 0; g < groups.size(); ++g) {
    for (int i = groups[g].begin; i < groups[g].end; ++i) group_of[i] = static_cast<int>(g);
    coarse.Add(Fuse(graph, groups[g], group_of, coarse));
  }
  return coarse;
}

}  // namespace str::strategies
