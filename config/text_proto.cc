#include "config/text_proto.h"

#include <algorithm>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"

namespace str::config {
namespace {

// Keeps the first error: later ones are mostly its consequences.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  explicit FirstError(absl::string_view source_name) : source_name_(source_name) {}

  void RecordError(int line, google::protobuf::io::ColumnNumber column, absl::string_view message) override {
    if (!message_.empty()) return;
    // The parser counts from 0, and has line -1 for an error of the file as a whole.
    message_ = line < 0 ? absl::StrCat(source_name_, ": ", message)
                        : absl::StrCat(source_name_, ":", line + 1, ":", column + 1, ": ", message);
  }

  const std::string& message() const { return message_; }

 private:
  const absl::string_view source_name_;
  std::string message_;
};

bool IsBinary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x7f || (byte < 0x20 && !absl::ascii_isspace(byte));
}

}  // namespace

absl::Status ParseTextProto(absl::string_view text, absl::string_view kind, absl::string_view source_name,
                            google::protobuf::Message* message) {
  if (absl::StripAsciiWhitespace(text).empty()) {
    return absl::InvalidArgumentError(absl::StrCat(source_name, ": is empty; expected a ", kind));
  }
  const auto binary = std::find_if(text.begin(), text.end(), IsBinary);
  if (binary != text.end()) {
    const auto line = std::count(text.begin(), binary, '\n') + 1;
    return absl::InvalidArgumentError(absl::StrFormat("%s:%d: is not text: byte 0x%02x at offset %d; expected a %s",
                                                      source_name, line, static_cast<unsigned char>(*binary),
                                                      binary - text.begin(), kind));
  }
  if (text.size() > std::numeric_limits<int>::max()) {
    return absl::InvalidArgumentError(absl::StrCat(source_name, ": is larger than 2 GiB; no ", kind, " is"));
  }
  FirstError error(source_name);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(text, message)) {
    return absl::InvalidArgumentError(absl::StrCat(error.message(), " (as a ", kind, ")"));
  }
  return absl::OkStatus();
}

std::string PrintTextProto(const google::protobuf::Message& message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  std::string text;
  printer.PrintToString(message, &text);
  return text;
}

std::string CommentLines(absl::string_view text) {
  std::string comment;
  for (absl::string_view line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
    std::string printable(line);
    std::replace_if(
        printable.begin(), printable.end(), [](char c) { return IsBinary(c) || c == '\r' || c == '\v' || c == '\f'; },
        '?');
    absl::StrAppend(&comment, printable.empty() ? "#" : "# ", printable, "\n");
  }
  return comment;
}

}  // namespace str::config
