// What a program does with each tensor, what that costs, and why: by the judge, with each decision taken back in turn.
//
// A tensor stands for its buffer with all its views. Seconds and bytes are the judge's.
#ifndef STR_OPTIMIZER_EXPLAIN_EXPLANATION_H_
#define STR_OPTIMIZER_EXPLAIN_EXPLANATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/simulator/program.h"

namespace str::optimizer {

struct TensorFate {
  // Makes the buffer; never a view.
  TensorId tensor = kNone;
  // Seconds from the start of the step.
  double made_seconds = 0;
  double last_use_seconds = 0;
  int swaps = 0;
  // Of these, to the disk.
  int disk_swaps = 0;
  // Reruns of its node of which somebody takes this tensor.
  int reruns = 0;
  bool live_at_peak = false;
  // What the copies would take with nothing beside them, and the waiting for them that is left.
  double copy_seconds = 0;
  double waiting_seconds = 0;
  // Step time that is saved if this decision alone is taken back; may be negative. 0 where nothing was decided.
  double costs_seconds = 0;
  // The step's peak if this decision alone is taken back; the step's peak where nothing was decided.
  int64_t peak_without_bytes = 0;
  // One sentence.
  std::string reason;

  bool Decided() const { return swaps > 0 || reruns > 0; }
  // "kept", "swapped", "swapped to the disk", "recomputed 2 times", "swapped, recomputed".
  std::string Fate() const;
};

struct Explanation {
  Verdict verdict;
  // The node that runs when memory is highest; kNone if the peak is at a copy with none after it.
  NodeId peak_node = kNone;
  // One per buffer that the step makes, in the order in which they are made first.
  std::vector<TensorFate> tensors;
};

// `budget_bytes` is what the program was made for. Fails where the judge does.
absl::StatusOr<Explanation> Explain(const Graph& graph, const Costs& costs, const Program& program,
                                    int64_t budget_bytes);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_EXPLAIN_EXPLANATION_H_
