#include "strategies/checkmate/revolve.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "strategies/checkmate/baselines.h"
#include "strategies/checkmate/retention.h"
#include "strategies/checkmate/testing_chain.h"

namespace str::strategies {
namespace {

// The fewest forward steps over every choice of where to put the next snapshot.
int64_t BruteForce(int steps, int snapshots) {
  if (steps <= 1) return 0;
  // Without another snapshot, from the first state each time.
  int64_t least = static_cast<int64_t>(steps) * (steps - 1) / 2;
  for (int advance = 1; snapshots > 1 && advance < steps; ++advance) {
    least = std::min(least, advance + BruteForce(advance, snapshots) + BruteForce(steps - advance, snapshots - 1));
  }
  return least;
}

TEST(RevolveTest, TheBinomialFormulaIsTheOptimum) {
  for (int steps = 1; steps <= 11; ++steps) {
    for (int snapshots = 1; snapshots <= 6; ++snapshots) {
      EXPECT_EQ(RevolveSteps(steps, snapshots), BruteForce(steps, snapshots)) << steps << " " << snapshots;
    }
  }
  // Griewank's own examples: ten steps with three snapshots, and one snapshot.
  EXPECT_EQ(RevolveSteps(10, 3), 15);
  EXPECT_EQ(RevolveSteps(1000, 1), 499500);
  EXPECT_EQ(RevolveSteps(1000, 999), 999);
}

// What is held at once of the snapshots of a chain, apart from their own reversal.
TEST(RevolveTest, NeverHoldsMoreSnapshotsThanThereAre) {
  for (const int steps : {1, 2, 5, 17, 40}) {
    for (const int snapshots : {1, 2, 3, 7, 50}) {
      const std::vector<Snapshot> taken = RevolveSnapshots(steps, snapshots);
      for (int reversing = 0; reversing < steps; ++reversing) {
        int held = 1;
        for (const Snapshot& snapshot : taken) {
          held += snapshot.state <= reversing && reversing <= snapshot.taken_before_reversing;
        }
        EXPECT_LE(held, snapshots) << steps << " " << reversing;
      }
    }
  }
}

// The schedule of a chain costs what revolve says, and holds no more than the snapshots beside what any schedule needs:
// the gradient before, its own and the value being made again with the one that it is made of.
TEST(RevolveTest, ChainsAreReversedOptimally) {
  for (int layers = 1; layers <= 24; ++layers) {
    const StagedGraph chain = UnitChain(layers);
    const Passes passes = FindPasses(chain, nullptr);
    for (int snapshots = 0; snapshots <= layers; ++snapshots) {
      SCOPED_TRACE(testing::Message() << layers << " layers, " << snapshots << " snapshots");
      const Schedule schedule = ScheduleOf(chain, HoldByRevolve(chain, passes, snapshots));
      const CheckmateFigures figures = EvaluateAsCheckmate(chain, schedule);
      // One state more than layers: the input of the first, which is always there.
      EXPECT_EQ(figures.seconds, static_cast<double>(RevolveSteps(layers + 1, snapshots + 1) + layers + 1));
      EXPECT_LE(figures.peak_bytes, snapshots + 3);
    }
  }
}

}  // namespace
}  // namespace str::strategies
