#include "optimizer/bound/pieces.h"

#include <algorithm>
#include <numeric>

namespace str::optimizer {
namespace {

// Of all time lost: what makes a slot a place where time is lost.
constexpr double kShareOfLoss = 0.05;
// Positions between two places that are far from each other, and how far a window goes beyond the counted slots.
constexpr int kFar = 3;
constexpr int kBeyond = 3;

}  // namespace

std::vector<double> LostSeconds(const Program& program, const Simulation& simulation) {
  std::vector<double> lost;
  double end = 0;
  for (size_t i = 0; i < program.size(); ++i) {
    if (program[i].action != Action::kRun) continue;
    lost.push_back(simulation.timeline[i].start - end);
    end = simulation.timeline[i].end;
  }
  return lost;
}

std::vector<Piece> SplitWindow(const Window& window, const std::vector<double>& lost_seconds) {
  const int slots = static_cast<int>(lost_seconds.size());
  const double least = kShareOfLoss * std::accumulate(lost_seconds.begin(), lost_seconds.end(), 0.0);
  std::vector<Piece> pieces;
  int last_lossy = kNone;
  for (int slot = 0; slot < slots; ++slot) {
    if (lost_seconds[slot] <= least) continue;
    if (last_lossy == kNone || slot - last_lossy >= kFar) {
      Piece piece;
      if (!pieces.empty()) {
        pieces.back().counted.last = last_lossy;
        piece.counted.first = last_lossy + 1;
      }
      // All of its slots are the window's own, but for those before the first piece.
      const int before = slot - kBeyond;
      piece.window.first = std::max(window.first, pieces.empty() ? before : std::min(piece.counted.first - 1, before));
      pieces.push_back(piece);
    }
    last_lossy = slot;
    pieces.back().window.last = std::min(window.last, last_lossy + kBeyond);
    pieces.back().counted.last = slots;
  }
  return pieces;
}

}  // namespace str::optimizer
