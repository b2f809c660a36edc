// The emulated GPU: memory, streams and events, with the race checker and the virtual clock beside them.
//
// Knows nothing of CUDA's types: cuda_driver_api.cc and cuda_runtime_api.cc are CUDA's functions over it. Thread-safe.
// Work is checked and timed while it is enqueued, under one lock; it runs later, on its stream's thread, without a
// lock.
#ifndef STR_TESTS_FAKE_GPU_DRIVER_H_
#define STR_TESTS_FAKE_GPU_DRIVER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/fake_gpu/access_checker.h"
#include "tests/fake_gpu/device_figures.h"
#include "tests/fake_gpu/device_memory.h"
#include "tests/fake_gpu/event.h"
#include "tests/fake_gpu/host_clocks.h"
#include "tests/fake_gpu/name_table.h"
#include "tests/fake_gpu/report.h"
#include "tests/fake_gpu/settings.h"
#include "tests/fake_gpu/stream_thread.h"
#include "tests/fake_gpu/virtual_clock.h"

namespace str::fake_gpu {

// As CUDA's codes of the same names.
enum class Result { kOk, kInvalidValue, kOutOfMemory, kNotReady, kNotFound };

// A stream belongs to a device. All but the thread is guarded by the driver's lock.
struct Stream {
  Stream(int id, int device, const Settings& settings)
      : id(id), device(device), thread(settings.seed * 7919 + id, settings.delay_us) {}

  const int id;
  const int device;
  // Clock and count of the operation that was enqueued last.
  VectorClock clock;
  int64_t count = 0;
  // Virtual time at which what was enqueued ends.
  int64_t end_ns = 0;
  int64_t pageable_copies = 0;
  StreamThread thread;
};

// Work for a stream: a stand-in for a kernel.
struct Kernel {
  std::string name;
  std::vector<Range> reads;
  std::vector<Range> writes;
  // For the virtual clock.
  int64_t flops = 0;
  int64_t moved_bytes = 0;
  // Works on aliases (Driver::Alias).
  std::function<void()> run;
};

class Driver {
 public:
  explicit Driver(const Settings& settings);
  // Runs what is enqueued first. Streams that were not destroyed are; their handles mean nothing afterwards.
  ~Driver();

  // The one of this process, from the environment; never destroyed, as TensorFlow uses it until the very end.
  static Driver& Get();

  const Settings& settings() const { return settings_; }
  Report& report() { return report_; }

  // Memory. InOrder: as an operation of the stream.
  Result Allocate(int device, int64_t bytes, uintptr_t* address);
  Result Free(uintptr_t address);
  Result AllocateInOrder(Stream* stream, int64_t bytes, uintptr_t* address);
  Result FreeInOrder(Stream* stream, uintptr_t address);
  Result AllocatePinned(int64_t bytes, void** address);
  Result FreePinned(void* address);
  Result RegisterPinned(void* address, int64_t bytes);
  Result UnregisterPinned(void* address);
  void MemoryInfo(int device, int64_t* free_bytes, int64_t* total_bytes);

  struct Place {
    Range range;
    MemoryKind kind = MemoryKind::kDevice;
    // 0 for pinned memory.
    int device = 0;
  };
  // The device or pinned allocation that contains the address.
  std::optional<Place> Find(uintptr_t address);
  // Where a stream's work finds the bytes; the address itself if it is of the host.
  char* Alias(uintptr_t address);

  // Streams. The default stream of a device is made on first use.
  Stream* CreateStream(int device);
  void DestroyStream(Stream* stream);
  Stream* DefaultStream(int device);
  void Synchronize(Stream* stream);
  void SynchronizeDevice(int device);
  Result Query(Stream* stream);
  void WaitFor(Stream* stream, const std::shared_ptr<Event>& event);
  // `function` runs in the stream's order and knows what was enqueued before it.
  void HostFunction(Stream* stream, std::function<void()> function);

  // Events.
  void Record(const std::shared_ptr<Event>& event, Stream* stream);
  Result Query(const Event& event);
  void Synchronize(Event& event);
  // On the virtual clock if there is a device file, else on this machine's.
  Result Elapsed(const Event& from, const Event& to, double* milliseconds);

  // Work. A copy finds out its direction from the addresses. `blocking`: returns when it is done.
  Result Copy(uintptr_t to, uintptr_t from, int64_t bytes, Stream* stream, bool blocking);
  Result Fill(uintptr_t to, int64_t bytes, std::function<void(char*)> fill, Stream* stream, bool blocking);
  void Launch(Stream* stream, Kernel kernel);
  void KernelNotRun(Stream* stream, const std::string& name);

  // The virtual clock.
  // The host's time, and when everything that was enqueued on all streams ends.
  void Time(int64_t* host_ns, int64_t* device_ns);
  // The host has waited for all that is enqueued on the stream, and noticed its end so much later.
  void HostWaited(Stream* stream, int64_t notice_ns);

  // Hands what the calling thread has seen finish to another thread. Only for HostClock::kPerThread.
  VectorClock HandOver();
  void Receive(const VectorClock& clock);

  int64_t PageableCopies(Stream* stream);

 private:
  using Lock = std::lock_guard<std::mutex>;

  // All of these with the lock held.
  Operation Tick(Stream* stream, const std::string& name);
  DeviceMemory* MemoryOf(uintptr_t address, int* device = nullptr);
  bool CheckRange(Range range, const char* what);
  std::optional<Place> FindLocked(uintptr_t address);
  char* AliasLocked(uintptr_t address);
  void CheckRead(Stream* stream, Range range, const Operation& by);
  void CheckWrite(Stream* stream, Range range, const Operation& by);

  // Enqueues work of this duration on the virtual clock.
  void Spend(Stream* stream, Engine engine, int64_t duration_ns);

  // Without it.
  void DrainAll();
  void Saw(const VectorClock& clock, std::optional<int64_t> waited_until_ns);

  const Settings settings_;
  Report report_;
  // From the device file; nothing if there is none.
  const std::optional<DeviceFigures> figures_;
  // Enqueued so far, on all streams.
  std::atomic<int64_t> operations_ = 0;

  std::mutex mutex_;
  AccessChecker checker_;
  HostClocks host_;
  VirtualClock clock_;
  NameTable names_;
  std::vector<std::unique_ptr<DeviceMemory>> memories_;
  // Pinned memory: address -> bytes, and whether it is the driver's or the caller's own.
  struct Pinned {
    int64_t bytes = 0;
    bool ours = false;
  };
  std::map<uintptr_t, Pinned> pinned_;
  int64_t pinned_bytes_ = 0;
  std::set<Stream*> streams_;
  std::map<int, Stream*> default_streams_;
  int next_stream_ = 0;
  // When the work of streams that were destroyed ended.
  int64_t ended_ns_ = 0;
};

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_DRIVER_H_
