#include "tests/fake_gpu/fake_gpu.h"

#include <memory>

#include "tests/fake_gpu/cuda_handles.h"
#include "tests/fake_gpu/driver.h"

namespace {

using str::fake_gpu::Driver;
using str::fake_gpu::Kernel;
using str::fake_gpu::Range;
using str::fake_gpu::ToStream;
using str::fake_gpu::VectorClock;

std::vector<Range> Ranges(const FakeGpuRange* ranges, size_t count) {
  std::vector<Range> result;
  for (size_t i = 0; i < count; ++i) result.push_back({static_cast<uintptr_t>(ranges[i].address), ranges[i].bytes});
  return result;
}

CUstream Handle(void* stream) { return static_cast<CUstream>(stream); }

}  // namespace

FAKE_GPU_EXPORT int64_t fake_gpu_count(const char* name) { return Driver::Get().report().Get(name); }

FAKE_GPU_EXPORT void fake_gpu_reset_counts() { Driver::Get().report().Reset(); }

FAKE_GPU_EXPORT int64_t fake_gpu_pageable_copies(void* stream) {
  return Driver::Get().PageableCopies(ToStream(Handle(stream)));
}

FAKE_GPU_EXPORT void* fake_gpu_alias(uint64_t address) { return Driver::Get().Alias(address); }

FAKE_GPU_EXPORT void fake_gpu_launch(void* stream, const FakeGpuKernel* kernel) {
  Driver::Get().Launch(
      ToStream(Handle(stream)),
      Kernel{kernel->name, Ranges(kernel->reads, kernel->num_reads), Ranges(kernel->writes, kernel->num_writes),
             kernel->flops, kernel->moved_bytes, [run = kernel->run, argument = kernel->argument] { run(argument); }});
}

FAKE_GPU_EXPORT void fake_gpu_kernel_failed(const char* text) {
  Driver::Get().report().Add(str::fake_gpu::Problem::kKernelNotRun, text);
}

FAKE_GPU_EXPORT void fake_gpu_time(int64_t* host_ns, int64_t* device_ns) { Driver::Get().Time(host_ns, device_ns); }

FAKE_GPU_EXPORT void fake_gpu_host_waited(void* stream, int64_t notice_ns) {
  Driver::Get().HostWaited(ToStream(Handle(stream)), notice_ns);
}

FAKE_GPU_EXPORT void* fake_gpu_hand_over() { return new VectorClock(Driver::Get().HandOver()); }

FAKE_GPU_EXPORT void fake_gpu_receive(void* handed_over) {
  const std::unique_ptr<VectorClock> clock(static_cast<VectorClock*>(handed_over));
  Driver::Get().Receive(*clock);
}
