#include "optimizer/tools/plan_format.h"

#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "optimizer/importers/mksch_graph.h"
#include "optimizer/importers/mksch_schedule.h"
#include "optimizer/importers/mksch_text.h"

namespace str::tools {

absl::Status CheckMkschFormat(const std::string& graph_path, const std::string& output) {
  if (output.empty()) {
    return absl::InvalidArgumentError(
        "--format=mksch: say with --output=FILE where to write the schedule; ~/.str/strategy.conf is for strategies");
  }
  const absl::StatusOr<std::string> text = config::ReadFile(graph_path);
  if (!text.ok()) return text.status();
  if (optimizer::LooksLikeMksch(*text)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--format=mksch: ", graph_path,
                   " is no text graph of mksch, whose functions and variables a schedule names; leave --format out"));
}

absl::Status WriteMkschSchedule(const std::string& graph_path, const optimizer::Program& program,
                                const std::string& output) {
  const absl::StatusOr<std::string> text = config::ReadFile(graph_path);
  if (!text.ok()) return text.status();
  const absl::StatusOr<optimizer::MkschGraph> graph = optimizer::ParseMksch(*text);
  if (!graph.ok()) return graph.status();
  // The schedule has no times.
  const absl::StatusOr<optimizer::MkschImport> import = optimizer::ImportMksch(*graph, 1);
  if (!import.ok()) return import.status();
  const absl::StatusOr<std::string> schedule = optimizer::MkschSchedule(*graph, import->nodes, program);
  if (!schedule.ok()) return absl::InvalidArgumentError(absl::StrCat("--format=mksch: ", schedule.status().message()));
  return config::WriteFileAtomically(output, *schedule);
}

}  // namespace str::tools
