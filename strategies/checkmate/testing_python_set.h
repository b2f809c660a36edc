// The order in which a Python set of small whole numbers, added one by one, hands them out (CPython 3.7 and later), for
// tests: Checkmate's artifact takes every k-th articulation point in that order, not in the graph's.
#ifndef STR_STRATEGIES_CHECKMATE_TESTING_PYTHON_SET_H_
#define STR_STRATEGIES_CHECKMATE_TESTING_PYTHON_SET_H_

#include <cstddef>
#include <vector>

namespace str::strategies {

class PythonSet {
 public:
  explicit PythonSet(const std::vector<int>& values) {
    for (const int value : values) {
      Insert(value);
      ++used_;
      if (used_ * 5 >= (slots_.size() - 1) * 3) Grow();
    }
  }

  std::vector<int> Values() const {
    std::vector<int> values;
    for (const int slot : slots_) {
      if (slot != kFree) values.push_back(slot);
    }
    return values;
  }

 private:
  static constexpr int kFree = -1;
  static constexpr size_t kLinearProbes = 9;

  void Insert(int value) {
    const size_t mask = slots_.size() - 1;
    size_t perturb = value;
    size_t slot = perturb & mask;
    while (true) {
      const size_t probes = slot + kLinearProbes <= mask ? kLinearProbes : 0;
      for (size_t i = slot; i <= slot + probes; ++i) {
        if (slots_[i] != kFree) continue;
        slots_[i] = value;
        return;
      }
      perturb >>= 5;
      slot = (slot * 5 + 1 + perturb) & mask;
    }
  }

  void Grow() {
    size_t size = 8;
    while (size <= used_ * 4) size *= 2;
    const std::vector<int> values = Values();
    slots_.assign(size, kFree);
    for (const int value : values) Insert(value);
  }

  std::vector<int> slots_ = std::vector<int>(8, kFree);
  size_t used_ = 0;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_TESTING_PYTHON_SET_H_
