#include "strategies/checkmate/retention.h"

#include <algorithm>

#include "strategies/checkmate/revolve.h"

namespace str::strategies {
namespace {

// How many of the points are at or before the position.
int BlockOf(const std::vector<int>& points, int position) {
  return static_cast<int>(std::upper_bound(points.begin(), points.end(), position) - points.begin());
}

// From when it is made to the start of stage `last`.
void HoldUntil(int value, int last, StageMatrix* held) {
  for (int stage = value + 1; stage <= last; ++stage) held->Set(stage, value, true);
}

// Everything until it is used, except what the backward pass takes of the forward pass.
void HoldWithinPasses(const StagedGraph& staged, const Passes& passes, StageMatrix* held) {
  for (int node = 0; node < staged.size(); ++node) {
    for (const int input : staged.node(node).inputs) {
      const bool between = passes.roles[input] == Role::kForward && passes.roles[node] == Role::kBackward;
      if (!between) HoldUntil(input, node, held);
    }
  }
}

// The stages in which the block between two articulation points is differentiated.
struct Window {
  int first = -1;
  int last = -1;
};

std::vector<Window> FindWindows(const Passes& passes, const std::vector<int>& points) {
  std::vector<Window> windows(points.size() + 1);
  const int size = static_cast<int>(passes.roles.size());
  for (int stage = 0; stage < size; ++stage) {
    if (passes.roles[stage] != Role::kBackward) continue;
    Window& window = windows[BlockOf(points, passes.layer[stage])];
    if (window.first < 0) window.first = stage;
    window.last = stage;
  }
  // A block that nobody takes is done when the one before it is reached.
  Window earlier = {size - 1, size - 1};
  for (Window& window : windows) {
    if (window.first < 0) window = {earlier.first, earlier.first};
    earlier = window;
  }
  return windows;
}

}  // namespace

StageMatrix HoldCheckpoints(const StagedGraph& staged, const Passes& passes, const std::vector<int>& checkpoints) {
  const int size = staged.size();
  StageMatrix held(size);
  for (int node = 0; node < size; ++node) {
    for (const int input : staged.node(node).inputs) {
      const bool gradient = passes.roles[input] != Role::kForward;
      if (gradient || passes.roles[node] == Role::kOther) HoldUntil(input, node, &held);
      held.Set(node, input, true);
    }
  }
  for (const int checkpoint : checkpoints) HoldUntil(checkpoint, size - 1, &held);
  std::vector<int> segment(size);
  for (int i = 0; i < size; ++i) segment[i] = BlockOf(checkpoints, passes.layer[i]);
  for (int stage = 0; stage < size; ++stage) {
    for (int i = 0; i < stage; ++i) {
      if (segment[i] == segment[stage]) held.Set(stage, i, true);
    }
  }
  return held;
}

StageMatrix HoldLast(const StagedGraph& staged, const Passes& passes) {
  StageMatrix held(staged.size());
  for (int stage = 1; stage < staged.size(); ++stage) held.Set(stage, stage - 1, true);
  if (!passes.mirrored) HoldWithinPasses(staged, passes, &held);
  return held;
}

StageMatrix HoldByRevolve(const StagedGraph& staged, const Passes& passes, int snapshots) {
  const int size = staged.size();
  StageMatrix held = HoldLast(staged, passes);
  HoldWithinPasses(staged, passes, &held);
  // Block j starts with state j, which is the articulation point before it; nothing has to be held of state 0.
  const std::vector<int>& points = passes.articulation_points;
  const std::vector<Window> windows = FindWindows(passes, points);
  const int last_block = static_cast<int>(points.size());
  for (int i = 0; i < size; ++i) {
    if (passes.roles[i] != Role::kForward) continue;
    const int block = BlockOf(points, i);
    const int first = block == last_block ? i + 1 : std::max(i, windows[block].first) + 1;
    for (int stage = first; stage <= windows[block].last; ++stage) held.Set(stage, i, true);
  }
  for (const Snapshot& snapshot : RevolveSnapshots(last_block + 1, snapshots + 1)) {
    const int value = points[snapshot.state - 1];
    const int block = snapshot.taken_before_reversing;
    const int first = block == last_block ? value : windows[block].first;
    for (int stage = first + 1; stage <= windows[snapshot.state].last; ++stage) held.Set(stage, value, true);
  }
  return held;
}

void MakeRunnable(const StagedGraph& staged, const std::vector<bool>& kept, StageMatrix* held) {
  const int size = staged.size();
  std::vector<bool> stays(size, false);
  for (int i = size - 1; i >= 0; --i) {
    const StagedNode& node = staged.node(i);
    stays[i] = stays[i] || !node.may_rerun || node.held || kept[i];
    if (!stays[i]) continue;
    for (const int viewed : node.viewed) stays[viewed] = true;
  }
  for (int stage = 0; stage < size; ++stage) {
    for (int i = 0; i < stage; ++i) {
      if (stays[i]) {
        held->Set(stage, i, true);
        continue;
      }
      for (const int viewed : staged.node(i).viewed) {
        if (!(*held)(stage, viewed)) held->Set(stage, i, false);
      }
    }
  }
}

}  // namespace str::strategies
