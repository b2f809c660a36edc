#include "tf_plugin/capture/capture_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "config/atomic_file.h"
#include "config/graph_io.h"
#include "config/json_text.h"

namespace str::capture {
namespace {

struct IndexEntry {
  std::string file;
  std::string fingerprint;
  std::string device;
  int nodes = 0;
  // Measured in training. What `str plan` calls the peak with everything kept is the judge's, in the captured order.
  int64_t peak_bytes = 0;
  int steps_measured = 0;
};

std::string FileName(const config::GraphFile& graph) {
  std::string name = graph.name();
  for (char& c : name) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '-' && c != '.') c = '_';
  }
  return absl::StrCat(name, "-", graph.fingerprint(), ".graph");
}

IndexEntry EntryOf(const config::GraphFile& graph) {
  return {FileName(graph),   graph.fingerprint(),         graph.device(),
          graph.node_size(), graph.measured_peak_bytes(), graph.steps_measured()};
}

std::string IndexText(const std::map<std::string, IndexEntry>& entries) {
  std::vector<IndexEntry> sorted;
  for (const auto& [file, entry] : entries) sorted.push_back(entry);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const IndexEntry& a, const IndexEntry& b) { return a.peak_bytes > b.peak_bytes; });
  std::vector<std::string> rows;
  for (const IndexEntry& entry : sorted) {
    rows.push_back(absl::StrCat("  {\"file\": ", config::JsonString(entry.file),
                                ", \"fingerprint\": ", config::JsonString(entry.fingerprint),
                                ", \"nodes\": ", entry.nodes, ", \"device\": ", config::JsonString(entry.device),
                                ", \"peak_bytes\": ", entry.peak_bytes, ", \"measured_peak_bytes\": ", entry.peak_bytes,
                                ", \"steps_measured\": ", entry.steps_measured, "}"));
  }
  return absl::StrCat("[\n", absl::StrJoin(rows, ",\n"), "\n]\n");
}

// Brings `entries` up to date with what other processes put into the folder or took out of it. A file that is listed
// is not read again: whoever replaced it measured the same graph. One that cannot be read is not ours to list.
void Refresh(const std::string& directory, std::map<std::string, IndexEntry>& entries) {
  std::map<std::string, IndexEntry> there;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(directory, error)) {
    if (file.path().extension() != ".graph") continue;
    const std::string name = file.path().filename().string();
    if (const auto listed = entries.find(name); listed != entries.end()) {
      there.insert(*listed);
      continue;
    }
    const absl::StatusOr<config::GraphFile> graph = config::ReadGraph(file.path().string());
    if (!graph.ok()) continue;
    IndexEntry entry = EntryOf(*graph);
    entry.file = name;
    there[name] = entry;
  }
  entries = std::move(there);
}

}  // namespace

absl::StatusOr<std::string> WriteCapture(const config::GraphFile& graph, const std::string& directory) {
  static absl::Mutex* const mutex = new absl::Mutex;
  static std::map<std::string, std::map<std::string, IndexEntry>>* const by_directory =
      new std::map<std::string, std::map<std::string, IndexEntry>>;
  absl::MutexLock lock(mutex);
  const IndexEntry entry = EntryOf(graph);
  const std::string path = absl::StrCat(directory, "/", entry.file);
  if (absl::Status status = config::WriteGraph(graph, path); !status.ok()) return status;
  std::map<std::string, IndexEntry>& entries = (*by_directory)[directory];
  entries[entry.file] = entry;
  Refresh(directory, entries);
  if (absl::Status status = config::WriteFileAtomically(absl::StrCat(directory, "/index.json"), IndexText(entries));
      !status.ok()) {
    return status;
  }
  return path;
}

}  // namespace str::capture
