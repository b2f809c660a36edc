#include "tests/fake_gpu/report.h"

namespace str::fake_gpu {

const char* NameOf(Problem problem) {
  switch (problem) {
    case Problem::kRace:
      return "races";
    case Problem::kUnwritten:
      return "unwritten";
    case Problem::kUseAfterFree:
      return "after_free";
    case Problem::kBadPointer:
      return "bad_pointers";
    case Problem::kPageable:
      return "pageable";
    case Problem::kKernelNotRun:
      return "kernels_not_run";
  }
  return "?";
}

void Report::Add(Problem problem, const std::string& text) {
  std::lock_guard<std::mutex> lock(mutex_);
  const int64_t count = ++problems_[static_cast<int>(problem)];
  // Pageable copies are slow, not wrong, and TensorFlow makes some itself: they are only counted.
  if (problem == Problem::kPageable || count > kLinesPerKind || output_ == nullptr) return;
  std::fprintf(output_, "fake_gpu: %s: %s\n", NameOf(problem), text.c_str());
  std::fflush(output_);
}

void Report::Count(const std::string& name, int64_t amount) {
  std::lock_guard<std::mutex> lock(mutex_);
  work_[name] += amount;
}

int64_t Report::Get(const std::string& name) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (int i = 0; i < kProblemKinds; ++i) {
    if (name == NameOf(static_cast<Problem>(i))) return problems_[i];
  }
  const auto found = work_.find(name);
  return found == work_.end() ? 0 : found->second;
}

void Report::Reset() {
  std::lock_guard<std::mutex> lock(mutex_);
  problems_.fill(0);
  work_.clear();
}

}  // namespace str::fake_gpu
