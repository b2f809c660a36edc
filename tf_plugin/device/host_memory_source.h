// File: host_memory_source.h
//
// Memory of STR's CPU device: two ranges of address space, one of them the arena.
#ifndef STR_TF_PLUGIN_DEVICE_HOST_MEMORY_SOURCE_H_
#define STR_TF_PLUGIN_DEVICE_HOST_MEMORY_SOURCE_H_

#include <string>

#include "tf_plugin/device/memory_source.h"
#include "tf_plugin/device/virtual_region.h"

namespace str::device {

class HostMemorySource : public MemorySource {
 public:
  HostMemorySource();

  void* Allocate(int64_t bytes, int64_t alignment, const tensorflow::AllocationAttributes& attributes) override;
  std::string WhyRefused() override { return "the address space is used up"; }
  void Free(void* pointer, int64_t bytes) override;
  void* AllocateAt(int64_t offset, int64_t bytes) override;
  void FreePlaced(void* pointer, int64_t bytes) override;
  bool has_emergency_memory() const override { return true; }
  // Never null while the system has memory: oneDNN's convolution uses the null pointer and takes the process down.
  void* AllocateEmergency(int64_t bytes) override;
  void FreeEmergency(void* pointer) override;
  bool is_host_memory() const override { return true; }
  tensorflow::AllocatorMemoryType memory_type() const override {
    return tensorflow::AllocatorMemoryType::kHostPageable;
  }
  // Keeps resident pages near the limit where free blocks still hold some.
  int64_t IdleBytes() const override;
  void Relieve(int64_t bytes_in_use, int64_t most_bytes) override;

 private:
  VirtualRegion general_;
  VirtualRegion arena_;
};

}  // namespace str::device

#endif  // STR_TF_PLUGIN_DEVICE_HOST_MEMORY_SOURCE_H_
