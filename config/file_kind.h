// Tells by its content which kind of file a text is, so that one given in place of another is called by its name.
#ifndef STR_CONFIG_FILE_KIND_H_
#define STR_CONFIG_FILE_KIND_H_

#include "absl/strings/string_view.h"

namespace str::config {

enum class FileKind {
  kGraph,
  kStrategy,
  kDevice,
  // A strategy of the published STR (original_ini.h).
  kOriginalIni,
  kJson,
  kUnknown,
};

// By the first field that only one kind has; a text that is damaged further on is recognised all the same.
FileKind RecogniseFile(absl::string_view text);

// "graph file", and what else follows "this is a".
absl::string_view FileKindName(FileKind kind);

// How to come by a file of ours: one of the first three kinds.
absl::string_view WhereFilesComeFrom(FileKind kind);

}  // namespace str::config

#endif  // STR_CONFIG_FILE_KIND_H_
