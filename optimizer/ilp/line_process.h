// A child process that is spoken to in lines of text, over its standard input and output. Its standard error is
// dropped. It has a process group of its own, so Ctrl-C in a terminal does not reach it; it sees the end of its input
// when this process ends, however that happens.
//
// Not thread-safe.
#ifndef STR_OPTIMIZER_ILP_LINE_PROCESS_H_
#define STR_OPTIMIZER_ILP_LINE_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace str::optimizer {

class LineProcess {
 public:
  // The program is looked for on PATH unless it has a slash. NotFound if there is none.
  static absl::StatusOr<std::unique_ptr<LineProcess>> Start(const std::vector<std::string>& arguments);
  // Ends the process: by the end of its input, and if that does not do, by force.
  ~LineProcess();

  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  // Unavailable if the process has ended.
  absl::Status Write(absl::string_view line);
  // Nothing if no line comes in time. Unavailable if the process has ended.
  absl::StatusOr<std::optional<std::string>> Read(absl::Duration timeout);

 private:
  LineProcess(pid_t process, int channel) : process_(process), channel_(channel) {}

  const pid_t process_;
  const int channel_;
  // Read, but not yet a whole line.
  std::string pending_;
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ILP_LINE_PROCESS_H_
