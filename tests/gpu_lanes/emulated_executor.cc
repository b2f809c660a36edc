#include "tests/gpu_lanes/emulated_executor.h"

namespace str::gpu {
namespace {

uintptr_t AddressOf(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

class EmulatedEvent : public se::Event {
 public:
  explicit EmulatedEvent(EmulatedExecutor* executor) : executor_(executor) {}

  Status PollForStatus() override {
    if (executor_->Next("", Call::kPoll) == Fault::kSkip) return Status::kComplete;
    return executor_->driver().Query(*event) == fake_gpu::Result::kOk ? Status::kComplete : Status::kPending;
  }

  std::shared_ptr<fake_gpu::Event> event = std::make_shared<fake_gpu::Event>();

 private:
  EmulatedExecutor* const executor_;
};

class PinnedBlock : public se::MemoryAllocation {
 public:
  PinnedBlock(fake_gpu::Driver* driver, void* data, uint64_t bytes) : driver_(driver), address_(data, bytes) {}
  ~PinnedBlock() override { driver_->FreePinned(address_.opaque()); }
  se::DeviceAddressBase address() const override { return address_; }

 private:
  fake_gpu::Driver* const driver_;
  const se::DeviceAddressBase address_;
};

}  // namespace

EmulatedStream::EmulatedStream(EmulatedExecutor* executor, std::string name)
    : executor_(executor), name_(std::move(name)), handle_(executor->driver().CreateStream(0)) {
  NotePoint();
}

se::StreamExecutor* EmulatedStream::parent() const { return executor_; }

void EmulatedStream::NotePoint() {
  point_ = std::make_shared<fake_gpu::Event>();
  executor_->driver().Record(point_, handle_);
}

void EmulatedStream::Launch(std::vector<fake_gpu::Range> reads, std::vector<fake_gpu::Range> writes,
                            std::function<void()> run) {
  NotePoint();
  fake_gpu::Kernel kernel;
  kernel.name = "kernel";
  kernel.reads = std::move(reads);
  kernel.writes = std::move(writes);
  kernel.run = std::move(run);
  executor_->driver().Launch(handle_, std::move(kernel));
}

absl::Status EmulatedStream::Do(Call kind, const std::function<void()>& call, const std::function<void()>& too_early) {
  const Fault fault = executor_->Next(name_, kind);
  if (fault == Fault::kTooEarly) too_early();
  if (fault == Fault::kNone || fault == Fault::kFailAfterwards) call();
  if (fault == Fault::kFail || fault == Fault::kFailAfterwards) return absl::InternalError("broken by the test");
  return absl::OkStatus();
}

absl::Status EmulatedStream::WaitFor(se::Stream* other) {
  const auto& stream = *static_cast<EmulatedStream*>(other);
  return Do(
      Call::kWaitForStream,
      [&] {
        const auto event = std::make_shared<fake_gpu::Event>();
        executor_->driver().Record(event, stream.handle_);
        executor_->driver().WaitFor(handle_, event);
      },
      [&] { executor_->driver().WaitFor(handle_, stream.point_); });
}

absl::Status EmulatedStream::WaitFor(se::Event* event) {
  return Do(Call::kWaitForEvent,
            [&] { executor_->driver().WaitFor(handle_, static_cast<EmulatedEvent*>(event)->event); });
}

absl::Status EmulatedStream::RecordEvent(se::Event* event) {
  auto& recorded = *static_cast<EmulatedEvent*>(event);
  return Do(
      Call::kRecord, [&] { executor_->driver().Record(recorded.event, handle_); }, [&] { recorded.event = point_; });
}

absl::Status EmulatedStream::Copy(uintptr_t to, uintptr_t from, uint64_t bytes) {
  return Do(Call::kCopy, [&] {
    NotePoint();
    executor_->driver().Copy(to, from, bytes, handle_, /*blocking=*/false);
  });
}

absl::Status EmulatedStream::Memcpy(void* to, const se::DeviceAddressBase& from, uint64_t bytes) {
  return Copy(AddressOf(to), AddressOf(from.opaque()), bytes);
}

absl::Status EmulatedStream::Memcpy(se::DeviceAddressBase* to, const void* from, uint64_t bytes) {
  return Copy(AddressOf(to->opaque()), AddressOf(from), bytes);
}

absl::Status EmulatedStream::BlockHostUntilDone() {
  return Do(Call::kBlock, [&] { executor_->driver().Synchronize(handle_); });
}

Fault EmulatedExecutor::Next(const std::string& stream, Call call) {
  const int before = calls_[{stream, call}]++;
  return faults_ != nullptr ? faults_(stream, call, before) : Fault::kNone;
}

absl::StatusOr<std::unique_ptr<se::Stream>> EmulatedExecutor::CreateStream(
    std::optional<std::variant<se::StreamPriority, int>>) {
  const std::string name = streams_ < names_.size() ? names_[streams_] : "stream";
  ++streams_;
  return std::make_unique<EmulatedStream>(this, name);
}

absl::StatusOr<std::unique_ptr<se::Event>> EmulatedExecutor::CreateEvent() {
  return std::make_unique<EmulatedEvent>(this);
}

absl::StatusOr<std::unique_ptr<se::MemoryAllocation>> EmulatedExecutor::HostMemoryAllocate(uint64_t bytes) {
  void* data = nullptr;
  if (driver_->AllocatePinned(bytes, &data) != fake_gpu::Result::kOk) {
    return absl::ResourceExhaustedError("no pinned memory");
  }
  return std::make_unique<PinnedBlock>(driver_, data, bytes);
}

}  // namespace str::gpu
