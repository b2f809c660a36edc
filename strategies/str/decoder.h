// From decisions to what is computed when: every rerun that they imply, and what must be fetched by when.
//
// Reused from decision to decision; after the first few no memory is allocated. Not thread-safe.
#ifndef STR_STRATEGIES_STR_DECODER_H_
#define STR_STRATEGIES_STR_DECODER_H_

#include <cstdint>
#include <vector>

#include "optimizer/graph/graph.h"
#include "strategies/str/evaluation.h"
#include "strategies/str/problem.h"

namespace str::strategies {

// A program without the timing of its copies. Computes are counted from 0.
struct Draft {
  struct Compute {
    optimizer::NodeId node = optimizer::kNone;
    bool again = false;
    int32_t stage = 0;
  };
  struct Fetch {
    int32_t storage = 0;
    // The compute that needs it, and the first one that it may be fetched before.
    int32_t deadline = 0;
    int32_t earliest = 0;
  };
  // A storage that is copied to the host once, in the order in which they are made.
  struct CopyOut {
    int32_t storage = 0;
    // The compute that makes it, and the last one that takes it before it is first dropped.
    int32_t produced = 0;
    int32_t release = 0;
  };
  std::vector<Compute> computes;
  // By deadline.
  std::vector<Fetch> fetches;
  std::vector<CopyOut> copies_out;
};

class Decoder {
 public:
  // `problem` must outlive this.
  explicit Decoder(const Problem* problem);

  // False if the decisions lead to far more reruns than any sensible plan has.
  bool Decode(const Decisions& decisions, Draft* draft);

 private:
  // Brings all inputs of a node onto the device: first what is made again, whose way there takes memory, then what is
  // fetched.
  void Provide(optimizer::NodeId node);
  void ProvideTensor(optimizer::TensorId tensor);
  void Restore(int32_t storage);
  void Emit(optimizer::NodeId node, bool again);
  void EndStage(int stage);
  // What the decisions say on a storage now; kKeep where it has no gap.
  Mode ModeNow(int32_t storage) const;
  bool IsFetched(int32_t storage) const { return ModeNow(storage) == Mode::kSwap; }

  const Problem& problem_;
  const Decisions* decisions_ = nullptr;
  Draft* draft_ = nullptr;
  size_t most_computes_ = 0;
  int32_t stage_ = 0;

  // Per storage.
  std::vector<int8_t> resident_;
  // The unit it is in, or Problem::kNextUseAdjacent or kNoUseLeft.
  std::vector<int32_t> current_;
  // Counts how often it was made or fetched; a view is up to date if it was made from the latest.
  std::vector<int32_t> generation_;
  std::vector<int32_t> produced_, first_release_, last_release_;
  std::vector<int8_t> was_fetched_;
  // Per tensor: of which generation of its storage it is a view.
  std::vector<int32_t> view_generation_;
  // Restored for this stage only.
  std::vector<int32_t> transient_;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_DECODER_H_
