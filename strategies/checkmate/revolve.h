// The optimal way to reverse a chain of steps with few snapshots (Griewank and Walther, "revolve").
//
// Step j leads from state j to state j + 1. Reversing it takes state j. State 0 is a snapshot from the start and counts
// as one; steps are reversed last to first. Running all steps forward once ends at the last state but one: the last
// step runs as part of its reversal.
#ifndef STR_STRATEGIES_CHECKMATE_REVOLVE_H_
#define STR_STRATEGIES_CHECKMATE_REVOLVE_H_

#include <cstdint>
#include <vector>

namespace str::strategies {

// The fewest forward steps that reverse `steps` steps with `snapshots` >= 1: the binomial formula.
int64_t RevolveSteps(int64_t steps, int64_t snapshots);

struct Snapshot {
  int state = 0;
  // Taken on the way to reversing this step: while it is first reached, if that is the last step of all.
  int taken_before_reversing = 0;
};

// The snapshots besides state 0, each of which is let go when its own step was reversed. In the order in which they are
// taken.
std::vector<Snapshot> RevolveSnapshots(int steps, int snapshots);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_REVOLVE_H_
