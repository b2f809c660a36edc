/* The emulated GPU's own functions, beside CUDA's: for tests (by ctypes) and for the stand-ins of kernels.
 *
 * Plain C. Streams are CUDA's handles (CUstream), device addresses its CUdeviceptr. */
#ifndef STR_TESTS_FAKE_GPU_FAKE_GPU_H_
#define STR_TESTS_FAKE_GPU_FAKE_GPU_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How often something happened since the start or the last fake_gpu_reset_counts.
 * Problems: races, unwritten, after_free, bad_pointers, pageable, kernels_not_run.
 * Work: launches, "allocations in order" (of a stream); "copy in", "copy out", "copy on device", and each of these
 * three with " bytes" behind it; and "pinned bytes", less what was freed. */
int64_t fake_gpu_count(const char* name);
void fake_gpu_reset_counts(void);
/* Asynchronous copies of this stream from or to memory that is not pinned. */
int64_t fake_gpu_pageable_copies(void* stream);

/* Where the bytes of a device address can be accessed by a stream's work. */
void* fake_gpu_alias(uint64_t address);

struct FakeGpuRange {
  uint64_t address;
  uint64_t bytes;
};

struct FakeGpuKernel {
  const char* name;
  const struct FakeGpuRange* reads;
  size_t num_reads;
  const struct FakeGpuRange* writes;
  size_t num_writes;
  /* For the virtual clock, which has a device file's figures (FAKE_GPU_DEVICE_FILE). */
  int64_t flops;
  int64_t moved_bytes;
  /* Called once, on the stream's thread. */
  void (*run)(void* argument);
  void* argument;
};

/* Enqueues work on a stream. */
void fake_gpu_launch(void* stream, const struct FakeGpuKernel* kernel);

/* A stand-in could not run: counted as a kernel that did not run, and reported with this text. */
void fake_gpu_kernel_failed(const char* text);

/* The host's virtual time, and when all enqueued work ends, in nanoseconds. */
void fake_gpu_time(int64_t* host_ns, int64_t* device_ns);
/* The host has waited for all that is enqueued on the stream, and noticed it so much later. CUDA's blocking calls tell
 * the clock themselves; who polls has to tell it. */
void fake_gpu_host_waited(void* stream, int64_t notice_ns);

/* With FAKE_GPU_HOST_CLOCK=thread: what this thread has seen finish, for another thread to receive. Each is received
 * once. */
void* fake_gpu_hand_over(void);
void fake_gpu_receive(void* handed_over);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* STR_TESTS_FAKE_GPU_FAKE_GPU_H_ */
