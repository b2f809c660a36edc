// File: swap_handles.h
//
// What travels on graph edges between the swap ops: a tensor's copy on the host, and a device tensor that is being
// filled from one. Both are DT_VARIANT scalars.
#ifndef STR_TF_PLUGIN_KERNELS_SWAP_HANDLES_H_
#define STR_TF_PLUGIN_KERNELS_SWAP_HANDLES_H_

#include <memory>
#include <string>
#include <utility>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/framework/variant_tensor_data.h"
#include "tf_plugin/kernels/host_pool.h"
#include "tf_plugin/kernels/transfer.h"

namespace str::kernels {

struct HostCopy {
  HostCopy(HostBuffer buffer_in, tensorflow::DataType dtype_in, tensorflow::TensorShape shape_in)
      : buffer(std::move(buffer_in)), dtype(dtype_in), shape(std::move(shape_in)) {}
  HostBuffer buffer;
  tensorflow::DataType dtype;
  tensorflow::TensorShape shape;
  // Complete when the buffer holds the tensor.
  std::shared_ptr<Transfer> out = std::make_shared<Transfer>();
};

struct PendingTensor {
  tensorflow::Tensor tensor;
  // Complete when `tensor` is filled.
  std::shared_ptr<Transfer> in = std::make_shared<Transfer>();
};

// A variant's payload: shared ownership, never serialized (a handle makes sense in this process only).
template <typename T>
struct SwapHandle {
  std::shared_ptr<T> value;

  std::string TypeName() const { return "str::SwapHandle"; }
  void Encode(tensorflow::VariantTensorData*) const {}
  bool Decode(const tensorflow::VariantTensorData&) { return false; }
};

using HostCopyHandle = SwapHandle<HostCopy>;
using PendingTensorHandle = SwapHandle<PendingTensor>;

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_SWAP_HANDLES_H_
