// Whole files in and out.
//
// A file that is written appears under its name complete or not at all: readers never see half of it, and a failed
// write leaves what was there before. Two writers of one name do not disturb each other; the last rename wins.
#ifndef STR_CONFIG_ATOMIC_FILE_H_
#define STR_CONFIG_ATOMIC_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace str::config {

// NotFound if there is no such file; other errors (a directory, no permission) keep the system's reason.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Creates missing parent directories. Writes under a temporary name in the same directory, syncs it to disk, renames
// it. On failure the temporary file is removed.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view contents);

}  // namespace str::config

#endif  // STR_CONFIG_ATOMIC_FILE_H_
