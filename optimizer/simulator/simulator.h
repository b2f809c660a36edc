// The judge's engine: what a program does to memory and time, step by step, as TensorFlow and the plugin do it.
//
// Memory. The bytes in use start at the graph's external bytes. A step that computes binds its inputs to the newest
// instances. Its outputs, in order, share the buffer of a variable that is read or of the input that they view, are
// external, take over the buffer of an input that nobody else holds, or allocate. Then the peak is taken, with the
// node's temporary bytes; then one reference per input is let go, and what nobody takes is freed.
// An update of a variable copies it while readers hold its buffer; a replacement makes the value's buffer the
// variable's. A swap_out holds its tensor until its wait; a swap_in allocates at once.
// What nodes outside the program make counts from the start to the end.
//
// Time. Computing is serial. Copies queue up in one lane per direction when their step is reached, and go on beside
// computing; a step waits for the inputs that are still on their way in. A copy to or from a disk is in the same lane:
// it takes longer and keeps the others waiting.
//
// Host and disk bytes count from the swap_out to the last swap_in that reads them.
//
// Knows nothing of planners. Reused from program to program; not thread-safe.
#ifndef STR_OPTIMIZER_SIMULATOR_SIMULATOR_H_
#define STR_OPTIMIZER_SIMULATOR_SIMULATOR_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/bindings.h"
#include "optimizer/simulator/program.h"

namespace str::optimizer {

// One buffer that a step makes.
struct Allocation {
  enum Kind : int8_t { kOutput, kTemporary, kSwapIn, kVariableCopy };
  Kind kind = kOutput;
  // Held when the program ends: a result, or a variable's new value. It outlives the training step.
  bool outlives_step = false;
  // The step that allocates it, and the last one during which it is held.
  int32_t first_step = 0;
  int32_t last_step = 0;
  // Whose it was at first; kNone for a temporary or a variable's copy.
  TensorId tensor = kNone;
  int64_t rounded_bytes = 0;
};

struct LiveBuffer {
  // Whose it is now; kNone: a temporary or a variable's copy.
  TensorId tensor = kNone;
  int64_t rounded_bytes = 0;
};

struct Interval {
  double start = 0;
  double end = 0;
};

// What the engine shall keep besides the totals.
struct SimulationDetail {
  bool profile = false;
  bool allocations = false;
  bool timeline = false;
  // Lists the buffers that are live when memory is highest during this step; kNone: does not.
  int32_t live_at_step = kNone;
};

struct Simulation {
  int64_t peak_bytes = 0;
  // The first step that reaches it.
  int32_t peak_step = 0;
  int64_t host_peak_bytes = 0;
  int64_t disk_peak_bytes = 0;
  double seconds = 0;
  // Per step the most bytes in use during it, and those in use after it.
  std::vector<int64_t> profile;
  std::vector<int64_t> held;
  std::vector<Allocation> allocations;
  // Per step: computing, copying, or waiting.
  std::vector<Interval> timeline;
  std::vector<LiveBuffer> live;
};

class Simulator {
 public:
  // Both must outlive this.
  Simulator(const Graph* graph, const Costs* costs);

  // InvalidArgument naming the step if the program cannot be run; FailedPrecondition if it copies at unknown rates.
  absl::Status Run(const Program& program, const SimulationDetail& detail, Simulation* result);

 private:
  struct Buffer {
    int64_t bytes = 0;
    int32_t references = 0;
    // Variables, arguments, constants: never taken over. Freed only when a variable's old value loses its readers.
    bool external = false;
    // Held to the end.
    bool permanent = false;
    bool live = true;
    int32_t taken_over_in = kNone;
    int32_t allocation = kNone;
    TensorId tensor = kNone;
  };

  void Start(const SimulationDetail& detail);
  void Compute(const Step& step, int index);
  void SwapOut(const Step& step, int index);
  void SwapOutWait(int index);
  void SwapIn(const Step& step, int index);
  int32_t PlaceOutput(NodeId node, TensorId tensor, const int32_t* taken, int index);
  void ChangeVariable(NodeId node, const int32_t* taken, int index, int32_t* replaced);
  int32_t Allocate(int64_t bytes, TensorId tensor, Allocation::Kind kind, int index);
  void Release(int32_t buffer, int index);
  void FreeIfUnused(int32_t buffer, int index);
  // The most bytes during this step: in use plus `extra`.
  void Mark(int index, int64_t extra);
  void Finish(int steps);

  const Graph& graph_;
  const Costs& costs_;
  Bindings bindings_;
  int64_t start_bytes_ = 0;

  // Of the program being run.
  SimulationDetail detail_;
  Simulation* result_ = nullptr;
  int64_t in_use_ = 0;
  int64_t host_bytes_ = 0, disk_bytes_ = 0;
  double now_ = 0, out_free_ = 0, in_free_ = 0;
  std::vector<Buffer> buffers_;
  std::vector<int32_t> buffer_of_;  // per instance
  std::vector<double> arrival_;     // per instance, where a swap_in made it
  std::vector<double> copy_done_;   // per host copy
  std::vector<int32_t> variable_buffer_;
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_SIMULATOR_SIMULATOR_H_
