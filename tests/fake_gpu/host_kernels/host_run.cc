#include "tests/fake_gpu/host_kernels/host_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/common_runtime/threadpool_device.h"
#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/resource_var.h"
#include "tensorflow/core/public/session_options.h"

namespace str::fake_gpu {
namespace {

using tensorflow::OpKernelContext;
using tensorflow::Tensor;
using tensorflow::TensorValue;

class BorrowedBuffer : public tensorflow::TensorBuffer {
 public:
  // `changeable`: kernels may take the bytes for their own and change them in place.
  BorrowedBuffer(void* bytes, size_t size, bool changeable)
      : TensorBuffer(bytes), size_(size), changeable_(changeable) {}
  size_t size() const override { return size_; }
  TensorBuffer* root_buffer() override { return this; }
  void FillAllocationDescription(tensorflow::AllocationDescription*) const override {}
  bool OwnsMemory() const override { return changeable_; }

 private:
  const size_t size_;
  const bool changeable_;
};

Tensor MakeView(tensorflow::DataType type, const tensorflow::TensorShape& shape, void* bytes, bool changeable) {
  const int64_t size = shape.num_elements() * tensorflow::DataTypeSize(type);
  if (size == 0) return Tensor(type, shape);
  return Tensor(type, shape,
                tensorflow::core::RefCountPtr<tensorflow::TensorBuffer>(new BorrowedBuffer(bytes, size, changeable)));
}

// A CPU device of its own, so that nothing that a plugin does with the process's shows here. It shares TensorFlow's
// threads: sums are split as they are on that device.
tensorflow::Device* HostDevice() {
  static tensorflow::Device* const device = new tensorflow::ThreadPoolDevice(
      tensorflow::SessionOptions(), "/job:localhost/replica:0/task:0/device:CPU:0", tensorflow::Bytes(256 << 20),
      tensorflow::DeviceLocality(), tensorflow::cpu_allocator_base());
  return device;
}

// A handle to a variable over this tensor's bytes. The variable's tensor has no other owner: kernels change it in
// place.
Tensor VariableHandle(const Tensor& value) {
  auto* const variable = new tensorflow::Var(value.dtype());
  *variable->tensor() = MakeView(value.dtype(), value.shape(), const_cast<char*>(value.tensor_data().data()),
                                 /*changeable=*/true);
  variable->is_initialized = true;
  Tensor handle(tensorflow::DT_RESOURCE, tensorflow::TensorShape({}));
  handle.scalar<tensorflow::ResourceHandle>()() =
      tensorflow::ResourceHandle::MakeRefCountingHandle(variable, HostDevice()->name());
  return handle;
}

bool Contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

Tensor ViewOf(tensorflow::DataType type, const tensorflow::TensorShape& shape, void* bytes) {
  return MakeView(type, shape, bytes, /*changeable=*/false);
}

absl::StatusOr<std::shared_ptr<HostRun>> HostRun::Create(const tensorflow::NodeDef& node, int graph_def_version) {
  tensorflow::NodeDef on_host = node;
  on_host.clear_device();
  auto run = std::make_shared<HostRun>();
  run->channels_first_ = MakeChannelsLast(&on_host);
  absl::Status status;
  run->kernel_ = tensorflow::CreateOpKernel(tensorflow::DeviceType("CPU"), HostDevice(),
                                            HostDevice()->GetAllocator(tensorflow::AllocatorAttributes()), on_host,
                                            graph_def_version, &status);
  if (!status.ok()) return status;
  if (run->kernel_->AsAsync() != nullptr) return absl::UnimplementedError("the CPU kernel is asynchronous");
  return run;
}

absl::StatusOr<std::vector<Tensor>> HostRun::Run(const std::vector<HostInput>& inputs) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int index = static_cast<int>(i);
    if (inputs[i].is_variable) {
      tensors.push_back(VariableHandle(inputs[i].value));
    } else if (channels_first_.has_value() && Contains(channels_first_->inputs, index)) {
      tensors.push_back(ToChannelsLast(inputs[i].value));
    } else if (channels_first_.has_value() && Contains(channels_first_->vectors, index)) {
      tensors.push_back(VectorToChannelsLast(inputs[i].value));
    } else {
      tensors.push_back(inputs[i].value);
    }
  }
  // Copies, so that no kernel takes the memory of an input in host memory.
  std::vector<Tensor> copies = tensors;
  std::vector<TensorValue> values;
  for (Tensor& tensor : copies) values.emplace_back(&tensor);
  const std::vector<tensorflow::AllocatorAttributes> input_attributes(copies.size());
  std::vector<tensorflow::AllocatorAttributes> output_attributes(kernel_->num_outputs());

  OpKernelContext::Params params;
  params.device = HostDevice();
  params.op_kernel = kernel_.get();
  params.inputs = values;
  params.input_alloc_attrs = input_attributes;
  params.output_attr_array = output_attributes.data();
  params.resource_manager = HostDevice()->resource_manager();
  params.frame_iter = tensorflow::FrameAndIter(0, 0);
  OpKernelContext context(&params);
  HostDevice()->Compute(kernel_.get(), &context);

  std::vector<Tensor> outputs;
  for (int i = 0; i < kernel_->num_outputs(); ++i) {
    const TensorValue output = context.release_output(i);
    if (output.tensor == nullptr) {
      outputs.emplace_back();
      continue;
    }
    const bool transposed = channels_first_.has_value() && Contains(channels_first_->outputs, i);
    outputs.push_back(transposed ? ToChannelsFirst(*output.tensor) : *output.tensor);
    delete output.tensor;
  }
  if (!context.status().ok()) return context.status();
  return outputs;
}

}  // namespace str::fake_gpu
