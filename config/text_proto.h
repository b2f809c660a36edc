// Text format in and out, the same for all three kinds of file.
#ifndef STR_CONFIG_TEXT_PROTO_H_
#define STR_CONFIG_TEXT_PROTO_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "config/file_kind.h"
#include "google/protobuf/message.h"

namespace str::config {

// Fills `message`. `kind` and `source_name` (the path) are for messages: a text that is empty, is no text at all or is a
// file of another kind is InvalidArgument as "source_name: reason", one that does not follow the schema as
// "source_name:line:column: reason".
absl::Status ParseTextProto(absl::string_view text, FileKind kind, absl::string_view source_name,
                            google::protobuf::Message* message);

// Stable: equal messages give equal texts. Fields come in the order of the schema.
std::string PrintTextProto(const google::protobuf::Message& message);

// `text` as comment lines, each beginning with "# ". Control characters become "?", so that no text can end the
// comment.
std::string CommentLines(absl::string_view text);

}  // namespace str::config

#endif  // STR_CONFIG_TEXT_PROTO_H_
