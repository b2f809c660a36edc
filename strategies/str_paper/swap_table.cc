#include "strategies/str_paper/swap_table.h"

namespace str::strategies {
namespace {

// Sums of the same times differ in their last digits.
constexpr double kRounding = 1e-12;

}  // namespace

SwapTable::SwapTable(const StagedGraph& graph, const std::vector<double>& copy_seconds)
    : size_(graph.size()), finish_(static_cast<size_t>(size_) * size_, kNever), start_(finish_) {
  std::vector<double> until(size_ + 1, 0);
  for (int i = 0; i < size_; ++i) until[i + 1] = until[i] + graph.node(i).seconds;
  for (int position = 0; position < size_; ++position) {
    const double needed = copy_seconds[position] - kRounding * until[size_];
    // Later starts finish no earlier.
    int finish = position + 1;
    for (int stage = position + 1; stage < size_; ++stage) {
      if (finish < stage) finish = stage;
      while (finish < size_ && until[finish + 1] - until[stage] < needed) ++finish;
      if (finish == size_) break;
      finish_[Index(stage, position)] = finish;
      start_[Index(finish, position)] = stage;
    }
  }
}

}  // namespace str::strategies
