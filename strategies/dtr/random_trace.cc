#include "strategies/dtr/random_trace.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "absl/log/check.h"

namespace str::dtr {

Trace RandomTrace(uint64_t seed, int calls) {
  std::mt19937_64 generator(seed);
  const auto draw = [&](int below) { return static_cast<int>(generator() % below); };
  TraceBuilder builder;
  // One entry per reference.
  std::vector<int32_t> held;
  for (int i = 0; i < 3; ++i) held.push_back(builder.AddConstant(draw(50)));
  const auto release = [&](int position) {
    builder.Release(held[position]);
    held.erase(held.begin() + position);
  };
  for (int call = 0; call < calls; ++call) {
    std::vector<int32_t> inputs;
    // Mostly recent ones, as in a network.
    for (int i = 1 + draw(3); i > 0; --i) {
      const int size = static_cast<int>(held.size());
      inputs.push_back(held[draw(4) == 0 ? draw(size) : size - 1 - draw(std::min(size, 4))]);
    }
    std::vector<TraceBuilder::Output> outputs;
    for (int i = 1 + draw(2); i > 0; --i) {
      outputs.push_back({draw(8) == 0 ? 0 : draw(100), draw(5) == 0 ? draw(static_cast<int>(inputs.size())) : kNone});
    }
    int32_t tensor = builder.AddCall(inputs, outputs, draw(6) == 0 ? 0 : draw(1000));
    for (size_t i = 0; i < outputs.size(); ++i) held.push_back(tensor++);
    if (draw(3) == 0) {
      const int32_t copied = held[draw(static_cast<int>(held.size()))];
      builder.Reference(copied);
      held.insert(held.begin() + draw(static_cast<int>(held.size())), copied);
    }
    // Down to half in the second half, as a backward pass does.
    const size_t most = call < calls / 2 ? 6 + call : calls;
    while (held.size() > 4 && (held.size() > most || draw(3) == 0)) release(draw(static_cast<int>(held.size())));
  }
  absl::StatusOr<Trace> trace = std::move(builder).Build(held);
  CHECK(trace.ok()) << trace.status();
  return *std::move(trace);
}

}  // namespace str::dtr
