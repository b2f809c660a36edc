// A StreamExecutor over the emulated GPU's driver, for tests of what the plugin does with streams. A test can break
// each call of a stream: the race checker has to report what a missing or failed call leads to.
#ifndef STR_TESTS_GPU_LANES_EMULATED_EXECUTOR_H_
#define STR_TESTS_GPU_LANES_EMULATED_EXECUTOR_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/fake_gpu/driver.h"
#include "xla/stream_executor/stream_executor.h"

namespace str::gpu {

namespace se = stream_executor;

enum class Call { kWaitForStream, kWaitForEvent, kRecord, kCopy, kBlock, kPoll };

enum class Fault {
  kNone,
  // The call does nothing and says that it was done. A poll says that the event has happened.
  kSkip,
  // The call does nothing and fails.
  kFail,
  // The call is done and fails.
  kFailAfterwards,
  // The call stands for an earlier point of the stream: a wait for one before its last work, or a recording before the
  // last copy.
  kTooEarly,
};

// Which calls of which streams go wrong: by the stream's name ("" for polls), the kind of call, and how often there was
// such a call before.
using Faults = std::function<Fault(const std::string& stream, Call call, int before)>;

class EmulatedExecutor;

class EmulatedStream : public se::Stream {
 public:
  EmulatedStream(EmulatedExecutor* executor, std::string name);

  fake_gpu::Stream* handle() const { return handle_; }
  // A kernel on this stream.
  void Launch(std::vector<fake_gpu::Range> reads, std::vector<fake_gpu::Range> writes, std::function<void()> run);

  absl::Status WaitFor(se::Stream* other) override;
  absl::Status WaitFor(se::Event* event) override;
  absl::Status RecordEvent(se::Event* event) override;
  absl::Status Memcpy(void* to, const se::DeviceAddressBase& from, uint64_t bytes) override;
  absl::Status Memcpy(se::DeviceAddressBase* to, const void* from, uint64_t bytes) override;
  absl::Status BlockHostUntilDone() override;

  PlatformSpecificHandle platform_specific_handle() const override { return {handle_}; }
  bool ok() const override { return true; }
  absl::StatusOr<se::Stream*> GetOrCreateSubStream() override { return absl::UnimplementedError("not emulated"); }
  void ReturnSubStream(se::Stream*) override {}
  absl::Status DoHostCallbackWithStatus(absl::AnyInvocable<absl::Status() &&>) override {
    return absl::UnimplementedError("not emulated");
  }
  se::StreamExecutor* parent() const override;
  se::CudaComputeCapability GetCudaComputeCapability() const override { return {}; }
  se::RocmComputeCapability GetRocmComputeCapability() const override { return {}; }
  se::OneAPIComputeCapability GetOneAPIComputeCapability() const override { return {}; }
  std::variant<se::StreamPriority, int> priority() const override { return 0; }
  const std::string& GetName() const override { return name_; }
  void SetName(std::string name) override { name_ = std::move(name); }

 private:
  // Runs `call` unless it is to go wrong.
  absl::Status Do(Call kind, const std::function<void()>& call, const std::function<void()>& too_early = nullptr);
  absl::Status Copy(uintptr_t to, uintptr_t from, uint64_t bytes);
  // Notes where the stream is, before more work is enqueued.
  void NotePoint();

  EmulatedExecutor* const executor_;
  std::string name_;
  fake_gpu::Stream* const handle_;
  // Before the last work on this stream.
  std::shared_ptr<fake_gpu::Event> point_;
};

class EmulatedExecutor : public se::StreamExecutor {
 public:
  // Streams that are created get these names, then "stream". `driver` is not owned.
  EmulatedExecutor(fake_gpu::Driver* driver, std::vector<std::string> names)
      : driver_(driver), names_(std::move(names)) {}

  fake_gpu::Driver& driver() { return *driver_; }
  void set_faults(Faults faults) { faults_ = std::move(faults); }
  // What is to happen with this call.
  Fault Next(const std::string& stream, Call call);

  absl::StatusOr<std::unique_ptr<se::Stream>> CreateStream(
      std::optional<std::variant<se::StreamPriority, int>> priority) override;
  absl::StatusOr<std::unique_ptr<se::Event>> CreateEvent() override;
  absl::StatusOr<std::unique_ptr<se::MemoryAllocation>> HostMemoryAllocate(uint64_t bytes) override;

  std::unique_ptr<se::ActivateContext> Activate() override { return nullptr; }
  const se::Platform* GetPlatform() const override { return nullptr; }
  absl::Status Init() override { return absl::OkStatus(); }
  const se::DeviceDescription& GetDeviceDescription() const override { return description_; }
  absl::StatusOr<std::unique_ptr<se::DeviceDescription>> CreateDeviceDescription() const override {
    return std::make_unique<se::DeviceDescription>(description_);
  }
  se::DeviceAddressBase Allocate(uint64_t, int64_t) override { return se::DeviceAddressBase(); }
  void Deallocate(se::DeviceAddressBase*) override {}
  bool SynchronizeAllActivity() override { return false; }
  absl::Status SynchronousMemZero(se::DeviceAddressBase*, uint64_t) override { return NotEmulated(); }
  absl::Status SynchronousMemcpy(se::DeviceAddressBase*, const void*, uint64_t) override { return NotEmulated(); }
  absl::Status SynchronousMemcpy(void*, const se::DeviceAddressBase&, uint64_t) override { return NotEmulated(); }
  void DeallocateStream(se::Stream*) override {}
  absl::Status EnablePeerAccessTo(se::StreamExecutor*) override { return NotEmulated(); }
  bool CanEnablePeerAccessTo(se::StreamExecutor*) override { return false; }
  int64_t GetMemoryLimitBytes() const override { return 0; }

 private:
  static absl::Status NotEmulated() { return absl::UnimplementedError("not emulated"); }

  fake_gpu::Driver* const driver_;
  const std::vector<std::string> names_;
  size_t streams_ = 0;
  Faults faults_;
  std::map<std::pair<std::string, Call>, int> calls_;
  const se::DeviceDescription description_;
};

}  // namespace str::gpu

#endif  // STR_TESTS_GPU_LANES_EMULATED_EXECUTOR_H_
