#include "tf_plugin/automatic/probe_input_op.h"

#include <cstring>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace str::automatic {
namespace {

using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;

struct Probes {
  absl::Mutex mutex;
  std::map<std::string, std::shared_ptr<ProbeInputs>> by_name ABSL_GUARDED_BY(mutex);
};

Probes& AllProbes() {
  static Probes* const probes = new Probes;
  return *probes;
}

class ProbeInputOp : public OpKernel {
 public:
  explicit ProbeInputOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("shape", &shape_));
    OP_REQUIRES_OK(construction, construction->GetAttr(kMayBeHeldAttr, &may_be_held_));
    std::string name;
    OP_REQUIRES_OK(construction, construction->GetAttr(kProbeNameAttr, &name));
    Probes& probes = AllProbes();
    absl::MutexLock lock(&probes.mutex);
    const auto found = probes.by_name.find(name);
    OP_REQUIRES(construction, found != probes.by_name.end(),
                absl::InternalError(absl::StrCat("no probe '", name, "' in this process")));
    inputs_ = found->second;
  }

  void Compute(OpKernelContext* context) override {
    Tensor* input = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape_, &input));
    if (tensorflow::DataTypeCanUseMemcpy(input->dtype())) std::memset(input->data(), 0, input->TotalBytes());
    if (may_be_held_) inputs_->Made(*input);
  }

 private:
  bool may_be_held_ = false;
  tensorflow::TensorShape shape_;
  std::shared_ptr<ProbeInputs> inputs_;
};

REGISTER_OP("StrProbeInput")
    .Output("zeros: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Attr("probe: string")
    .Attr("may_be_held: bool")
    .SetIsStateful()
    .SetShapeFn(tensorflow::shape_inference::ExplicitShape);
REGISTER_KERNEL_BUILDER(Name("StrProbeInput").Device(tensorflow::DEVICE_CPU), ProbeInputOp);

}  // namespace

void ProbeInputs::HoldThem(bool hold) {
  absl::MutexLock lock(&mutex_);
  hold_ = hold;
}

void ProbeInputs::Made(const Tensor& input) {
  absl::MutexLock lock(&mutex_);
  if (hold_) held_.push_back(input);
}

void ProbeInputs::OpEnded() {
  absl::MutexLock lock(&mutex_);
  held_.clear();
}

void AddProbeInputs(const std::string& name, std::shared_ptr<ProbeInputs> inputs) {
  Probes& probes = AllProbes();
  absl::MutexLock lock(&probes.mutex);
  probes.by_name[name] = std::move(inputs);
}

void RemoveProbeInputs(const std::string& name) {
  Probes& probes = AllProbes();
  absl::MutexLock lock(&probes.mutex);
  probes.by_name.erase(name);
}

}  // namespace str::automatic
