// How files name a tensor ("node:output") and describe it ("float[32,96,96,64]").
#ifndef STR_CONFIG_TENSOR_NAME_H_
#define STR_CONFIG_TENSOR_NAME_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/graph.pb.h"

namespace str::config {

struct TensorName {
  std::string node;
  // Index of the node's output, from 0.
  int output = 0;
};

// Splits at the last colon: "conv1/Conv2D:0". The output is always written, also 0.
absl::StatusOr<TensorName> ParseTensorName(absl::string_view text);

// "float[32,96,96,64]"; "float[?,10]" where a dimension is unknown, "float[*]" where the rank is, "float[]" for a
// scalar.
std::string ShapeText(const Output& output);

}  // namespace str::config

#endif  // STR_CONFIG_TENSOR_NAME_H_
