// The library that TensorFlow loads. It needs nothing but the C and C++ runtime, and opens the payload that suits the
// TensorFlow of this process: the folder "str" beside it holds one with the code for GPUs and one without.
//
// Why two steps: a library in TensorFlow's plugin folder with a symbol that the process lacks makes `import tensorflow`
// fail. The classes behind a GPU are in TensorFlow's CUDA wheel alone. A payload that cannot be opened is one line
// here.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// The type of TensorFlow's GPU device: only a TensorFlow that can have one exports it.
constexpr char kGpuDeviceType[] = "_ZTIN10tensorflow13BaseGPUDeviceE";

std::string OwnFolder() {
  Dl_info self;
  if (dladdr(&kGpuDeviceType, &self) == 0 || self.dli_fname == nullptr) return "";
  const std::string path = self.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

bool IsSilent() {
  const char* const verbose = std::getenv("STR_VERBOSE");
  return verbose != nullptr && std::string(verbose) == "0";
}

// RTLD_NOW: a payload with a missing symbol fails here, before any of its code has run.
bool OpenPayload() {
  const bool has_gpu_devices = dlsym(RTLD_DEFAULT, kGpuDeviceType) != nullptr;
  const std::string path = OwnFolder() + "str/" + (has_gpu_devices ? "libstr_gpu.so" : "libstr_cpu.so");
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return true;
  const char* const reason = dlerror();
  if (!IsSilent()) {
    std::fprintf(stderr, "STR-2006 the plugin cannot be loaded: %s. TensorFlow runs without STR.\n",
                 reason != nullptr ? reason : path.c_str());
  }
  return false;
}

[[maybe_unused]] const bool opened = OpenPayload();

}  // namespace
