#include "optimizer/importers/str_matrices.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "config/atomic_file.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_graph.h"
#include "strategies/str_paper/swap_columns.h"
#include "strategies/str_paper/swap_program.h"

namespace str::optimizer {
namespace {

using strategies::StagedGraph;
using strategies::StageMatrix;
using strategies::SwapTable;
using strategies::SwapTables;

// Without the blank lines at the end.
absl::StatusOr<std::vector<std::string>> ReadLines(const std::string& path) {
  const absl::StatusOr<std::string> text = config::ReadFile(path);
  if (!text.ok()) return text.status();
  std::vector<std::string> lines = absl::StrSplit(*text, '\n');
  for (std::string& line : lines) absl::StripAsciiWhitespace(&line);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// `below`: only below the diagonal, where a value exists before the stage.
absl::StatusOr<StageMatrix> ReadMatrix(const std::string& path, int size, bool below) {
  const absl::StatusOr<std::vector<std::string>> lines = ReadLines(path);
  if (!lines.ok()) return lines.status();
  if (static_cast<int>(lines->size()) != size) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": has ", lines->size(), " rows, but the graph has ", size,
                                                   " nodes; is it of another model, or cut off?"));
  }
  StageMatrix matrix(size);
  for (int stage = 0; stage < size; ++stage) {
    const std::vector<absl::string_view> words =
        absl::StrSplit((*lines)[stage], absl::ByAnyChar(" \t"), absl::SkipEmpty());
    if (static_cast<int>(words.size()) != size) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", stage + 1, ": has ", words.size(), " numbers, but the graph has ", size, " nodes"));
    }
    for (int i = 0; i < size; ++i) {
      if (words[i] != "0" && words[i] != "1") {
        return absl::InvalidArgumentError(
            absl::StrCat(path, ":", stage + 1, ": number ", i + 1, " is \"", words[i], "\", neither 0 nor 1"));
      }
      if (words[i] == "1" && (i > stage || (below && i == stage))) {
        return absl::InvalidArgumentError(absl::StrCat(path, ":", stage + 1, ": number ", i + 1, " is 1, but node ", i,
                                                       " is first computed in stage ", i));
      }
      matrix.Set(stage, i, words[i] == "1");
    }
  }
  return matrix;
}

class Reader {
 public:
  Reader(const Graph& graph, const Costs& costs)
      : graph_(graph),
        staged_(graph, costs, CapturedOrder(graph), {}),
        size_(staged_.size()),
        tables_(strategies::MakeSwapTables(graph, costs, staged_)),
        computed_(size_),
        restored_(size_),
        schedule_{StageMatrix(size_), StageMatrix(size_), StageMatrix(size_)} {
    for (int i = 0; i < size_; ++i) computed_.Set(i, i, true);
  }

  absl::StatusOr<StrSolution> Read(const StrFiles& files) {
    if (absl::Status status = ReadAll(files); !status.ok()) return status;
    FindRestored();
    if (files.held.empty()) HoldWhatIsTaken();
    CheckComputed();
    CheckHeld();
    solution_.published_peak_bytes = PublishedPeak();
    solution_.program = strategies::SwapProgram(graph_, staged_, tables_, schedule_);
    return std::move(solution_);
  }

 private:
  absl::Status ReadAll(const StrFiles& files) {
    if (absl::Status status = CheckNames(files.layer_names); !status.ok()) return status;
    const std::pair<const std::string*, StageMatrix*> matrices[] = {{&files.computed, &computed_},
                                                                    {&files.held, &schedule_.held},
                                                                    {&files.copied_out, &schedule_.out},
                                                                    {&files.copied_back, &schedule_.in}};
    for (const auto& [path, matrix] : matrices) {
      if (path->empty()) continue;
      absl::StatusOr<StageMatrix> read = ReadMatrix(*path, size_, /*below=*/matrix != &computed_);
      if (!read.ok()) return read.status();
      *matrix = *std::move(read);
    }
    return absl::OkStatus();
  }

