// str replay: runs a log of DTR's simulator under a budget, with any of its heuristics.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "config/text_units.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/inputs.h"
#include "optimizer/tools/json.h"
#include "optimizer/tools/output_file.h"
#include "optimizer/tools/result_row.h"
#include "strategies/dtr/heuristic.h"
#include "strategies/dtr/log.h"
#include "strategies/dtr/replay.h"
#include "strategies/dtr/runtime.h"

namespace str::tools {
namespace {

struct ReplayOptions {
  std::string log, budget, json;
  std::string heuristic = "h_DTR";
  std::string deallocation = "eager";
  std::string ties = "last";
  dtr::RuntimeOptions runtime;
};

const std::map<std::string, dtr::Deallocation>& Deallocations() {
  static const auto* const policies = new std::map<std::string, dtr::Deallocation>{
      {"eager", dtr::Deallocation::kEager},
      {"banish", dtr::Deallocation::kBanish},
      {"ignore", dtr::Deallocation::kIgnore},
  };
  return *policies;
}

absl::string_view StatusName(dtr::RunStatus status) {
  switch (status) {
    case dtr::RunStatus::kDone:
      return "ok";
    case dtr::RunStatus::kThrash:
      return "thrash";
    case dtr::RunStatus::kOutOfMemory:
      return "out-of-memory";
  }
  return "";
}

std::string Why(const dtr::Log& log, const dtr::RunResult& result, double thrash_limit) {
  const std::string where = absl::StrCat(log.op_names[result.failed_op], " of line ", log.op_lines[result.failed_op]);
  if (result.status == dtr::RunStatus::kOutOfMemory) {
    return absl::StrCat("out of memory: nothing is left to evict, and ", where, " does not fit");
  }
  return absl::StrCat("thrash: recomputing ", where, " went beyond --thrash-limit=", thrash_limit);
}

absl::StatusOr<int> Replay(const ReplayOptions& options) {
  if (absl::Status status = CheckOutputFile("--json", options.json); !status.ok()) return status;
  const absl::StatusOr<const dtr::HeuristicEntry*> heuristic = dtr::FindHeuristic(options.heuristic);
  if (!heuristic.ok()) return absl::InvalidArgumentError(absl::StrCat("--heuristic: ", heuristic.status().message()));
  const absl::StatusOr<dtr::Log> log = dtr::ReadLog(options.log);
  if (!log.ok()) return log.status();
  const dtr::Trace& trace = log->trace;
  const int64_t unlimited_peak = dtr::UnlimitedPeak(trace);
  const absl::StatusOr<int64_t> budget = ParseBudget("--budget", options.budget, unlimited_peak);
  if (!budget.ok()) return budget.status();
  dtr::RuntimeOptions runtime = options.runtime;
  runtime.budget_bytes = *budget;
  runtime.deallocation = Deallocations().at(options.deallocation);
  runtime.first_of_ties = options.ties == "first";
  const auto start = std::chrono::steady_clock::now();
  const dtr::RunResult result = dtr::Runtime(&trace, *heuristic, runtime).Run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const double overhead = dtr::Overhead(trace, result) - 1;
  JsonObject json;
  json.Add("command", "replay");
  json.Add("log", options.log);
  json.Add("heuristic", (*heuristic)->name);
  json.Add("dealloc", options.deallocation);
  json.Add("status", StatusName(result.status));
  json.Add("budget_bytes", *budget);
  json.Add("peak_bytes", result.peak_bytes);
  json.Add("unlimited_peak_bytes", unlimited_peak);
  json.Add("constant_bytes", result.constant_bytes);
  json.Add("overhead", overhead);
  json.Add("dtr_overhead", dtr::Overhead(trace, result));
  json.Add("clock", result.clock);
  json.Add("baseline", trace.baseline);
  json.Add("recompute_cost", result.recompute_cost);
  json.Add("rematerializations", result.rematerializations);
  json.Add("evictions", result.evictions);
  json.Add("scores", result.scores);
  json.Add("operators", static_cast<int64_t>(trace.ops.size()));
  json.Add("thrash_limit", runtime.thrash_limit);
  json.Add("seed", static_cast<int64_t>(runtime.seed));
  json.Add("replay_seconds", seconds);
  const bool done = result.status == dtr::RunStatus::kDone;
  if (options.json != "-") {
    std::printf("%s, %s, budget %s\n", (*heuristic)->name.c_str(), options.deallocation.c_str(),
                config::FormatBytes(*budget).c_str());
    std::printf("  status      %s\n", done ? "ok" : Why(*log, result, runtime.thrash_limit).c_str());
    std::printf("  peak        %s; %s when nothing is evicted\n", config::FormatBytes(result.peak_bytes).c_str(),
                config::FormatBytes(unlimited_peak).c_str());
    std::printf("  overhead    %+.2f %% against the cost of all operators once%s\n", 100 * overhead,
                done ? "" : ", so far");
    std::printf("  recomputed  %d operators, after %d evictions\n", static_cast<int>(result.rematerializations),
                static_cast<int>(result.evictions));
  }
  if (!options.json.empty()) {
    if (absl::Status status = WriteOut(json.Pretty(), options.json); !status.ok()) return status;
  }
  return done ? kExitDone : kExitInfeasible;
}

std::string HeuristicHelp() {
  std::string help = "Heuristics:\n";
  for (const dtr::HeuristicEntry& entry : dtr::AllHeuristics()) {
    absl::StrAppendFormat(&help, "  %-14s %s\n", entry.name, entry.description);
  }
  return absl::StrCat(help, "Exit: 0 done; 1 bad input or usage; 2 out of memory or thrash.\n",
                      "Example: str replay resnet32.log --heuristic=h_DTR_eq --budget=40%");
}

}  // namespace

void AddReplayCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command = app->add_subcommand("replay", "Runs a log of DTR's simulator under a budget");
  command->add_option("DTR_LOG", options->log, "Log: JSON, one instruction a line")->required();
  command->add_option("--heuristic", options->heuristic, "What chooses the storage to evict (default h_DTR)");
  command->add_option("--budget", options->budget, "Bytes, or a share of the peak when nothing is evicted")->required();
  std::vector<std::string> policies;
  for (const auto& [name, policy] : Deallocations()) policies.push_back(name);
  command->add_option("--dealloc", options->deallocation, "What a released storage comes to: eager (default) evicts it")
      ->check(CLI::IsMember(policies));
  command
      ->add_option("--thrash-limit", options->runtime.thrash_limit,
                   "Give up when recomputing costs more than this minus 1 times the baseline (default 2; 0: never)")
      ->check([](const std::string& text) {
        double limit = 0;
        return absl::SimpleAtod(text, &limit) && (limit == 0 || (limit >= 1 && std::isfinite(limit)))
                   ? ""
                   : "must be 0 or a number from 1";
      });
  command->add_flag("--sample", options->runtime.sample, "Score a random sample, as DTR's prototype does");
  command->add_flag("--ignore-small", options->runtime.ignore_small,
                    "Never evict what has less than 1 % of the mean size, as DTR's prototype does");
  command->add_option("--ties", options->ties, "Which of equal scores is evicted: last (default) or first")
      ->check(CLI::IsMember({"last", "first"}));
  command->add_option("--seed", options->runtime.seed, "For --sample and h_rand (default 0)");
  command->add_option("--json", options->json, "Write the result as JSON to this file, - for stdout");
  command->footer(HeuristicHelp());
  command->callback([options, exit_code] {
    const absl::StatusOr<int> code = Replay(*options);
    *exit_code = code.ok() ? *code : Refuse(code.status());
  });
}

}  // namespace str::tools
