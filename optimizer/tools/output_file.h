// Whether a file that is still to be written can be: asked before the work, not after minutes of planning.
#ifndef STR_OPTIMIZER_TOOLS_OUTPUT_FILE_H_
#define STR_OPTIMIZER_TOOLS_OUTPUT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace str::tools {

// `option` ("--output") is for messages. The folder must exist and be writable, and `path` must not be a folder. Empty
// (nothing is written) and "-" (stdout) are fine.
absl::Status CheckOutputFile(absl::string_view option, const std::string& path);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_OUTPUT_FILE_H_
