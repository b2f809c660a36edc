// From a draft to a program: when each copy starts and when it is waited for.
//
// Reused from draft to draft; not thread-safe.
#ifndef STR_STRATEGIES_STR_COMPOSER_H_
#define STR_STRATEGIES_STR_COMPOSER_H_

#include <cstdint>
#include <vector>

#include "optimizer/simulator/program.h"
#include "strategies/str/decoder.h"
#include "strategies/str/problem.h"

namespace str::strategies {

class Composer {
 public:
  // `problem` must outlive this.
  explicit Composer(const Problem* problem);

  // The program of least memory: a dropped storage is waited for at once, a fetched one comes at the last moment.
  // `steps` receives for each compute of the draft the step of the program that does it.
  void ComposeTight(const Draft& draft, optimizer::Program* program, std::vector<int32_t>* steps);

  // The program of least time within `budget_bytes`, as far as it can be foreseen. `tight_bytes` has for each compute
  // the memory that the tight program needs there. A fetch starts when it must for its tensor to arrive in time, or as
  // early after that as memory allows; a copy out is waited for when its memory is needed.
  void ComposeRelaxed(const Draft& draft, const std::vector<int64_t>& tight_bytes, int64_t budget_bytes,
                      optimizer::Program* program);

 private:
  void FindStarts(const Draft& draft);
  // First compute that does not start before `time`.
  int32_t FirstStartingAt(double time) const;
  void PlaceFetches(const Draft& draft, const std::vector<int64_t>& tight_bytes, int64_t budget_bytes);

  const Problem& problem_;
  // Per compute its start if nothing ever had to be waited for, and one entry for the end.
  std::vector<double> starts_;
  // Per compute, with fetched tensors that are on the device early.
  std::vector<int64_t> bytes_;
  // The same with copies out that are foreseen to be still under way.
  std::vector<int64_t> busy_bytes_;
  // Per fetch the compute before which it starts.
  std::vector<int32_t> fetch_before_;
  // Per copy out: not waited for yet. Per storage its copy out.
  std::vector<int8_t> open_;
  std::vector<int32_t> copy_of_;
  // Copies out in the order in which their memory could be free.
  std::vector<int32_t> by_release_;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_COMPOSER_H_
