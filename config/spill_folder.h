// Where swapped tensors lie that the host has no room for: named, opened and asked about in one way by the runtime
// half, which writes them, and by the offline half, which measures how fast that is.
#ifndef STR_CONFIG_SPILL_FOLDER_H_
#define STR_CONFIG_SPILL_FOLDER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace str::config {

// STR_SPILL_DIR, else a folder of the user's own in the temporary directory. It need not exist. InvalidArgument naming
// the variable if there is no temporary directory.
absl::StatusOr<std::string> SpillFolder();

// A new file in `folder`, which is made if it is missing. The file has no name once it is open, so that nothing is left
// behind however the process ends. Returns its descriptor, which the caller closes; -1 and errno if it cannot be made.
int OpenNamelessFile(const std::string& folder);

struct FileSystem {
  // tmpfs or ramfs: what is written there still takes memory.
  bool in_memory = false;
  // For this user.
  int64_t free_bytes = 0;
};

// What the open file lies on; nullopt and errno if the system does not tell.
std::optional<FileSystem> FindFileSystem(int descriptor);

}  // namespace str::config

#endif  // STR_CONFIG_SPILL_FOLDER_H_
