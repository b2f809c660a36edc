// CUDA's functions as a program calls them, over the process's one driver.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "tests/fake_gpu/fake_gpu.h"

namespace {

constexpr size_t kBytes = 4096;

// Before the first call makes the driver.
class TwoSmallDevices : public testing::Environment {
 public:
  void SetUp() override {
    setenv("FAKE_GPU_COUNT", "2", 1);
    setenv("FAKE_GPU_MEMORY", "1MiB", 1);
    setenv("FAKE_GPU_LOG", "/dev/null", 1);
  }
};
[[maybe_unused]] testing::Environment* const environment = testing::AddGlobalTestEnvironment(new TwoSmallDevices);

class CudaApiTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(context_), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&stream_, 0), CUDA_SUCCESS);
    fake_gpu_reset_counts();
  }
  void TearDown() override {
    EXPECT_EQ(cuStreamDestroy(stream_), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  }

  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
};

TEST_F(CudaApiTest, DevicesAreThere) {
  int count = 0, major = 0;
  size_t total = 0;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(cuDeviceTotalMem(&total, 1), CUDA_SUCCESS);
  EXPECT_EQ(total, 1 << 20);
  EXPECT_EQ(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), CUDA_SUCCESS);
  EXPECT_EQ(major, 8);
  CUdevice device = 0;
  EXPECT_EQ(cuDeviceGet(&device, 2), CUDA_ERROR_INVALID_DEVICE);
  cudaDeviceProp properties;
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(properties.warpSize, 32);
}

TEST_F(CudaApiTest, TheCurrentContextSaysWhereMemoryIs) {
  CUcontext second = nullptr;
  CUdeviceptr address = 0;
  int ordinal = -1;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&second, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxPushCurrent(second), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc(&address, kBytes), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxPopCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address), CUDA_SUCCESS);
  EXPECT_EQ(ordinal, 1);
  int current = -1;
  EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 0);
  EXPECT_EQ(cuMemFree(address), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(1), CUDA_SUCCESS);
}

TEST_F(CudaApiTest, BytesTravelThroughBothInterfaces) {
  CUdeviceptr device = 0;
  void* pinned = nullptr;
  ASSERT_EQ(cuMemAlloc(&device, kBytes), CUDA_SUCCESS);
  ASSERT_EQ(cudaHostAlloc(&pinned, kBytes, 0), cudaSuccess);
  EXPECT_EQ(cuMemsetD32Async(device, 0x01020304, kBytes / 4, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cudaMemcpyAsync(pinned, reinterpret_cast<void*>(device), kBytes, cudaMemcpyDeviceToHost, stream_),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(std::memcmp(pinned, "\4\3\2\1\4\3\2\1", 8), 0);
  EXPECT_EQ(fake_gpu_count("copy out bytes"), kBytes);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cuMemFree(device), CUDA_SUCCESS);
  for (const char* const name : {"races", "unwritten", "after_free", "bad_pointers", "pageable", "kernels_not_run"}) {
    EXPECT_EQ(fake_gpu_count(name), 0) << name;
  }
}

TEST_F(CudaApiTest, StandInsRunOnTheAliasAndAreChecked) {
  CUdeviceptr device = 0;
  CUstream other = nullptr;
  CUevent event = nullptr;
  ASSERT_EQ(cuMemAlloc(&device, kBytes), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&other, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  const FakeGpuRange range{device, kBytes};
  FakeGpuKernel write = {};
  write.name = "write";
  write.writes = &range;
  write.num_writes = 1;
  write.argument = fake_gpu_alias(device);
  write.run = [](void* alias) { std::memset(alias, 7, kBytes); };
  FakeGpuKernel read = {};
  read.name = "read";
  read.reads = &range;
  read.num_reads = 1;
  static char seen;
  read.argument = fake_gpu_alias(device);
  read.run = [](void* alias) { seen = *static_cast<char*>(alias); };
  fake_gpu_launch(stream_, &write);
  EXPECT_EQ(cuEventRecord(event, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(other, event, 0), CUDA_SUCCESS);
  // Streams that wait for it keep it.
  EXPECT_EQ(cuEventDestroy(event), CUDA_SUCCESS);
  fake_gpu_launch(other, &read);
  EXPECT_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
  EXPECT_EQ(seen, 7);
  EXPECT_EQ(fake_gpu_count("races"), 0);
  EXPECT_EQ(fake_gpu_count("launches"), 2);
  fake_gpu_launch(stream_, &write);
  fake_gpu_launch(other, &read);
  EXPECT_EQ(fake_gpu_count("races"), 1);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy(other), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(device), CUDA_SUCCESS);
}

TEST_F(CudaApiTest, StreamOrderedMemoryComesFromThePool) {
  CUmemoryPool pool = nullptr;
  CUdeviceptr address = 0;
  cuuint64_t used = 0;
  ASSERT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&address, kBytes, pool, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used), CUDA_SUCCESS);
  EXPECT_EQ(used, kBytes);
  EXPECT_EQ(cuMemFreeAsync(address, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAllocAsync(&address, 2 << 20, stream_), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(CudaApiTest, KernelsOfCudaDoNotRunAndAreCounted) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "some_kernel"), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(fake_gpu_count("kernels_not_run"), 1);
}

TEST_F(CudaApiTest, ErrorsAreKeptForWhoAsks) {
  void* address = nullptr;
  EXPECT_EQ(cudaMalloc(&address, 2 << 20), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "CUDA_ERROR_OUT_OF_MEMORY");
}

}  // namespace
