// File: swap_handles.h
//
// What travels on graph edges between the swap ops: a tensor's copy on the host or the disk, and a device tensor that
// is being filled from one. Both are DT_VARIANT scalars.
#ifndef STR_TF_PLUGIN_KERNELS_SWAP_HANDLES_H_
#define STR_TF_PLUGIN_KERNELS_SWAP_HANDLES_H_

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/framework/variant_tensor_data.h"
#include "tf_plugin/kernels/host_pool.h"
#include "tf_plugin/kernels/spill_file.h"
#include "tf_plugin/kernels/transfer.h"

namespace str::kernels {

struct HostCopy {
  using Place = std::variant<HostBuffer, SpillRange>;

  HostCopy(Place place_in, tensorflow::DataType dtype_in, tensorflow::TensorShape shape_in)
      : place(std::move(place_in)), dtype(dtype_in), shape(std::move(shape_in)) {}

  // Of the copy's type and shape. Both block.
  absl::Status Fill(const tensorflow::Tensor& from) {
    const tensorflow::StringPiece bytes = from.tensor_data();
    if (const auto* const range = std::get_if<SpillRange>(&place)) return range->Write(bytes.data());
    std::memcpy(std::get<HostBuffer>(place).data(), bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  absl::Status ReadInto(tensorflow::Tensor& to) const {
    char* const data = const_cast<char*>(to.tensor_data().data());
    if (const auto* const range = std::get_if<SpillRange>(&place)) return range->Read(data);
    std::memcpy(data, std::get<HostBuffer>(place).data(), to.TotalBytes());
    return absl::OkStatus();
  }

  Place place;
  tensorflow::DataType dtype;
  tensorflow::TensorShape shape;
  // Complete when the place holds the tensor.
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
