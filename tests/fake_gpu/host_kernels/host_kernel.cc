#include "tests/fake_gpu/host_kernels/host_kernel.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_var.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tests/fake_gpu/host_kernels/emulated_driver.h"
#include "tests/fake_gpu/host_kernels/op_rules.h"
#include "xla/stream_executor/stream.h"

namespace str::fake_gpu {
namespace {

using tensorflow::OpKernelContext;
using tensorflow::PartialTensorShape;
using tensorflow::Tensor;
using tensorflow::TensorShape;
using tensorflow::shape_inference::InferenceContext;
using Resources = std::vector<std::unique_ptr<std::vector<std::pair<PartialTensorShape, tensorflow::DataType>>>>;

const char* DeviceAddress(const Tensor& tensor) { return tensor.tensor_data().data(); }

// The tensor as the stream's thread sees it. Holds no reference: on a GPU nothing does either.
Tensor OnHost(const Tensor& tensor) {
  void* const bytes = tensor.TotalBytes() == 0
                          ? nullptr
                          : FindEmulatedDriver()->alias(reinterpret_cast<uint64_t>(DeviceAddress(tensor)));
  return ViewOf(tensor.dtype(), tensor.shape(), bytes);
}

void CopyBytes(const Tensor& from, const Tensor& to) {
  if (from.tensor_data().data() == to.tensor_data().data()) return;
  std::memcpy(const_cast<char*>(to.tensor_data().data()), from.tensor_data().data(), from.TotalBytes());
}

// The device memory that a launch reads and writes.
class Accesses {
 public:
  void Read(const Tensor& tensor) { Add(tensor, &reads_); }
  void Write(const Tensor& tensor) { Add(tensor, &writes_); }

  void Launch(OpKernelContext* context, const std::string& name, const OpWork& work, std::function<void()> run) const {
    FakeGpuKernel kernel = {};
    kernel.name = name.c_str();
    kernel.reads = reads_.data();
    kernel.num_reads = reads_.size();
    kernel.writes = writes_.data();
    kernel.num_writes = writes_.size();
    kernel.flops = work.flops;
    kernel.moved_bytes = work.moved_bytes;
    kernel.argument = new std::function<void()>(std::move(run));
    kernel.run = [](void* argument) {
      const std::unique_ptr<std::function<void()>> run(static_cast<std::function<void()>*>(argument));
      (*run)();
    };
    FindEmulatedDriver()->launch(context->op_device_context()->stream()->platform_specific_handle().stream, &kernel);
  }

 private:
  static void Add(const Tensor& tensor, std::vector<FakeGpuRange>* ranges) {
    if (tensor.TotalBytes() == 0) return;
    ranges->push_back({reinterpret_cast<uint64_t>(DeviceAddress(tensor)), tensor.TotalBytes()});
  }