  absl::Status CheckNames(const std::string& path) const {
    if (path.empty()) return absl::OkStatus();
    const absl::StatusOr<std::vector<std::string>> names = ReadLines(path);
    if (!names.ok()) return names.status();
    const size_t first = !names->empty() && names->front() == Name(0) ? 0 : 1;
    for (size_t i = first; i < names->size(); ++i) {
      const size_t position = i - first;
      if (position < static_cast<size_t>(size_) && (*names)[i] == Name(static_cast<int>(position))) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          path, ":", i + 1, ": \"", (*names)[i], "\" is not node ", position, " of the graph",
          position < static_cast<size_t>(size_) ? absl::StrCat(", which is \"", Name(static_cast<int>(position)), "\"")
                                                : ""));
    }
    return absl::OkStatus();
  }

  void FindRestored() {
    for (int stage = 0; stage < size_; ++stage) {
      for (int i = 0; i < stage; ++i) {
        if (!schedule_.in(stage, i)) continue;
        bool copied = false;
        for (int before = i + 1; before < stage; ++before) copied = copied || schedule_.out(before, i);
        const int finish = tables_.in.Finish(stage, i);
        if (!copied) Violated(stage, i, "comes back, but was not copied to the host before");
        if (finish == SwapTable::kNever) Violated(stage, i, "comes back too late to arrive before the step ends");
        if (copied && finish != SwapTable::kNever) restored_.Set(finish, i, true);
      }
    }
  }

  bool Taken(int stage, int position) const {
    const std::vector<int>& consumers = staged_.node(position).consumers;
    return std::any_of(consumers.begin(), consumers.end(), [&](int consumer) { return computed_(stage, consumer); });
  }

  void HoldWhatIsTaken() {
    for (int i = 0; i < size_; ++i) {
      bool needed = staged_.node(i).held;
      for (int stage = size_ - 1; stage > i; --stage) {
        needed = !computed_(stage, i) && (Taken(stage, i) || (needed && !restored_(stage, i)));
        schedule_.held.Set(stage, i, needed);
      }
    }
  }

  void CheckComputed() {
    for (int stage = 0; stage < size_; ++stage) {
      if (!computed_(stage, stage)) Violated(stage, stage, "is not computed in its own stage");
      for (int i = 0; i <= stage; ++i) {
        if (!computed_(stage, i)) continue;
        for (const int input : staged_.node(i).inputs) {
          if (computed_(stage, input) || schedule_.held(stage, input)) continue;
          Violated(stage, i,
                   absl::StrCat("is computed, but its input \"", Name(input), "\" is neither held nor computed"));
        }
      }
    }
  }

  void CheckHeld() {
    for (int stage = 0; stage + 1 < size_; ++stage) {
      for (int i = 0; i <= stage; ++i) {
        if (!schedule_.held(stage + 1, i) || computed_(stage, i) || restored_(stage, i)) continue;
        if (i < stage && schedule_.held(stage, i)) continue;
        Violated(stage + 1, i, "is held, but was neither held nor computed nor back in the stage before");
      }
    }
  }

  bool KeptBeyond(int stage, int position) const {
    return stage + 1 < size_ && position <= stage && schedule_.held(stage + 1, position);
  }

  // Whether an input of `taker` has no further use in or after the stage.
  bool FreedAfter(int stage, int taker, int input) const {
    if (KeptBeyond(stage, input)) return false;
    const std::vector<int>& consumers = staged_.node(input).consumers;
    return std::none_of(consumers.begin(), consumers.end(),
                        [&](int consumer) { return consumer > taker && computed_(stage, consumer); });
  }

  int64_t PublishedPeak() const {
    int64_t peak = 0;
    for (int stage = 0; stage < size_; ++stage) {
      int64_t bytes = staged_.fixed_bytes();
      for (int i = 0; i < stage; ++i) {
        if (schedule_.held(stage, i)) bytes += staged_.node(i).bytes;
        for (int start = i + 1; start <= stage; ++start) {
          if (schedule_.in(start, i) && tables_.in.Finish(start, i) >= stage) bytes += staged_.node(i).bytes;
        }
      }
      for (int i = 0; i <= stage; ++i) {
        if (!computed_(stage, i)) continue;
        bytes += staged_.node(i).bytes;
        peak = std::max(peak, bytes);
        for (const int input : staged_.node(i).inputs) {
          if (FreedAfter(stage, i, input)) bytes -= staged_.node(input).bytes;
        }
      }
    }
    return peak;
  }

  std::string Name(int position) const { return graph_.name(staged_.node(position).nodes.front()); }

  void Violated(int stage, int position, absl::string_view what) {
    solution_.violations.push_back(
        absl::StrCat("stage ", stage, ": node ", position, " \"", Name(position), "\" ", what));
  }

  const Graph& graph_;
  const StagedGraph staged_;
  const int size_;
  const SwapTables tables_;
  StageMatrix computed_, restored_;
  strategies::SwapSchedule schedule_;
  StrSolution solution_;
};

}  // namespace

absl::StatusOr<StrSolution> ReadStrSolution(const StrFiles& files, const Graph& graph, const Costs& costs) {
  if (!files.copied_out.empty()) {
    if (absl::Status status = RequireCopyRates(costs); !status.ok()) return status;
  }
  return Reader(graph, costs).Read(files);
}

}  // namespace str::optimizer
