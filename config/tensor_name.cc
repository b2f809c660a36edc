#include "config/tensor_name.h"

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace str::config {

absl::StatusOr<TensorName> ParseTensorName(absl::string_view text) {
  const size_t colon = text.rfind(':');
  const absl::string_view output = colon == absl::string_view::npos ? "" : text.substr(colon + 1);
  TensorName name;
  // One spelling for each tensor: no sign, blank or leading zero, which SimpleAtoi would take.
  if (output.empty() || colon == 0 || !absl::c_all_of(output, absl::ascii_isdigit) ||
      (output.size() > 1 && output[0] == '0') || !absl::SimpleAtoi(output, &name.output)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\" is not a tensor; write node:output, for example conv1/Conv2D:0"));
  }
  name.node = std::string(text.substr(0, colon));
  return name;
}

std::string ShapeText(const Output& output) {
  if (!output.known_rank()) return absl::StrCat(output.dtype(), "[*]");
  return absl::StrCat(output.dtype(), "[",
                      absl::StrJoin(output.dim(), ",",
                                    [](std::string* text, int64_t dim) {
                                      if (dim < 0) {
                                        text->push_back('?');
                                      } else {
                                        absl::StrAppend(text, dim);
                                      }
                                    }),
                      "]");
}

}  // namespace str::config
