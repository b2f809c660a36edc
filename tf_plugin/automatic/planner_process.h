// File: planner_process.h
//
// Runs `str plan` in a process of its own: the plugin carries no planner.
#ifndef STR_TF_PLUGIN_AUTOMATIC_PLANNER_PROCESS_H_
#define STR_TF_PLUGIN_AUTOMATIC_PLANNER_PROCESS_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace str::automatic {

struct ProcessResult {
  // As a shell has it: 128 and more for a process that a signal ended.
  int exit_code = 0;
  // What it wrote to stderr.
  std::string errors;
};

// Runs a command, found on PATH unless it has a slash, and waits for it. `line` gets each line of its stderr as it is
// written; its stdout is dropped.
absl::StatusOr<ProcessResult> RunProcess(const std::vector<std::string>& command,
                                         absl::FunctionRef<void(absl::string_view)> line);

// The command that plans: what STR_PLANNER says, else the launcher of the checkout that the plugin was built in, else
// "str".
std::string PlannerCommand();

}  // namespace str::automatic

#endif  // STR_TF_PLUGIN_AUTOMATIC_PLANNER_PROCESS_H_
