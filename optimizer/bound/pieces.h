// A window of the per-op model (leanmix_model.h) in pieces: the time that plans lose in slots of one piece and in slots
// of another are bounded apart, by smaller models, and the bounds add up.
#ifndef STR_OPTIMIZER_BOUND_PIECES_H_
#define STR_OPTIMIZER_BOUND_PIECES_H_

#include <vector>

#include "optimizer/bound/usefulness.h"
#include "optimizer/simulator/program.h"
#include "optimizer/simulator/simulator.h"

namespace str::optimizer {

struct Piece {
  // The positions whose memory its model looks at, some beyond the slots that count.
  Window window;
  Window counted;
};

// By position in the order of first runs: the time between the end of the op before and the op's own beginning.
std::vector<double> LostSeconds(const Program& program, const Simulation& simulation);

// `lost_seconds` tells by slot how much time a known plan loses in it. Where it loses some in two places far from each
// other, plans probably must, and that is where pieces part. Fewer than two: no such places.
std::vector<Piece> SplitWindow(const Window& window, const std::vector<double>& lost_seconds);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_BOUND_PIECES_H_
