#include "strategies/checkmate/checkpoints.h"

#include <algorithm>

namespace str::strategies {

std::vector<int> SqrtCheckpoints(const std::vector<int>& candidates) {
  size_t every = 1;
  while ((every + 1) * (every + 1) <= candidates.size()) ++every;
  std::vector<int> checkpoints;
  for (size_t i = every; i <= candidates.size(); i += every) checkpoints.push_back(candidates[i - 1]);
  std::sort(checkpoints.begin(), checkpoints.end());
  return checkpoints;
}

std::vector<int> GreedyCheckpoints(const StagedGraph& staged, const Passes& passes, const std::vector<int>& candidates,
                                   double bytes) {
  std::vector<int> checkpoints;
  int64_t sum = 0;
  for (const int position : passes.candidates) {
    sum += staged.node(position).bytes;
    if (static_cast<double>(sum) <= bytes) continue;
    if (!std::binary_search(candidates.begin(), candidates.end(), position)) continue;
    checkpoints.push_back(position);
    sum = 0;
  }
  return checkpoints;
}

}  // namespace str::strategies
