// Reads the logs of DTR's simulator: JSON, one instruction a line, every number a string. Whatever comes before an
// ANNOTATE START is skipped. Releases of unknown names are ignored; any other use of one is an error.
#ifndef STR_STRATEGIES_DTR_LOG_H_
#define STR_STRATEGIES_DTR_LOG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "strategies/dtr/trace.h"

namespace str::dtr {

struct Log {
  // Costs are nanoseconds.
  Trace trace;
  // Per operator.
  std::vector<std::string> op_names;
  std::vector<int> op_lines;
};

// `source_name` stands for the file in messages, which also name the line.
absl::StatusOr<Log> ParseLog(absl::string_view text, absl::string_view source_name);

absl::StatusOr<Log> ReadLog(const std::string& path);

}  // namespace str::dtr

#endif  // STR_STRATEGIES_DTR_LOG_H_
