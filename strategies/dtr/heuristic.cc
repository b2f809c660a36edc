#include "strategies/dtr/heuristic.h"

#include <algorithm>
#include <utility>

#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace str::dtr {
namespace {

std::vector<HeuristicEntry>& Entries() {
  static auto* const entries = new std::vector<HeuristicEntry>();
  return *entries;
}

// The first part stays first.
std::string Normalized(absl::string_view name) {
  std::vector<std::string> parts = absl::StrSplit(name, '+');
  std::sort(parts.begin() + 1, parts.end());
  return absl::StrJoin(parts, "+");
}

}  // namespace

HeuristicRegistration::HeuristicRegistration(absl::string_view name, absl::string_view description,
                                             HeuristicFactory factory) {
  std::vector<HeuristicEntry>& entries = Entries();
  const auto place = std::lower_bound(entries.begin(), entries.end(), name,
                                      [](const HeuristicEntry& a, absl::string_view b) { return a.name < b; });
  CHECK(place == entries.end() || place->name != name) << "two heuristics named " << name;
  entries.insert(place, {std::string(name), std::string(description), std::move(factory)});
}

const std::vector<HeuristicEntry>& AllHeuristics() { return Entries(); }

absl::StatusOr<const HeuristicEntry*> FindHeuristic(absl::string_view name) {
  std::vector<std::string> names;
  for (const HeuristicEntry& entry : AllHeuristics()) {
    if (entry.name == Normalized(name)) return &entry;
    names.push_back(entry.name);
  }
  return absl::NotFoundError(
      absl::StrCat("there is no heuristic \"", name, "\"; there are ", absl::StrJoin(names, ", ")));
}

}  // namespace str::dtr
