#include "config/text_proto.h"

#include <algorithm>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
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
    line_ = line;
  }

  const std::string& message() const { return message_; }
  int line() const { return line_; }

 private:
  const absl::string_view source_name_;
  std::string message_;
  int line_ = -1;
};

// Whether no line break follows in the line, counted from 0. What STR writes ends with one, so that a text without was
// cut off there or written by hand.
bool TextEndsIn(absl::string_view text, int line) {
  return line >= 0 && std::count(text.begin(), text.end(), '\n') == line;
}

// The parser quotes the end of a text as nothing.
std::string WithEndNamed(absl::string_view message) {
  for (absl::string_view nothing : {"got: ", "found \"\"."}) {
    if (!absl::ConsumeSuffix(&message, nothing)) continue;
    return absl::StrCat(message, nothing.substr(0, nothing.find(' ')), " the end of the file: is it cut off?");
  }
  return absl::StrCat(message, " The file ends in this line: is it cut off?");
}

bool IsBinary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x7f || (byte < 0x20 && !absl::ascii_isspace(byte));
}

}  // namespace

absl::Status ParseTextProto(absl::string_view text, FileKind kind, absl::string_view source_name,
                            google::protobuf::Message* message) {
  const absl::string_view name = FileKindName(kind);
  if (absl::StripAsciiWhitespace(text).empty()) {
    return absl::InvalidArgumentError(absl::StrCat(source_name, ": is empty; expected a ", name));
  }
  const auto binary = std::find_if(text.begin(), text.end(), IsBinary);
  if (binary != text.end()) {
    const auto line = std::count(text.begin(), binary, '\n') + 1;
    return absl::InvalidArgumentError(absl::StrFormat("%s:%d: is not text: byte 0x%02x at offset %d; expected a %s",
                                                      source_name, line, static_cast<unsigned char>(*binary),
                                                      binary - text.begin(), name));
  }
  if (text.size() > std::numeric_limits<int>::max()) {
    return absl::InvalidArgumentError(absl::StrCat(source_name, ": is larger than 2 GiB; no ", name, " is"));
  }
  FirstError error(source_name);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (parser.ParseFromString(text, message)) return absl::OkStatus();
  if (const FileKind found = RecogniseFile(text); found != kind && found != FileKind::kUnknown) {
    return absl::InvalidArgumentError(absl::StrCat(source_name, ": this is a ", FileKindName(found), ", not a ", name,
                                                   "; ", WhereFilesComeFrom(kind)));
  }
  const std::string reason = TextEndsIn(text, error.line()) ? WithEndNamed(error.message()) : error.message();
  return absl::InvalidArgumentError(absl::StrCat(reason, " (as a ", name, ")"));
}

std::string PrintTextProto(const google::protobuf::Message& message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  printer.SetPrintMessageFieldsInIndexOrder(true);
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
