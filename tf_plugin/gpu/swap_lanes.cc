#include "tf_plugin/gpu/swap_lanes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "config/text_units.h"
#include "tf_plugin/messages.h"
#include "tf_plugin/settings.h"
#include "xla/stream_executor/device_address.h"

namespace str::gpu {
namespace {

namespace se = stream_executor;
using tensorflow::Tensor;

// Long enough that starting the copy does not count; small enough for most devices beside a model.
constexpr int64_t kProbeBytes = int64_t{16} << 20;
constexpr int kProbes = 5;

se::DeviceAddressBase AddressOf(const Tensor& tensor) {
  return se::DeviceAddressBase(const_cast<char*>(tensor.tensor_data().data()), tensor.TotalBytes());
}

// Nothing can be ordered behind a copy on `lane` that may be under way: the host waits for it instead, so that memory
// can be let go. Where even that fails the device is lost, and runs no copy any more. Returns `failure`.
absl::Status WaitOnTheHost(se::Stream& lane, absl::Status failure) {
  lane.BlockHostUntilDone().IgnoreError();
  return failure;
}

// The compute stream waits for a copy on `lane`.
absl::Status WaitFor(PinnedBuffer::Event& copied, se::Stream* lane, se::Stream& compute) {
  if (lane == nullptr) return absl::OkStatus();
  absl::Status status = compute.WaitFor(copied.get());
  return status.ok() ? status : WaitOnTheHost(*lane, std::move(status));
}

void SayIfFailed(const absl::Status& status) {
  if (status.ok()) return;
  Say("STR-3015", absl::StrCat("the host waited for a copy of a step that failed, because the GPU's stream could not: ",
                               status.message()));
}

// One copy of the probe, from an idle stream until it is idle again.
template <typename To, typename From>
absl::Status CopyTimed(se::Stream& lane, To to, const From& from, std::vector<int64_t>& times_ns) {
  const int64_t start_ns = absl::GetCurrentTimeNanos();
  if (absl::Status status = lane.Memcpy(to, from, kProbeBytes); !status.ok()) return status;
  if (absl::Status status = lane.BlockHostUntilDone(); !status.ok()) return status;
  times_ns.push_back(absl::GetCurrentTimeNanos() - start_ns);
  return absl::OkStatus();
}

}  // namespace

HostCopy::HostCopy(PinnedBuffer buffer, const Tensor& tensor, se::Stream* compute)
    : buffer_(std::move(buffer)), dtype_(tensor.dtype()), shape_(tensor.shape()), compute_(compute), tensor_(tensor) {}

HostCopy::~HostCopy() { SayIfFailed(Join()); }

absl::Status HostCopy::Join() {
  if (std::exchange(joined_, true)) return absl::OkStatus();
  absl::Status status = WaitFor(copied_, lane_, *compute_);
  tensor_ = Tensor();
  return status;
}

PendingTensor::PendingTensor(Tensor tensor, se::Stream* compute) : tensor_(std::move(tensor)), compute_(compute) {}

PendingTensor::~PendingTensor() {
  if (!joined_) SayIfFailed(Join().status());
}

absl::StatusOr<Tensor> PendingTensor::Join() {
  joined_ = true;
  Tensor tensor = std::move(tensor_);
  if (absl::Status status = WaitFor(copied_, lane_, *compute_); !status.ok()) return status;
  return tensor;
}

absl::StatusOr<SwapLanes*> SwapLanes::Of(se::StreamExecutor* executor) {
  static absl::Mutex* const mutex = new absl::Mutex;
  static auto* const all = new std::map<se::StreamExecutor*, SwapLanes*>;
  absl::MutexLock lock(mutex);
  SwapLanes*& lanes = (*all)[executor];
  if (lanes != nullptr) return lanes;
  absl::StatusOr<Stream> out = executor->CreateStream();
  if (!out.ok()) return out.status();
  absl::StatusOr<Stream> in = executor->CreateStream();
  if (!in.ok()) return in.status();
  lanes = new SwapLanes(executor, *std::move(out), *std::move(in));
  return lanes;
}

SwapLanes::SwapLanes(se::StreamExecutor* executor, Stream out, Stream in)
    : executor_(executor),
      pool_([executor](int64_t bytes) { return executor->HostMemoryAllocate(bytes); },
            GetSettings().host_limit_bytes.value_or(std::numeric_limits<int64_t>::max())),
      out_(std::move(out)),
      in_(std::move(in)) {}

absl::StatusOr<PinnedBuffer::Event> SwapLanes::NewEvent() {
  absl::StatusOr<std::unique_ptr<se::Event>> event = executor_->CreateEvent();
  if (!event.ok()) return event.status();
  return PinnedBuffer::Event(*std::move(event));
}

absl::StatusOr<std::shared_ptr<HostCopy>> SwapLanes::CopyOut(const Tensor& tensor, se::Stream* compute) {
  absl::StatusOr<PinnedBuffer> buffer = pool_.Take(tensor.TotalBytes());
  if (!buffer.ok()) return buffer.status();
  auto copy = std::make_shared<HostCopy>(*std::move(buffer), tensor, compute);
  if (absl::Status status = QueueOut(*copy); !status.ok()) return status;
  return copy;
}

absl::Status SwapLanes::QueueOut(HostCopy& copy) {
  const int64_t bytes = copy.tensor_.TotalBytes();
  if (bytes == 0) return absl::OkStatus();
  absl::StatusOr<PinnedBuffer::Event> copied = NewEvent();
  if (!copied.ok()) return copied.status();
  absl::MutexLock lock(&out_mutex_);
  if (absl::Status status = out_->WaitFor(copy.compute_); !status.ok()) return status;
  for (const PinnedBuffer::Event& event : copy.buffer_.before()) {
    if (absl::Status status = out_->WaitFor(event.get()); !status.ok()) return status;
  }
  absl::Status status = out_->Memcpy(copy.buffer_.data(), AddressOf(copy.tensor_), bytes);
  if (status.ok()) status = out_->RecordEvent(copied->get());
  if (!status.ok()) return WaitOnTheHost(*out_, std::move(status));
  copy.copied_ = *copied;
  copy.lane_ = out_.get();
  copy.buffer_.UsedUntil(*copied);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<PendingTensor>> SwapLanes::CopyIn(HostCopy& copy, Tensor tensor, se::Stream* compute) {
  auto pending = std::make_shared<PendingTensor>(std::move(tensor), compute);
  if (absl::Status status = QueueIn(copy, *pending); !status.ok()) return status;
  return pending;
}

absl::Status SwapLanes::QueueIn(HostCopy& copy, PendingTensor& pending) {
  const int64_t bytes = pending.tensor_.TotalBytes();
  if (bytes == 0) return absl::OkStatus();
  absl::StatusOr<PinnedBuffer::Event> copied = NewEvent();
  if (!copied.ok()) return copied.status();
  se::DeviceAddressBase to = AddressOf(pending.tensor_);
  absl::MutexLock lock(&in_mutex_);
  if (absl::Status status = in_->WaitFor(pending.compute_); !status.ok()) return status;
  if (absl::Status status = in_->WaitFor(copy.copied_.get()); !status.ok()) return status;
  absl::Status status = in_->Memcpy(&to, copy.buffer_.data(), bytes);
  if (status.ok()) status = in_->RecordEvent(copied->get());
  if (!status.ok()) return WaitOnTheHost(*in_, std::move(status));
  pending.copied_ = *copied;
  pending.lane_ = in_.get();
  // Copies in follow each other on one stream, and each follows the copy out: the last one is the last of all.
  copy.buffer_.UsedUntil(*copied);
  return absl::OkStatus();
}

absl::StatusOr<kernels::CopyRates> SwapLanes::MeasureRates(tensorflow::Allocator* allocator, se::Stream* compute) {
  void* const memory = allocator->AllocateRaw(tensorflow::Allocator::kAllocatorAlignment, kProbeBytes,
                                              tensorflow::AllocationAttributes(/*retry_on_failure=*/false,
                                                                               /*allocation_will_be_logged=*/false,
                                                                               /*freed_by_func=*/nullptr));
  if (memory == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the device has no ", config::FormatBytes(kProbeBytes), " left to copy from and to"));
  }
  const absl::Cleanup free = [&] { allocator->DeallocateRaw(memory); };
  se::DeviceAddressBase device(memory, kProbeBytes);
  const absl::StatusOr<std::unique_ptr<se::MemoryAllocation>> host = executor_->HostMemoryAllocate(kProbeBytes);
  if (!host.ok()) return host.status();
  char* const data = static_cast<char*>((*host)->address().opaque());
  std::fill_n(data, kProbeBytes, 1);
  absl::MutexLock out_lock(&out_mutex_);
  absl::MutexLock in_lock(&in_mutex_);
  std::vector<int64_t> out_ns, in_ns;
  if (absl::Status status = compute->BlockHostUntilDone(); !status.ok()) return status;
  // In first: what is copied out was written then.
  for (int i = 0; i < kProbes; ++i) {
    if (absl::Status status = CopyTimed(*in_, &device, data, in_ns); !status.ok()) return status;
    if (absl::Status status = CopyTimed(*out_, data, device, out_ns); !status.ok()) return status;
  }
  return kernels::CopyRates{kernels::MedianRate(kProbeBytes, std::move(out_ns)),
                            kernels::MedianRate(kProbeBytes, std::move(in_ns))};
}

}  // namespace str::gpu
