#include "config/file_kind.h"

#include <initializer_list>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "config/original_ini.h"

namespace str::config {
namespace {

bool IsOneOf(absl::string_view word, std::initializer_list<absl::string_view> words) {
  for (absl::string_view candidate : words) {
    if (word == candidate) return true;
  }
  return false;
}

FileKind KindWithField(absl::string_view field) {
  if (IsOneOf(field, {"node", "node_count", "allocation_granule_bytes", "measured_peak_bytes", "steps_measured"})) {
    return FileKind::kGraph;
  }
  if (IsOneOf(field, {"step", "step_count", "graph_fingerprint", "budget_bytes", "arena_bytes", "planner"})) {
    return FileKind::kStrategy;
  }
  if (IsOneOf(field, {"flops_per_second", "memory_bytes", "memory_bytes_per_second"})) return FileKind::kDevice;
  return FileKind::kUnknown;
}

}  // namespace

FileKind RecogniseFile(absl::string_view text) {
  // No protobuf text begins with a brace.
  if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "{")) return FileKind::kJson;
  if (IsOriginalIni(text)) return FileKind::kOriginalIni;
  int depth = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = line.substr(0, line.find('#'));
    const std::vector<absl::string_view> words = absl::StrSplit(line, absl::ByAnyChar(" \t\r:{"), absl::SkipEmpty());
    if (depth == 0 && !words.empty()) {
      const FileKind kind = KindWithField(words[0]);
      if (kind != FileKind::kUnknown) return kind;
    }
    for (const char c : line) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
  }
  return FileKind::kUnknown;
}

absl::string_view FileKindName(FileKind kind) {
  switch (kind) {
    case FileKind::kGraph:
      return "graph file";
    case FileKind::kStrategy:
      return "strategy file";
    case FileKind::kDevice:
      return "device file";
    case FileKind::kOriginalIni:
      return "strategy in STR's original INI form";
    case FileKind::kJson:
      return "JSON file";
    case FileKind::kUnknown:
      break;
  }
  return "file of no known kind";
}

absl::string_view WhereFilesComeFrom(FileKind kind) {
  switch (kind) {
    case FileKind::kGraph:
      return "training with STR_CAPTURE=DIR writes graph files, DIR/*.graph; where a command takes graph and strategy, "
             "the graph comes first";
    case FileKind::kStrategy:
      return "str plan GRAPH writes strategy files; where a command takes graph and strategy, the graph comes first";
    default:
      return "str devices lists the devices there are, and str calibrate writes a file for this machine";
  }
}

}  // namespace str::config
