#include "tests/fake_gpu/host_kernels/emulated_driver.h"

#include <dlfcn.h>

namespace str::fake_gpu {
namespace {

template <typename Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

const EmulatedDriver* Open() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  static EmulatedDriver driver;
  const bool found = Find(library, "fake_gpu_alias", &driver.alias) &&
                     Find(library, "fake_gpu_launch", &driver.launch) &&
                     Find(library, "fake_gpu_kernel_failed", &driver.kernel_failed);
  return found ? &driver : nullptr;
}

}  // namespace

const EmulatedDriver* FindEmulatedDriver() {
  static const EmulatedDriver* const driver = Open();
  return driver;
}

}  // namespace str::fake_gpu
