// File: settings.h
//
// What the environment asks of the plugin. docs/environment_variables.md is the table for users.
#ifndef STR_TF_PLUGIN_SETTINGS_H_
#define STR_TF_PLUGIN_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "tf_plugin/budget.h"

namespace str {

struct Settings {
  bool disabled = false;          // STR_DISABLE=1
  bool strict = false;            // STR_STRICT=1
  bool verify = true;             // STR_VERIFY=0
  int verbose = 1;                // STR_VERBOSE=0..3; 0 is silent
  std::string capture_directory;  // STR_CAPTURE; empty: no capture
  bool capture_only = false;      // STR_CAPTURE_ONLY=1
  bool keep_xla = false;          // STR_XLA=keep
  // STR_BUDGET; absent: steps are not planned automatically.
  std::optional<Budget> budget;
  // STR_MEMORY_LIMIT; absent: no limit.
  std::optional<int64_t> memory_limit_bytes;
  // STR_HOST_LIMIT, STR_DISK_LIMIT: most that swapped tensors may take; absent: no limit.
  std::optional<int64_t> host_limit_bytes, disk_limit_bytes;
  // STR_SPILL_DIR, else a folder of the user's own under the temporary directory. It need not exist.
  std::string spill_directory;
  // STR_STRATEGY_FILE, else ~/.str if it is there: a file or a directory; empty: no strategy.
  std::string strategy_path;
  // STR_STRATEGY_FILE was set: then a missing file is worth a word.
  bool strategy_path_was_set = false;
};

// Read once, at the first call. A value that cannot be understood is said on stderr, with what would be, and ends the
// process: training without the limit or the plan that was asked for would be worse.
const Settings& GetSettings();

}  // namespace str

#endif  // STR_TF_PLUGIN_SETTINGS_H_
