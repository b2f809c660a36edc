#include "config/original_ini.h"

#include <initializer_list>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace str::config {
namespace {

bool IsOneOf(absl::string_view word, std::initializer_list<absl::string_view> words) {
  for (absl::string_view candidate : words) {
    if (absl::EqualsIgnoreCase(word, candidate)) return true;
  }
  return false;
}

// "[solution]". No text of ours has a line like this: lists have numbers, and names in brackets are for extensions.
bool IsSection(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, "[")) return false;
  const size_t close = line.find(']');
  if (close == absl::string_view::npos) return false;
  return IsOneOf(absl::StripAsciiWhitespace(line.substr(0, close)), {"solution", "recompute", "swap", "hybrid"});
}

// "strategy=hybrid", "r = 0.5". Protobuf text has no "=" outside of strings and comments.
bool IsAssignment(absl::string_view line) {
  const size_t equals = line.find('=');
  if (equals == absl::string_view::npos) return false;
  return IsOneOf(absl::StripAsciiWhitespace(line.substr(0, equals)), {"strategy", "tags", "r", "p", "q"});
}

}  // namespace

bool IsOriginalIni(absl::string_view text) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (IsSection(line) || IsAssignment(line)) return true;
  }
  return false;
}

}  // namespace str::config
