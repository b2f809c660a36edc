#include "tests/fake_gpu/stream_thread.h"

#include <chrono>
#include <utility>

namespace str::fake_gpu {

StreamThread::StreamThread(uint64_t seed, int64_t delay_us)
    : delay_us_(delay_us), random_(seed), thread_([this] { Run(); }) {}

StreamThread::~StreamThread() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StreamThread::Push(std::function<void()> work, bool may_delay) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back({std::move(work), may_delay});
    ++pushed_;
  }
  changed_.notify_all();
}

bool StreamThread::Idle() {
  std::lock_guard<std::mutex> lock(mutex_);
  return finished_ == pushed_;
}

void StreamThread::Drain() {
  std::unique_lock<std::mutex> lock(mutex_);
  const int64_t until = pushed_;
  changed_.wait(lock, [&] { return finished_ >= until; });
}

void StreamThread::Run() {
  while (true) {
    Item item;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || !queue_.empty(); });
      if (queue_.empty()) return;
      item = std::move(queue_.front());
      queue_.pop_front();
    }
    if (item.may_delay && delay_us_ > 0 && random_() % 2 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % delay_us_));
    }
    item.work();
    item.work = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ++finished_;
    }
    changed_.notify_all();
  }
}

}  // namespace str::fake_gpu
