#include "strategies/kusumoto/testing.h"

#include <algorithm>
#include <random>

namespace str::strategies::kusumoto {
namespace {

int Add(std::vector<int> inputs, int64_t bytes, int64_t time, ValueGraph* graph) {
  const int id = static_cast<int>(graph->size());
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  for (const int input : inputs) (*graph)[input].consumers.push_back(id);
  graph->push_back({bytes, bytes, time, std::move(inputs), {}});
  return id;
}

}  // namespace

ValueGraph Parallel(int branches, int length) { return Modules(1, branches, length); }

ValueGraph Modules(int count, int branches, int length) {
  ValueGraph graph;
  std::vector<int> start;
  for (int module = 0; module < count; ++module) {
    std::vector<int> ends;
    for (int branch = 0; branch < branches; ++branch) {
      std::vector<int> input = start;
      for (int i = 0; i < length; ++i) input = {Add(input, 1, 1, &graph)};
      ends.push_back(input[0]);
    }
    start = branches > 1 ? std::vector<int>{Add(ends, 1, 1, &graph)} : ends;
  }
  return graph;
}

ValueGraph RandomGraph(uint64_t seed, int values) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  ValueGraph graph;
  for (int i = 0; i < values; ++i) {
    std::vector<int> inputs;
    for (int count = i == 0 ? 0 : draw(1, 3); count > 0; --count) inputs.push_back(std::max(0, i - draw(1, 4)));
    Add(inputs, draw(1, 9), draw(1, 9), &graph);
  }
  return graph;
}

}  // namespace str::strategies::kusumoto
