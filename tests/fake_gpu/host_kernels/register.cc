// The library's entry: loaded by `import tensorflow` from tensorflow-plugins. Where libcuda.so.1 is the emulated GPU's,
// each kernel for GPUs that computes is registered once more, with a higher priority, as a HostKernel.
#include <set>
#include <string>

#include "tensorflow/core/framework/kernel_def.pb.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tests/fake_gpu/host_kernels/emulated_driver.h"
#include "tests/fake_gpu/host_kernels/host_kernel.h"
#include "tests/fake_gpu/host_kernels/op_rules.h"

namespace str::fake_gpu {
namespace {

bool Register() {
  if (FindEmulatedDriver() == nullptr) return false;
  const tensorflow::KernelList all = tensorflow::GetAllRegisteredKernels();
  std::set<std::string> on_cpu;
  for (const tensorflow::KernelDef& kernel : all.kernel()) {
    if (kernel.device_type() == "CPU") on_cpu.insert(kernel.op());
  }
  for (const tensorflow::KernelDef& kernel : all.kernel()) {
    const tensorflow::OpDef* op = nullptr;
    if (kernel.device_type() != "GPU" || on_cpu.count(kernel.op()) == 0 ||
        !tensorflow::OpRegistry::Global()->LookUpOpDef(kernel.op(), &op).ok() || !ComputesOnDevice(kernel, *op)) {
      continue;
    }
    // The registry owns it.
    auto* const ours = new tensorflow::KernelDef(kernel);
    ours->set_priority(kernel.priority() + 1);
    tensorflow::kernel_factory::OpKernelRegistrar(
        ours, "HostKernel", [](tensorflow::OpKernelConstruction* construction) -> tensorflow::OpKernel* {
          return new HostKernel(construction);
        });
  }
  return true;
}

[[maybe_unused]] const bool registered = Register();

}  // namespace
}  // namespace str::fake_gpu
