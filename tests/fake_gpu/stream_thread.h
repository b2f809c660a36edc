// The worker of one stream: a thread that runs what was enqueued, in order.
//
// Some work begins late, by a random time that depends on the seed and the stream's number, so that work whose order
// nobody asked for happens in other orders than it was enqueued. Thread-safe. Work runs without any lock held.
#ifndef STR_TESTS_FAKE_GPU_STREAM_THREAD_H_
#define STR_TESTS_FAKE_GPU_STREAM_THREAD_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

namespace str::fake_gpu {

class StreamThread {
 public:
  StreamThread(uint64_t seed, int64_t delay_us);
  // Runs what is left first.
  ~StreamThread();

  // `may_delay`: the work takes time on a GPU, so that it can begin late.
  void Push(std::function<void()> work, bool may_delay);
  bool Idle();
  // Returns when everything pushed before has run. REQUIRES: not called by work of this stream.
  void Drain();

 private:
  struct Item {
    std::function<void()> work;
    bool may_delay = false;
  };

  void Run();

  const int64_t delay_us_;
  // Used by the thread alone.
  std::mt19937_64 random_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> queue_;
  int64_t pushed_ = 0;
  int64_t finished_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_STREAM_THREAD_H_
