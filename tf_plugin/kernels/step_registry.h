// File: step_registry.h
//
// What the kernel of a step's op needs, by the step's name: kept from when the graph is rewritten until the kernel is
// made, which may be at any time. From then on the kernel owns it.
#ifndef STR_TF_PLUGIN_KERNELS_STEP_REGISTRY_H_
#define STR_TF_PLUGIN_KERNELS_STEP_REGISTRY_H_

#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace str::kernels {

// Thread-safe.
template <typename T>
class StepRegistry {
 public:
  void Add(const std::string& name, std::shared_ptr<T> step) {
    absl::MutexLock lock(&mutex_);
    RemoveEnded();
    Entry& entry = by_name_[name];
    entry.step = step;
    entry.until_built = std::move(step);
  }

  // Null if there is none, or no kernel of it any more: TensorFlow makes a kernel again only for a graph that went
  // through the passes again, and has a step of another name there.
  std::shared_ptr<T> Find(const std::string& name) {
    absl::MutexLock lock(&mutex_);
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return nullptr;
    std::shared_ptr<T> step = found->second.step.lock();
    found->second.until_built.reset();
    return step;
  }

  // How many are kept, by kernels or until theirs are made.
  int Count() {
    absl::MutexLock lock(&mutex_);
    RemoveEnded();
    return static_cast<int>(by_name_.size());
  }

 private:
  struct Entry {
    // Null once a kernel has the step.
    std::shared_ptr<T> until_built;
    std::weak_ptr<T> step;
  };

  void RemoveEnded() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    for (auto entry = by_name_.begin(); entry != by_name_.end();) {
      entry = entry->second.step.expired() ? by_name_.erase(entry) : std::next(entry);
    }
  }

  absl::Mutex mutex_;
  std::unordered_map<std::string, Entry> by_name_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_STEP_REGISTRY_H_
