#include "optimizer/tools/plan_folder.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "optimizer/explain/short_text.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/hidden_strategies.h"
#include "optimizer/tools/interrupt.h"
#include "optimizer/tools/output_file.h"

namespace str::tools {
namespace {

namespace fs = std::filesystem;

// Sorted by name.
absl::StatusOr<std::vector<fs::path>> GraphsIn(const std::string& folder) {
  std::vector<fs::path> graphs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".graph") graphs.push_back(entry.path());
  }
  if (error) return absl::InvalidArgumentError(absl::StrCat(folder, ": cannot be read: ", error.message()));
  if (graphs.empty()) {
    return absl::NotFoundError(
        absl::StrCat(folder, ": holds no *.graph file; STR_CAPTURE=", folder, " makes a training script write them"));
  }
  std::sort(graphs.begin(), graphs.end());
  return graphs;
}

absl::StatusOr<std::string> OutputFolder(const PlanOptions& options) {
  if (options.output.empty()) return HomeStrategies();
  // Any file in it: the folder itself must be there.
  const absl::Status status = CheckOutputFile("--output", (fs::path(options.output) / "any.conf").string());
  if (!status.ok()) return status;
  return options.output;
}

int Severity(int exit_code) {
  constexpr int kFromBestToWorst[] = {kExitDone, kExitLimit, kExitInfeasible, kExitBadInput};
  return static_cast<int>(std::find(std::begin(kFromBestToWorst), std::end(kFromBestToWorst), exit_code) -
                          std::begin(kFromBestToWorst));
}

std::string TableLine(const std::string& graph, const ResultRow& row) {
  const auto bytes = [](const std::optional<int64_t>& count) {
    return count.has_value() ? optimizer::ShortBytes(*count) : "-";
  };
  const auto count = [](const std::optional<int>& number) { return number.has_value() ? absl::StrCat(*number) : "-"; };
  const std::optional<double> overhead = row.Overhead();
  return absl::StrFormat("%-10s %10s %10s %9s %8s %10s %8s  %s\n", row.status, optimizer::ShortBytes(row.budget_bytes),
                         bytes(row.peak_bytes),
                         overhead.has_value() ? absl::StrFormat("%+.2f %%", 100 * *overhead) : "-",
                         count(row.swapped_tensors), count(row.recomputed_nodes),
                         absl::StrFormat("%.2f s", row.plan_seconds.value_or(0)), graph);
}

std::string TableHeader() {
  return absl::StrFormat("%-10s %10s %10s %9s %8s %10s %8s  %s\n", "status", "budget", "peak", "step", "swapped",
                         "recomputed", "planned", "graph");
}

}  // namespace

absl::StatusOr<int> PlanFolder(const PlanOptions& options) {
  if (options.format != kStrFormat) {
    return absl::InvalidArgumentError("--format: folders of graphs are planned as strategy files only");
  }
  const absl::StatusOr<std::vector<fs::path>> graphs = GraphsIn(options.graph);
  if (!graphs.ok()) return graphs.status();
  const absl::StatusOr<std::string> folder = OutputFolder(options);
  if (!folder.ok()) return folder.status();
  std::FILE* const people = options.json == "-" ? stderr : stdout;
  std::string table = TableHeader();
  std::vector<std::string> rows;
  int exit_code = kExitDone, written = 0;
  for (const fs::path& graph : *graphs) {
    const std::string name = graph.stem().string();
    const std::string output = (fs::path(*folder) / absl::StrCat(name, ".conf")).string();
    std::fprintf(stderr, "str: %s\n", name.c_str());
    absl::StatusOr<PlanOutcome> outcome = PlanGraph(options, graph.string(), output, absl::StrCat(name, ": "));
    JsonObject json;
    int code = kExitBadInput;
    if (outcome.ok()) {
      code = outcome->exit_code;
      json = outcome->json;
      json.Add("fingerprint", outcome->fingerprint);
      table += TableLine(name, outcome->row);
    } else {
      json.Add("status", "error");
      json.Add("error", outcome.status().message());
      absl::StrAppendFormat(&table, "%-10s %s: %s\n", "error", name, outcome.status().message());
    }
    if (code == kExitDone) {
      ++written;
      json.Add("file", output);
      SayIfHidden(output, outcome->fingerprint);
    } else {
      json.AddNull("file");
      std::fprintf(stderr, "str: %s: no plan was written\n", name.c_str());
    }
    json.Add("graph", graph.string());
    rows.push_back(json.Text());
    if (Severity(code) > Severity(exit_code)) exit_code = code;
    if (StopRequested()) break;
  }
  std::fprintf(people, "%s%d of %d strategies written to %s\n", table.c_str(), written,
               static_cast<int>(graphs->size()), folder->c_str());
  if (!options.json.empty()) {
    JsonObject json;
    json.Add("command", "plan");
    json.AddRaw("plans", JsonArray(rows));
    if (absl::Status status = WriteOut(json.Pretty(), options.json); !status.ok()) return status;
  }
  return exit_code;
}

}  // namespace str::tools