  std::vector<FakeGpuRange> reads_, writes_;
};

void Fail(const std::string& op, const std::string& reason) {
  FindEmulatedDriver()->kernel_failed(absl::StrCat(op, ": ", reason).c_str());
}

// With readers a variable moves to new memory before it changes, as with TensorFlow's kernels. False, with the
// context's status set, if there is none. REQUIRES: the variable's lock.
bool MakeSoleOwner(OpKernelContext* context, tensorflow::Var* variable) {
  Tensor* const value = variable->tensor();
  if (value->RefCountIsOne()) return true;
  Tensor moved;
  const absl::Status allocated = context->allocate_temp(value->dtype(), value->shape(), &moved);
  if (!allocated.ok()) {
    context->SetStatus(allocated);
    return false;
  }
  Accesses copy;
  copy.Read(*value);
  copy.Write(moved);
  copy.Launch(context, "Copy", {0, 2 * static_cast<int64_t>(moved.TotalBytes())},
              [from = OnHost(*value), to = OnHost(moved)] { CopyBytes(from, to); });
  *value = moved;
  return true;
}

ShapeAndType Describe(const Tensor& tensor) { return {tensor.shape(), tensor.dtype()}; }

}  // namespace

// The inputs of one Compute.
struct HostKernel::Operands {
  // As the CPU kernel takes them: values of host memory, views of device memory.
  std::vector<HostInput> inputs;
  Accesses accesses;
  std::vector<ShapeAndType> work_inputs;
  // For shape functions.
  std::vector<PartialTensorShape> shapes;
  std::vector<const Tensor*> host_values;
  std::vector<std::pair<int, ShapeAndType>> variables;
};

HostKernel::HostKernel(tensorflow::OpKernelConstruction* construction)
    : OpKernel(construction), graph_def_version_(construction->graph_def_version()) {
  absl::StatusOr<std::shared_ptr<HostRun>> run = HostRun::Create(construction->def(), graph_def_version_);
  OP_REQUIRES_OK(construction, run.status());
  run_ = *std::move(run);
}

bool HostKernel::CollectInputs(OpKernelContext* context, Operands* operands) const {
  for (int i = 0; i < context->num_inputs(); ++i) {
    const Tensor& input = context->input(i);
    operands->shapes.emplace_back(PartialTensorShape(input.shape().dim_sizes()));
    operands->host_values.push_back(nullptr);
    if (input.dtype() == tensorflow::DT_RESOURCE) {
      tensorflow::core::RefCountPtr<tensorflow::Var> variable;
      const absl::Status found =
          tensorflow::LookupResource(context, tensorflow::HandleFromInput(context, i), &variable);
      if (!found.ok()) {
        context->SetStatus(found);
        return false;
      }
      tensorflow::mutex_lock lock(*variable->mu());
      if (UpdatesVariables(type_string()) && !MakeSoleOwner(context, variable.get())) return false;
      const Tensor& value = *variable->tensor();
      operands->accesses.Read(value);
      if (UpdatesVariables(type_string())) operands->accesses.Write(value);
      operands->inputs.push_back({OnHost(value), /*is_variable=*/true});
      operands->work_inputs.push_back(Describe(value));
      operands->variables.emplace_back(i, Describe(value));
    } else if (input_memory_types()[i] == tensorflow::HOST_MEMORY) {
      operands->inputs.push_back({input, false});
      operands->host_values.back() = &input;
    } else {
      operands->inputs.push_back({OnHost(input), false});
      operands->accesses.Read(input);
      operands->work_inputs.push_back(Describe(input));
    }
  }
  return true;
}

std::optional<std::vector<TensorShape>> HostKernel::OutputShapes(const Operands& operands) const {
  const tensorflow::OpRegistrationData* op = nullptr;
  if (!tensorflow::OpRegistry::Global()->LookUp(type_string(), &op).ok() || op->shape_inference_fn == nullptr) {
    return std::nullopt;
  }
  Resources resources;
  if (!operands.variables.empty()) {
    resources.resize(operands.inputs.size());
    for (const auto& [input, value] : operands.variables) {
      resources[input] = std::make_unique<std::vector<std::pair<PartialTensorShape, tensorflow::DataType>>>();
      resources[input]->emplace_back(PartialTensorShape(value.shape.dim_sizes()), value.type);
    }
  }
  InferenceContext inference(graph_def_version_, tensorflow::AttrSlice(def()), op->op_def, operands.shapes,
                             operands.host_values, {}, resources);
  if (!inference.construction_status().ok() || !inference.Run(op->shape_inference_fn).ok()) return std::nullopt;
  std::vector<TensorShape> shapes;
  for (int i = 0; i < inference.num_outputs(); ++i) {
    const tensorflow::shape_inference::ShapeHandle shape = inference.output(i);
    // The CPU kernel's reserve space, whose size on a GPU only cuDNN knows.
    if (type_string() == "FusedBatchNormV3" && i == 5) {
      shapes.emplace_back();
      continue;
    }
    if (!inference.FullyDefined(shape)) return std::nullopt;
    TensorShape known;
    for (int d = 0; d < inference.Rank(shape); ++d) known.AddDim(inference.Value(inference.Dim(shape, d)));
    shapes.push_back(known);
  }
  return shapes;
}

void HostKernel::ComputeInOrder(OpKernelContext* context, Operands operands, const std::vector<TensorShape>& shapes) {
  std::vector<Tensor> outputs;
  std::vector<ShapeAndType> work_outputs;
  for (int i = 0; i < context->num_outputs(); ++i) {
    Tensor* output = nullptr;
    int reused = -1;
    OP_REQUIRES_OK(context,
                   context->forward_input_or_allocate_output(ReusableInputs(type_string(), i, context->num_inputs()), i,
                                                             shapes[i], &output, &reused));
    if (reused > 0 && AddsToReusedInput(type_string())) std::swap(operands.inputs[0], operands.inputs[reused]);
    operands.accesses.Write(*output);
    outputs.push_back(OnHost(*output));
    work_outputs.push_back(Describe(*output));
  }
  operands.accesses.Launch(
      context, type_string(), WorkOf(def(), operands.work_inputs, work_outputs),
      [run = run_, op = std::string(type_string()), inputs = std::move(operands.inputs), outputs = std::move(outputs)] {
        const absl::StatusOr<std::vector<Tensor>> results = run->Run(inputs);
        if (!results.ok()) {
          Fail(op, std::string(results.status().message()));
          return;
        }
        for (size_t i = 0; i < outputs.size(); ++i) {
          if ((*results)[i].shape() != outputs[i].shape()) {
            Fail(op, absl::StrCat("output ", i, " has shape ", (*results)[i].shape().DebugString(), ", expected ",
                                  outputs[i].shape().DebugString()));
            return;
          }
          CopyBytes((*results)[i], outputs[i]);
        }
      });
}

void HostKernel::ComputeAndWait(OpKernelContext* context, const Operands& operands) {
  absl::StatusOr<std::vector<Tensor>> results;
  operands.accesses.Launch(context, type_string(), WorkOf(def(), operands.work_inputs, {}),
                           [this, &operands, &results] { results = run_->Run(operands.inputs); });
  OP_REQUIRES_OK(context, context->op_device_context()->stream()->BlockHostUntilDone());
  OP_REQUIRES_OK(context, results.status());
  for (int i = 0; i < context->num_outputs(); ++i) {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(i, (*results)[i].shape(), &output));
    Accesses accesses;
    accesses.Write(*output);
    accesses.Launch(context, type_string(), {0, static_cast<int64_t>(output->TotalBytes())},
                    [from = (*results)[i], to = OnHost(*output)] { CopyBytes(from, to); });
  }
}

void HostKernel::Compute(OpKernelContext* context) {
  Operands operands;
  if (!CollectInputs(context, &operands)) return;
  if (const std::optional<std::vector<TensorShape>> shapes = OutputShapes(operands); shapes.has_value()) {
    ComputeInOrder(context, std::move(operands), *shapes);
  } else {
    ComputeAndWait(context, operands);
  }
}

}  // namespace str::fake_gpu
