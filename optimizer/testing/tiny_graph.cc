#include "optimizer/testing/tiny_graph.h"

#include <functional>
#include <limits>
#include <queue>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace str::optimizer {
namespace {

constexpr int64_t kUnitBytes = 1 << 20;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

GraphBuilder RandomTinyGraph(uint64_t seed, int most_nodes, bool equal_sizes) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  GraphBuilder builder;
  builder.file().set_copy_out_bytes_per_second(1);
  builder.file().set_copy_in_bytes_per_second(1);
  const int nodes = static_cast<int>(draw(5, most_nodes));
  for (int i = 0; i < nodes; ++i) {
    std::vector<std::string> inputs;
    if (i > 0 && draw(0, 9) < 7) inputs.push_back(absl::StrCat("n", i - 1, ":0"));
    if (i > 1 && draw(0, 9) < 7) inputs.push_back(absl::StrCat("n", draw(0, i - 2), ":0"));
    const int64_t bytes = kUnitBytes * (equal_sizes ? 1 : draw(1, 6));
    config::Node* node = builder.Add(absl::StrCat("n", i), inputs, {bytes}, 1000 * draw(1, 30));
    if (draw(0, 9) < 2) node->set_recompute(config::RECOMPUTE_RANDOM);
  }
  return builder;
}

double LeastSecondsWithoutCopies(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order,
                                 int64_t budget_bytes, FirstRunsIn first_runs) {
  const int nodes = static_cast<int>(order.size());
  const int all = (1 << nodes) - 1;
  std::vector<int> position(graph.node_count(), 0);
  for (int i = 0; i < nodes; ++i) position[order[i]] = i;
  std::vector<double> least(1 << (2 * nodes), kNever);
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  const auto reach = [&](int done, int there, double seconds) {
    double& known = least[(done << nodes) + there];
    if (seconds >= known) return;
    known = seconds;
    queue.push({seconds, (done << nodes) + there});
  };
  const auto may_run = [&](int done, int i) {
    if ((done >> i & 1) != 0) return graph.node(order[i]).MayRerun();
    return first_runs == FirstRunsIn::kAnyOrder || done == (1 << i) - 1;
  };
  reach(0, 0, 0);
  while (!queue.empty()) {
    const auto [seconds, state] = queue.top();
    queue.pop();
    if (seconds > least[state]) continue;
    const int done = state >> nodes, there = state & all;
    if (done == all) return seconds;
    int64_t bytes = 0;
    for (int i = 0; i < nodes; ++i) {
      if ((there >> i & 1) == 0) continue;
      bytes += graph.tensor(graph.node(order[i]).first_tensor).rounded_bytes;
      reach(done, there & ~(1 << i), seconds);
    }
    for (int i = 0; i < nodes; ++i) {
      if ((there >> i & 1) != 0 || !may_run(done, i)) continue;
      if (bytes + graph.tensor(graph.node(order[i]).first_tensor).rounded_bytes > budget_bytes) continue;
      bool ready = true;
      for (const TensorId input : graph.inputs(order[i])) {
        ready = ready && (there >> position[graph.tensor(input).node] & 1) != 0;
      }
      if (ready) reach(done | 1 << i, there | 1 << i, seconds + costs.node_seconds[order[i]]);
    }
  }
  return kNever;
}

}  // namespace str::optimizer
