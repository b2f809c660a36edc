// Recognises STR's original INI strategy files, which only str import reads:
//   [solution]
//   strategy=hybrid
//   [hybrid]
//   r=R
#ifndef STR_CONFIG_ORIGINAL_INI_H_
#define STR_CONFIG_ORIGINAL_INI_H_

#include "absl/strings/string_view.h"

namespace str::config {

// By content, not by name. No valid protobuf text of ours is taken for INI.
bool IsOriginalIni(absl::string_view text);

}  // namespace str::config

#endif  // STR_CONFIG_ORIGINAL_INI_H_
