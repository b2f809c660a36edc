#include "optimizer/importers/str_files.h"

#include <filesystem>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "config/atomic_file.h"

namespace str::optimizer {
namespace {

namespace fs = std::filesystem;

std::string IfThere(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) ? path.string() : "";
}

absl::StatusOr<StrFiles> InFolder(const fs::path& folder) {
  StrFiles files;
  files.computed = IfThere(folder / "R");
  files.held = IfThere(folder / "S");
  files.copied_out = IfThere(folder / "P");
  files.copied_back = IfThere(folder / "PrunedQ");
  if (files.copied_back.empty()) files.copied_back = IfThere(folder / "Q");
  files.layer_names = IfThere(folder / "layer_names");
  if (files.computed.empty() && files.copied_out.empty()) {
    return absl::NotFoundError(absl::StrCat(folder.string(), ": has neither a file R nor a file P"));
  }
  if (files.copied_out.empty() != files.copied_back.empty()) {
    return absl::NotFoundError(absl::StrCat(folder.string(), ": P and Q belong together, but it has no file ",
                                            files.copied_out.empty() ? "P" : "Q"));
  }
  return files;
}

// By "section.key", in lower case.
absl::StatusOr<std::map<std::string, std::string>> ParseIni(absl::string_view text, absl::string_view path) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  std::map<std::string, std::string> values;
  std::string section;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find_first_of(";#")));
    if (line.empty()) continue;
    if (line.front() == '[' && line.back() == ']') {
      section = absl::AsciiStrToLower(absl::StripAsciiWhitespace(line.substr(1, line.size() - 2)));
      continue;
    }
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits('=', 1));
    if (line.find('=') == absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number, ": \"", line, "\" is neither a [section] nor a key=value"));
    }
    const std::string key = absl::AsciiStrToLower(absl::StripAsciiWhitespace(parts.first));
    values[absl::StrCat(section, ".", key)] = std::string(absl::StripAsciiWhitespace(parts.second));
  }
  return values;
}

absl::StatusOr<StrFiles> FromIni(const fs::path& path) {
  const absl::StatusOr<std::string> text = config::ReadFile(path.string());
  if (!text.ok()) return text.status();
  const absl::StatusOr<std::map<std::string, std::string>> values = ParseIni(*text, path.string());
  if (!values.ok()) return values.status();
  const auto find = [&](absl::string_view key) -> std::string {
    const auto value = values->find(std::string(key));
    return value == values->end() || value->second.empty() ? "" : (path.parent_path() / value->second).string();
  };
  const auto missing = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(path.string(), ": ", what));
  };
  StrFiles files;
  files.layer_names = find("solution.tags");
  const auto found = values->find("solution.strategy");
  if (found == values->end()) return missing("[solution] has no strategy=");
  const std::string strategy = absl::AsciiStrToLower(found->second);
  const bool recomputes = strategy == "recompute" || strategy == "hybrid";
  const bool swaps = strategy == "swap" || strategy == "hybrid";
  if (!recomputes && !swaps && strategy != "none") {
    return missing(absl::StrCat("strategy=", found->second, " is none of none, recompute, swap, hybrid"));
  }
  if (recomputes) {
    files.computed = find(absl::StrCat(strategy, ".r"));
    if (files.computed.empty()) {
      return missing(absl::StrCat("[", strategy,
                                  "] has no r=, so that the strategy is a rule without matrices; "
                                  "str plan --strategy=chen-sqrt plans by Chen's"));
    }
    const fs::path computed = files.computed;
    const std::string name = computed.filename().string();
    if (name[0] == 'R') files.held = IfThere(computed.parent_path() / absl::StrCat("S", name.substr(1)));
  }
  if (swaps) {
    files.copied_out = find(absl::StrCat(strategy, ".p"));
    files.copied_back = find(absl::StrCat(strategy, ".q"));
    if (files.copied_out.empty() || files.copied_back.empty()) {
      return missing(absl::StrCat("[", strategy, "] needs both p= and q="));
    }
  }
  return files;
}

}  // namespace

absl::StatusOr<StrFiles> FindStrFiles(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? InFolder(path) : FromIni(path);
}

}  // namespace str::optimizer
