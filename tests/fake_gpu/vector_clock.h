// The operations that happened before something: for each stream, how many of its first ones.
//
// Streams have small numbers that are never used again. Not thread-safe.
#ifndef STR_TESTS_FAKE_GPU_VECTOR_CLOCK_H_
#define STR_TESTS_FAKE_GPU_VECTOR_CLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace str::fake_gpu {

class VectorClock {
 public:
  // Whether operation `count` of `stream` (the first has count 1) happened before.
  bool Knows(int stream, int64_t count) const {
    return static_cast<size_t>(stream) < counts_.size() && counts_[stream] >= count;
  }

  // Adds everything that `other` knows.
  void Join(const VectorClock& other) {
    if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
    for (size_t i = 0; i < other.counts_.size(); ++i) counts_[i] = std::max(counts_[i], other.counts_[i]);
  }

  void Set(int stream, int64_t count) {
    if (counts_.size() <= static_cast<size_t>(stream)) counts_.resize(stream + 1);
    counts_[stream] = count;
  }

 private:
  std::vector<int64_t> counts_;
};

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_VECTOR_CLOCK_H_
