// File: swap_ops.h
//
// Names of the four ops that move a tensor to the host and back. Starting a copy and waiting for it are separate ops,
// so that where device memory is taken and given back is fixed by the program, however fast the copies are:
//
//   StrSwapOut(tensor) -> host       starts the copy to the host, or to the disk with the attribute "disk"
//   StrSwapOutWait(host, tensor)     completes with it; holding `tensor` until then
//   StrSwapIn(host) -> pending       takes device memory and starts the copy back
//   StrSwapInWait(pending) -> tensor completes with it
//
// And StrHold(tensors), which does nothing: until it has run, its inputs are held, so that no other op takes over their
// buffers.
#ifndef STR_TF_PLUGIN_KERNELS_SWAP_OPS_H_
#define STR_TF_PLUGIN_KERNELS_SWAP_OPS_H_

#include <cstdint>

namespace str::kernels {

inline constexpr char kSwapOut[] = "StrSwapOut";
inline constexpr char kSwapOutWait[] = "StrSwapOutWait";
inline constexpr char kSwapIn[] = "StrSwapIn";
inline constexpr char kSwapInWait[] = "StrSwapInWait";
inline constexpr char kHold[] = "StrHold";
inline constexpr char kDiskAttr[] = "disk";
// On a StrSwapOut: how much host memory all copies of the step take at once. A GPU's kernel takes it before the first
// step, because pinned memory is slow to get.
inline constexpr char kHostPoolAttr[] = "host_pool_bytes";

// Copies in a GPU's pool of host memory begin at multiples of this, and none is empty.
inline constexpr int64_t kPoolGranuleBytes = 256;
constexpr int64_t RoundedForPool(int64_t bytes) {
  return bytes <= 0 ? kPoolGranuleBytes : (bytes + kPoolGranuleBytes - 1) / kPoolGranuleBytes * kPoolGranuleBytes;
}

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_SWAP_OPS_H_
