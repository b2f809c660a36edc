// One copy of each name, for good: operations keep a pointer to theirs. Not thread-safe: the driver holds its lock.
#ifndef STR_TESTS_FAKE_GPU_NAME_TABLE_H_
#define STR_TESTS_FAKE_GPU_NAME_TABLE_H_

#include <string>
#include <unordered_set>

namespace str::fake_gpu {

class NameTable {
 public:
  const std::string* Get(const std::string& name) { return &*names_.insert(name).first; }

 private:
  // Elements of an unordered_set do not move.
  std::unordered_set<std::string> names_;
};

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_NAME_TABLE_H_
