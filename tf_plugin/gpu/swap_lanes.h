// File: swap_lanes.h
//
// Copies between a GPU and pinned host memory: one stream per direction, as a GPU has one copy engine per direction.
// Nothing here makes the host wait, unless a stream fails. Order between streams, and where memory may be used again,
// is kept by events:
//
//   copy out   behind all that is queued on the compute stream so far, and behind the last use of the host's buffer
//   join out   the compute stream waits for the copy; only then is the tensor let go. Its memory is handed out again in
//              the order of the compute stream, so whoever gets it comes behind the copy
//   copy in    behind all that is queued on the compute stream so far (the memory may have just been let go there), and
//              behind the copy out
//   join in    the compute stream waits for the copy; only then is the tensor used
//
// A step that fails may end without its joins. So a copy that is not joined joins when it is destroyed, which
// TensorFlow does before the step ends: no copy outlives its step, and no memory is let go under a copy.
//
// Where a stream refuses an order behind a copy that may have been queued, the host waits for the copy before any
// memory of it is let go, and the error is returned.
#ifndef STR_TF_PLUGIN_GPU_SWAP_LANES_H_
#define STR_TF_PLUGIN_GPU_SWAP_LANES_H_

#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/framework/tensor.h"
#include "tf_plugin/gpu/pinned_pool.h"
#include "tf_plugin/kernels/copy_rates.h"
#include "xla/stream_executor/event.h"
#include "xla/stream_executor/stream.h"
#include "xla/stream_executor/stream_executor.h"

namespace str::gpu {

class SwapLanes;

// A tensor's copy on the host, or on its way there.
class HostCopy {
 public:
  HostCopy(PinnedBuffer buffer, const tensorflow::Tensor& tensor, stream_executor::Stream* compute);
  ~HostCopy();
  HostCopy(const HostCopy&) = delete;
  HostCopy& operator=(const HostCopy&) = delete;

  // The compute stream waits for the copy out, and the tensor is let go: also after an error, when the host has waited.
  absl::Status Join();

  tensorflow::DataType dtype() const { return dtype_; }
  const tensorflow::TensorShape& shape() const { return shape_; }

 private:
  friend class SwapLanes;
  PinnedBuffer buffer_;
  const tensorflow::DataType dtype_;
  const tensorflow::TensorShape shape_;
  stream_executor::Stream* const compute_;
  // Held until Join.
  tensorflow::Tensor tensor_;
  bool joined_ = false;
  // The copy out is complete, and the stream that it is queued on; null until it is queued.
  PinnedBuffer::Event copied_;
  stream_executor::Stream* lane_ = nullptr;
};

// A tensor on the device that is being filled from a copy on the host.
class PendingTensor {
 public:
  PendingTensor(tensorflow::Tensor tensor, stream_executor::Stream* compute);
  ~PendingTensor();
  PendingTensor(const PendingTensor&) = delete;
  PendingTensor& operator=(const PendingTensor&) = delete;

  // The compute stream waits for the copy in; the tensor changes hands. REQUIRES: called once.
  absl::StatusOr<tensorflow::Tensor> Join();

 private:
  friend class SwapLanes;
  tensorflow::Tensor tensor_;
  stream_executor::Stream* const compute_;
  bool joined_ = false;
  // The copy in is complete, and the stream that it is queued on; null until it is queued.
  PinnedBuffer::Event copied_;
  stream_executor::Stream* lane_ = nullptr;
};

// Of one GPU. Thread-safe.
class SwapLanes {
 public:
  // Made at the first call and never destroyed: copies may be under way while the process exits.
  static absl::StatusOr<SwapLanes*> Of(stream_executor::StreamExecutor* executor);

  PinnedPool& pool() { return pool_; }

  absl::StatusOr<std::shared_ptr<HostCopy>> CopyOut(const tensorflow::Tensor& tensor, stream_executor::Stream* compute);
  // `tensor` has the type and shape of `copy`.
  absl::StatusOr<std::shared_ptr<PendingTensor>> CopyIn(HostCopy& copy, tensorflow::Tensor tensor,
                                                        stream_executor::Stream* compute);

  // With memory of `allocator`, which hands it out in the order of `compute`. Makes the host wait. RESOURCE_EXHAUSTED
  // if there is no memory to measure with.
  absl::StatusOr<kernels::CopyRates> MeasureRates(tensorflow::Allocator* allocator, stream_executor::Stream* compute);

 private:
  using Stream = std::unique_ptr<stream_executor::Stream>;
  SwapLanes(stream_executor::StreamExecutor* executor, Stream out, Stream in);
  absl::Status QueueOut(HostCopy& copy) ABSL_LOCKS_EXCLUDED(out_mutex_);
  absl::Status QueueIn(HostCopy& copy, PendingTensor& pending) ABSL_LOCKS_EXCLUDED(in_mutex_);
  absl::StatusOr<PinnedBuffer::Event> NewEvent();

  stream_executor::StreamExecutor* const executor_;
  PinnedPool pool_;
  // What belongs to one copy is queued together.
  absl::Mutex out_mutex_, in_mutex_;
  const Stream out_ ABSL_PT_GUARDED_BY(out_mutex_);
  const Stream in_ ABSL_PT_GUARDED_BY(in_mutex_);
};

}  // namespace str::gpu

#endif  // STR_TF_PLUGIN_GPU_SWAP_LANES_H_
