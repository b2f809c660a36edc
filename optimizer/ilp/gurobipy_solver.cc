#include "optimizer/ilp/gurobipy_solver.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "optimizer/ilp/gurobi_errors.h"
#include "optimizer/ilp/gurobipy_solve_py.h"
#include "optimizer/ilp/mps.h"

namespace str::optimizer {
namespace {

constexpr absl::Duration kStartPatience = absl::Seconds(60);
// How often the caller's stop flag is looked at.
constexpr absl::Duration kTick = absl::Milliseconds(20);

// Gone when this goes.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    const char* directory = std::getenv("TMPDIR");
    path_ = absl::StrCat(directory != nullptr && *directory != '\0' ? directory : P_tmpdir, "/str-XXXXXX.mps");
    const int file = mkstemps(path_.data(), 4);
    if (file < 0) return;
    size_t written = 0;
    while (written < text.size()) {
      const ssize_t count = write(file, text.data() + written, text.size() - written);
      if (count <= 0) break;
      written += static_cast<size_t>(count);
    }
    ok_ = written == text.size() && close(file) == 0;
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  bool ok() const { return ok_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool ok_ = false;
};

// "CODE TEXT".
absl::Status RefusedBy(absl::string_view message, const LinearModel* model) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(message, absl::MaxSplits(' ', 1));
  int code = 0;
  if (!absl::SimpleAtoi(parts.first, &code)) return absl::InternalError(absl::StrCat("gurobipy said: ", message));
  return GurobiError(code, parts.second, model);
}

// "STATUS OBJECTIVE BOUND VALUE...".
absl::StatusOr<Solution> ParseResult(absl::string_view text, size_t columns) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  const absl::Status broken = absl::InternalError("gurobipy's answer is damaged");
  Solution solution;
  if (words.size() < 3 || !absl::SimpleAtod(words[1], &solution.objective) ||
      !absl::SimpleAtod(words[2], &solution.bound)) {
    return broken;
  }
  if (words[0] == "infeasible") {
    solution.status = SolveStatus::kInfeasible;
    return solution;
  }
  if (words[0] == "none") return solution;
  solution.status = words[0] == "optimal" ? SolveStatus::kOptimal : SolveStatus::kFeasible;
  if (words.size() != columns + 3) return broken;
  for (size_t i = 3; i < words.size(); ++i) {
    double value = 0;
    if (!absl::SimpleAtod(words[i], &value)) return broken;
    solution.values.push_back(value);
  }
  return solution;
}

void TellProgress(absl::string_view text, const SolveOptions& options) {
  const std::pair<std::string, std::string> words = absl::StrSplit(text, absl::MaxSplits(' ', 1));
  double objective = 0, bound = 0;
  if (options.progress && absl::SimpleAtod(words.first, &objective) && absl::SimpleAtod(words.second, &bound)) {
    options.progress(objective, bound);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<const GurobipySolver>> GurobipySolver::Make(const std::string& python) {
  absl::StatusOr<std::unique_ptr<LineProcess>> process = LineProcess::Start({python, "-c", kGurobipySolve});
  if (!process.ok()) return absl::FailedPreconditionError(process.status().message());
  const absl::StatusOr<std::optional<std::string>> line = (*process)->Read(kStartPatience);
  if (!line.ok() || !line->has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(python, " did not start gurobipy"));
  }
  absl::string_view text = **line;
  if (absl::ConsumePrefix(&text, "error ")) return RefusedBy(text, nullptr);
  if (!absl::ConsumePrefix(&text, "ready ")) {
    return absl::FailedPreconditionError(absl::StrCat(python, " is no Python that runs gurobipy"));
  }
  return std::unique_ptr<const GurobipySolver>(
      new GurobipySolver(absl::StrCat("Gurobi ", text, " (gurobipy)"), *std::move(process)));
}

absl::StatusOr<Solution> GurobipySolver::Solve(const LinearModel& model, const SolveOptions& options) const {
  const TemporaryFile file(MpsText(model, options.relax_integers));
  if (!file.ok()) return absl::InternalError(absl::StrCat("cannot write ", file.path()));
  const absl::MutexLock lock(&mutex_);
  const double seconds = std::max(0.0, absl::ToDoubleSeconds(options.time_limit));
  absl::Status status =
      process_->Write(absl::StrFormat("solve %.17g %.17g %s", options.relative_gap, seconds, file.path()));
  bool told_to_stop = false;
  while (status.ok()) {
    if (options.stop != nullptr && !told_to_stop && options.stop->load(std::memory_order_relaxed)) {
      told_to_stop = true;
      status = process_->Write("stop");
      continue;
    }
    const absl::StatusOr<std::optional<std::string>> line = process_->Read(kTick);
    if (!line.ok()) return absl::InternalError("gurobipy's process has ended unexpectedly");
    if (!line->has_value()) continue;
    absl::string_view text = **line;
    if (absl::ConsumePrefix(&text, "result ")) return ParseResult(text, model.columns().size());
    if (absl::ConsumePrefix(&text, "error ")) return RefusedBy(text, &model);
    if (absl::ConsumePrefix(&text, "progress ")) TellProgress(text, options);
  }
  return absl::InternalError("gurobipy's process has ended unexpectedly");
}

}  // namespace str::optimizer
