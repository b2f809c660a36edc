// Counts of the problems that the emulated GPU found, and of the work that it was given.
//
// Thread-safe. Problems are counted always; the first ones of each kind are also written out, one line each.
#ifndef STR_TESTS_FAKE_GPU_REPORT_H_
#define STR_TESTS_FAKE_GPU_REPORT_H_

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

namespace str::fake_gpu {

enum class Problem {
  // Two accesses to the same bytes, one of them a write, with no order between them.
  kRace,
  // A read of device memory that nothing wrote since it was allocated.
  kUnwritten,
  // An access to freed memory, or memory freed while work that uses it may still run.
  kUseAfterFree,
  // A device address that was never handed out, a range that leaves its allocation, a second free.
  kBadPointer,
  // An asynchronous copy from or to host memory that is not pinned: on a GPU it blocks the host.
  kPageable,
  // A kernel that has no stand-in on the host: it did not run, its results are garbage.
  kKernelNotRun,
};
constexpr int kProblemKinds = 6;

// "races", "unwritten", "after_free", "bad_pointers", "pageable", "kernels_not_run".
const char* NameOf(Problem problem);

class Report {
 public:
  // At most this many lines per kind are written.
  static constexpr int64_t kLinesPerKind = 20;

  explicit Report(std::FILE* output) : output_(output) {}

  void Add(Problem problem, const std::string& text);
  // Counts work that is not a problem, for example "launches".
  void Count(const std::string& name, int64_t amount = 1);
  // By the name of a problem or of counted work; 0 for what never happened.
  int64_t Get(const std::string& name) const;
  void Reset();

 private:
  std::FILE* const output_;
  mutable std::mutex mutex_;
  std::array<int64_t, kProblemKinds> problems_{};
  std::map<std::string, int64_t> work_;
};

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_REPORT_H_
