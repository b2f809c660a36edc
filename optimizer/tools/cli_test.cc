// The command line as users meet it: exit codes, what is printed where, what is written.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "config/atomic_file.h"
#include "config/graph_io.h"
#include "config/strategy_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/training_graph.h"
#include "optimizer/tools/cli_fixture.h"

namespace str::tools {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
namespace fs = std::filesystem;

// Of a field of a JSON text.
int64_t NumberIn(const std::string& json, const std::string& field) {
  const std::string key = absl::StrCat("\"", field, "\": ");
  const size_t at = json.find(key);
  int64_t number = -1;
  EXPECT_TRUE(at != json.npos &&
              absl::SimpleAtoi(json.substr(at + key.size(), json.find_first_of(",\n", at) - at - key.size()), &number))
      << field;
  return number;
}

TEST_F(CliTest, PlansWritesAndSimulatesTheSame) {
  const Outcome plan = Str(absl::StrCat("plan ", graph_, " --budget=75% --output=", Path("plan.conf"),
                                        " --json=", Path("plan.json"), " --seed=7"));
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out, AllOf(HasSubstr("budget"), HasSubstr("peak"), HasSubstr("written to")));
  EXPECT_THAT(plan.err, AllOf(HasSubstr("best "), HasSubstr("bound "), HasSubstr("gap ")));
  const std::string json = *config::ReadFile(Path("plan.json"));
  for (const char* field : {"strategy",
                            "status",
                            "budget_bytes",
                            "peak_bytes",
                            "host_peak_bytes",
                            "baseline_seconds",
                            "step_seconds",
                            "overhead",
                            "bound_seconds",
                            "gap",
                            "bound_covers",
                            "any_order_bound_seconds",
                            "plan_seconds",
                            "planner_seconds",
                            "nodes",
                            "tensors_decided",
                            "swapped_bytes",
                            "recomputed_nodes",
                            "min_budget_bytes",
                            "solver",
                            "seed"}) {
    EXPECT_THAT(json, HasSubstr(absl::StrCat("\"", field, "\":")));
  }
  EXPECT_THAT(json, AllOf(AnyOf(HasSubstr("\"status\": \"feasible\""), HasSubstr("\"status\": \"optimal\"")),
                          HasSubstr("\"seed\": 7")));
  const absl::StatusOr<config::StrategyFile> strategy = config::ReadStrategy(Path("plan.conf"));
  ASSERT_TRUE(strategy.ok()) << strategy.status();
  EXPECT_LE(strategy->predicted_peak_bytes(), strategy->budget_bytes());
  EXPECT_EQ(strategy->planner(), "str");
  EXPECT_GT(strategy->bound_seconds(), 0);
  EXPECT_LE(strategy->bound_seconds(), strategy->predicted_step_seconds());
  EXPECT_THAT(plan.out, AnyOf(AllOf(HasSubstr("no plan in this order is more than"), HasSubstr("bound for all orders")),
                              HasSubstr("no plan in any order is more than")));
  EXPECT_THAT(json, AnyOf(HasSubstr("\"bound_covers\": \"order\""), HasSubstr("\"bound_covers\": \"all orders\"")));
  EXPECT_THAT(json, Not(HasSubstr("\"any_order_bound_seconds\": null")));
  EXPECT_THAT(json, AllOf(HasSubstr("\"bound_seconds\": 0."), Not(HasSubstr("\"gap\": null"))));

  const Outcome simulate =
      Str(absl::StrCat("simulate ", graph_, " ", Path("plan.conf"), " --json=- --trace=", Path("trace.json")));
  ASSERT_EQ(simulate.exit_code, 0) << simulate.err;
  EXPECT_THAT(simulate.out, HasSubstr(absl::StrCat("\"peak_bytes\": ", strategy->predicted_peak_bytes())));
  EXPECT_EQ(simulate.out.front(), '{');
  EXPECT_THAT(*config::ReadFile(Path("trace.json")), HasSubstr("traceEvents"));

  const Outcome check = Str(absl::StrCat("check ", graph_, " ", Path("plan.conf"), " config/devices/t4-16gb.conf"));
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.out,
              AllOf(HasSubstr("graph of"), HasSubstr("strategy of"), HasSubstr("device"), HasSubstr("fits")));
}

TEST_F(CliTest, GraphsMayBeJson) {
  const std::string json = R"({"graph": {}, "links": [{"source": 0, "target": 1}, {"source": 0, "target": 2},
      {"source": 1, "target": 2}], "nodes": [
      {"id": 0, "name": "a", "backward": false, "cost_cpu": 2, "cost_ram": 1000},
      {"id": 1, "name": "b", "backward": false, "cost_cpu": 3, "cost_ram": 1000},
      {"id": 2, "name": "d_b", "backward": true, "cost_cpu": 5, "cost_ram": 10}]})";
  ASSERT_TRUE(config::WriteFileAtomically(Path("graph.json"), json).ok());
  const Outcome plan = Str(absl::StrCat("plan ", Path("graph.json"), " --budget=100% --strategy=keep-all --json=-",
                                        " --cost-unit=1s --output=", Path("plan.conf")));
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out, AllOf(HasSubstr("\"baseline_seconds\": 10,"), HasSubstr("\"peak_bytes\": 2010,")));
  const std::string graph_and_plan = absl::StrCat(Path("graph.json"), " ", Path("plan.conf"));
  const Outcome simulate = Str(absl::StrCat("simulate ", graph_and_plan, " --json=-"));
  ASSERT_EQ(simulate.exit_code, 0) << simulate.err;
  EXPECT_THAT(simulate.out, HasSubstr("\"baseline_seconds\": 0.001,"));
  EXPECT_EQ(Str(absl::StrCat("check ", graph_and_plan)).exit_code, 0);
  const Outcome wrong = Str(absl::StrCat("check ", graph_and_plan, " --cost-unit=0s"));
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("--cost-unit"));
}

TEST_F(CliTest, ABoundIsOnlyClaimedForTheCostsItWasProvenFor) {
  const Outcome plan =
      Str(absl::StrCat("plan ", graph_, " --budget=80% --strategy=recompute-only --output=", Path("plan.conf")));
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("order without copies is more than"));
  const Outcome same = Str(absl::StrCat("simulate ", graph_, " ", Path("plan.conf")));
  EXPECT_THAT(same.out, HasSubstr("no plan in this order without copies is more than"));
  absl::StatusOr<config::GraphFile> slower = config::ReadGraph(graph_);
  ASSERT_TRUE(slower.ok()) << slower.status();
  for (config::Node& node : *slower->mutable_node()) node.set_time_ns(2 * node.time_ns());
  ASSERT_TRUE(config::WriteGraph(*slower, Path("slower.graph")).ok());
  const Outcome other = Str(absl::StrCat("simulate ", Path("slower.graph"), " ", Path("plan.conf"), " --json=-"));
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.out, AllOf(HasSubstr("\"bound_seconds\": null"), HasSubstr("\"gap\": null")));
}

TEST_F(CliTest, TheSearchEndsAtTheGapWhichTheHelpNames) {
  // Lines on what was found, and where the search is.
  const auto progress = [&](int percent, const std::string& gap) {
    const Outcome plan = Str(absl::StrCat("plan ", graph_, " --budget=", percent, "% ", gap,
                                          " --strategy=recompute-only --output=", Path("plan.conf")));
    EXPECT_EQ(plan.exit_code, 0) << plan.err;
    return std::count(plan.err.begin(), plan.err.end(), '\n');
  };
  int sooner = 0;
  for (const int percent : {90, 85, 80, 75}) {
    const auto by_default = progress(percent, "");
    EXPECT_EQ(by_default, progress(percent, "--gap=0.01%")) << percent;
    sooner += progress(percent, "--gap=20%") < by_default;
  }
  EXPECT_GT(sooner, 0) << "a larger gap ends the search sooner";
}

TEST_F(CliTest, TheDefaultOutputIsInTheHomeFolder) {
  EXPECT_EQ(Str(absl::StrCat("plan ", graph_, " --budget=100%")).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "home" / ".str" / "strategy.conf"));
  const Outcome homeless = Str(absl::StrCat("plan ", graph_, " --budget=100%"), "HOME=");
  EXPECT_EQ(homeless.exit_code, 1);
  EXPECT_THAT(homeless.err, HasSubstr("--output"));
}

TEST_F(CliTest, AnInfeasibleBudgetNamesTheSmallestAndWritesNothing) {
  const Outcome outcome =
      Str(absl::StrCat("plan ", graph_, " --budget=1MiB --output=", Path("plan.conf"), " --json=", Path("plan.json")));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("STR-1001"), HasSubstr("smallest feasible budget"),
                                 HasSubstr("the peak is at node"), HasSubstr("try:")));
  EXPECT_FALSE(fs::exists(Path("plan.conf")));
  const std::string json = *config::ReadFile(Path("plan.json"));
  EXPECT_THAT(json, AllOf(HasSubstr("\"status\": \"infeasible\""), HasSubstr("\"peak_bytes\": null"),
                          HasSubstr("\"largest_tensors\"")));
  // The budget that it names works.
  const size_t at = json.find("\"min_budget_bytes\": ") + 20;
  const std::string smallest = json.substr(at, json.find(',', at) - at);
  const std::string at_smallest = absl::StrCat("plan ", graph_, " --budget=", smallest, " --gap=100%");
  EXPECT_EQ(Str(absl::StrCat(at_smallest, " --output=", Path("plan.conf"))).exit_code, 0);
}

TEST_F(CliTest, BadInputIsExitOneWithAReason) {
  const std::string output = absl::StrCat(" --output=", Path("plan.conf"));
  const std::pair<std::string, std::string> cases[] = {
      {"", "subcommand"},
      {"fly", "fly"},
      {absl::StrCat("plan ", graph_), "--budget"},
      {absl::StrCat("plan ", graph_, " --budget=50% --bugdet=3"), "--bugdet"},
      {absl::StrCat("plan ", graph_, " --budget=lots", output), "--budget"},
      {absl::StrCat("plan ", graph_, " --budget=50% --strategy=magic", output), "recompute-only"},
      {absl::StrCat("plan ", graph_, " --budget=50% --strategy=magic", output), "--strategy: there is no"},
      {absl::StrCat("compare ", graph_, " --strategies=magic"), "--strategies: there is no \"magic\""},
      {absl::StrCat("compare ", graph_, " --strategies=,"), "--strategies: no strategy is named"},
      {absl::StrCat("plan ", graph_, " --budget=50% --device=abacus", output), "abacus"},
      {absl::StrCat("plan ", graph_, " --budget=50% --pin=keep:zzz", output), "--pin"},
      {absl::StrCat("plan ", graph_, " --budget=50% --gap=wide", output), "--gap"},
      {absl::StrCat("plan ", graph_, " --budget=50% --time-limit=soon", output), "--time-limit"},
      {absl::StrCat("plan ", Path("missing.graph"), " --budget=50%", output), "missing.graph"},
      {absl::StrCat("simulate ", graph_, " ", graph_), "random.graph"},
      {absl::StrCat("check ", Path("missing")), "missing"},
  };
  for (const auto& [arguments, reason] : cases) {
    const Outcome outcome = Str(arguments);
    EXPECT_EQ(outcome.exit_code, 1) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(reason)) << arguments;
    EXPECT_THAT(outcome.out, IsEmpty()) << arguments;
  }
  EXPECT_FALSE(fs::exists(Path("plan.conf")));
}

TEST_F(CliTest, DamagedFilesAreRefused) {
  ASSERT_TRUE(config::WriteFileAtomically(Path("noise"), "\x01\x02 not ours").ok());
  EXPECT_THAT(Str(absl::StrCat("check ", Path("noise"))).err, HasSubstr("neither"));
  const std::string text = *config::ReadFile(graph_);
  ASSERT_TRUE(config::WriteFileAtomically(Path("cut.graph"), text.substr(0, text.size() / 2)).ok());
  const Outcome cut = Str(absl::StrCat("check ", Path("cut.graph"), " ", graph_));
  EXPECT_EQ(cut.exit_code, 1);
  EXPECT_THAT(cut.err, HasSubstr("cut.graph:"));
  EXPECT_THAT(cut.out, HasSubstr("random.graph"));
  ASSERT_TRUE(config::WriteFileAtomically(Path("old.conf"), "[solution]\nstrategy=hybrid\n").ok());
  EXPECT_EQ(Str(absl::StrCat("check ", Path("old.conf"))).exit_code, 1);
}

TEST_F(CliTest, AStrategyForAnotherGraphIsRefused) {
  ASSERT_EQ(Str(absl::StrCat("plan ", graph_, " --budget=100% --output=", Path("plan.conf"))).exit_code, 0);
  config::GraphFile other = optimizer::RandomTrainingGraph({.seed = 5, .layers = 8});
  other.set_fingerprint("fedcba9876543210");
  ASSERT_TRUE(config::WriteGraph(other, Path("other.graph")).ok());
  const Outcome simulate = Str(absl::StrCat("simulate ", Path("other.graph"), " ", Path("plan.conf")));
  EXPECT_EQ(simulate.exit_code, 1);
  EXPECT_THAT(simulate.err, HasSubstr("another graph"));
  EXPECT_EQ(Str(absl::StrCat("check ", Path("other.graph"), " ", Path("plan.conf"))).exit_code, 1);
}

TEST_F(CliTest, ExplainsEachTensor) {
  ASSERT_EQ(Str(absl::StrCat("plan ", graph_, " --budget=70% --output=", Path("plan.conf"))).exit_code, 0);
  const std::string explain = absl::StrCat("explain ", graph_, " ", Path("plan.conf"));
  const Outcome table = Str(explain);
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("The peak of"), HasSubstr("last use"), HasSubstr("fate"),
                               HasSubstr("kept, the peak would be"), HasSubstr("--all shows them")));
  const Outcome all = Str(absl::StrCat(explain, " --all --json=", Path("explain.json")));
  EXPECT_THAT(all.out, Not(HasSubstr("--all")));
  EXPECT_GT(all.out.size(), table.out.size());
  const std::string json = *config::ReadFile(Path("explain.json"));
  EXPECT_THAT(json,
              AllOf(HasSubstr("\"peak_node\": \""), HasSubstr("\"live_at_peak\": ["), HasSubstr("\"reason\": \"")));

  const size_t at = json.find("\"tensors\": [{\"tensor\": \"") + 24;
  const std::string first = json.substr(at, json.find('"', at) - at);
  const Outcome one = Str(absl::StrCat(explain, " --tensor=", first));
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, AllOf(HasSubstr(first), HasSubstr("why")));
  const Outcome node = Str(absl::StrCat(explain, " --tensor=", first.substr(0, first.find(':'))));
  EXPECT_THAT(node.out, HasSubstr(first));
  const Outcome none = Str(absl::StrCat(explain, " --tensor=nobody:0"));
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("no tensor \"nobody:0\""));
}

TEST_F(CliTest, PinsAreKept) {
  const std::string plan = absl::StrCat("plan ", graph_, " --budget=75% --json=- --output=", Path("plan.conf"));
  const Outcome free = Str(plan);
  ASSERT_THAT(free.out, AllOf(Not(HasSubstr("\"swapped_tensors\": 0")), Not(HasSubstr("\"tensors_decided\": 0"))));
  const Outcome recompute = Str(absl::StrCat(plan, " --pin=recompute:."));
  EXPECT_EQ(recompute.exit_code, 0) << recompute.err;
  EXPECT_THAT(recompute.out, HasSubstr("\"swapped_tensors\": 0"));
  const Outcome swap = Str(absl::StrCat(plan, " --pin=swap:."));
  EXPECT_EQ(swap.exit_code, 0) << swap.err;
  // Views of what is swapped in run again; nothing else does.
  EXPECT_EQ(NumberIn(swap.out, "recomputed_nodes"), NumberIn(swap.out, "recomputed_views")) << swap.out;
  const Outcome keep = Str(absl::StrCat(plan, " --pin=keep:."));
  EXPECT_EQ(keep.exit_code, 2) << "kept, everything needs more";
}

TEST_F(CliTest, HostMemoryIsLimited) {
  const std::string plan = absl::StrCat("plan ", graph_, " --budget=75% --json=- --output=", Path("plan.conf"));
  const auto host_peak = [](const Outcome& outcome) {
    const size_t at = outcome.out.find("\"host_peak_bytes\": ");
    return at == std::string::npos ? -1 : std::atoll(outcome.out.c_str() + at + 19);
  };
  const Outcome free = Str(plan);
  ASSERT_EQ(free.exit_code, 0) << free.err;
  ASSERT_GT(host_peak(free), 0);
  const Outcome limited = Str(absl::StrCat(plan, " --host-limit=", host_peak(free) / 2));
  ASSERT_EQ(limited.exit_code, 0) << limited.err;
  EXPECT_LE(host_peak(limited), host_peak(free) / 2);
  for (const char* wrong : {"0", "little"}) {
    const Outcome refused = Str(absl::StrCat(plan, " --host-limit=", wrong));
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("--host-limit"));
  }
}

TEST_F(CliTest, WhatTheHostHasNoRoomForGoesToTheDisk) {
  const std::string plan =
      absl::StrCat("plan ", graph_, " --budget=75% --strategy=swap-only --json=- --output=", Path("plan.conf"));
  const Outcome unknown = Str(absl::StrCat(plan, " --host-limit=1MiB --disk-limit=1GiB"));
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("--disk-limit: no disk is known"), HasSubstr("str calibrate")));
  const Outcome both = Str(absl::StrCat(plan, " --device=t4 --host-limit=1MiB --disk-limit=1GiB"));
  ASSERT_EQ(both.exit_code, 0) << both.err;
  EXPECT_THAT(both.out, AllOf(HasSubstr("\"disk_peak_bytes\": "), Not(HasSubstr("\"disk_peak_bytes\": 0"))));
  EXPECT_THAT(both.err, HasSubstr("; disk "));
  EXPECT_THAT(*config::ReadFile(Path("plan.conf")), AllOf(HasSubstr("tier: TIER_DISK"), HasSubstr("to the disk")));
  const std::string simulate = absl::StrCat("simulate ", graph_, " ", Path("plan.conf"), " --json=-");
  EXPECT_THAT(Str(simulate).err, HasSubstr("copies to a disk need its speed"));
  const Outcome simulated = Str(absl::StrCat(simulate, " --device=t4 --trace=", Path("trace.json")));
  EXPECT_EQ(simulated.exit_code, 0) << simulated.err;
  EXPECT_THAT(*config::ReadFile(Path("trace.json")), HasSubstr("\"tier\": \"disk\""));
  EXPECT_THAT(Str(absl::StrCat("explain ", graph_, " ", Path("plan.conf"), " --device=t4")).out,
              HasSubstr("swapped to the disk"));
}

TEST_F(CliTest, SimulateSaysWhatIsOverItsBudgetAndWhatBfcNeeds) {
  ASSERT_EQ(Str(absl::StrCat("plan ", graph_, " --budget=100% --output=", Path("plan.conf"))).exit_code, 0);
  absl::StatusOr<config::StrategyFile> strategy = config::ReadStrategy(Path("plan.conf"));
  ASSERT_TRUE(strategy.ok()) << strategy.status();
  const std::string simulate = absl::StrCat("simulate ", graph_, " ", Path("plan.conf"), " --json=", Path("out.json"));
  const Outcome fits = Str(simulate);
  EXPECT_EQ(fits.exit_code, 0) << fits.err;
  EXPECT_THAT(fits.err, Not(HasSubstr("over its budget")));
  EXPECT_THAT(fits.out, HasSubstr("in a BFC allocator"));
  EXPECT_THAT(*config::ReadFile(Path("out.json")), Not(HasSubstr("\"bfc_peak_bytes\": null")));
  // Other temporaries than at planning time: the same strategy now needs more.
  absl::StatusOr<config::GraphFile> graph = config::ReadGraph(graph_);
  for (config::Node& node : *graph->mutable_node()) node.set_temporary_bytes(node.temporary_bytes() + (1 << 28));
  ASSERT_TRUE(config::WriteGraph(*graph, graph_).ok());
  const Outcome over = Str(simulate);
  EXPECT_EQ(over.exit_code, 0) << over.err;
  EXPECT_THAT(over.err, HasSubstr("over its budget: it needs"));
  EXPECT_THAT(*config::ReadFile(Path("out.json")), HasSubstr("\"status\": \"infeasible\""));
}

TEST_F(CliTest, SimulateMeasuresByCheckmatesRulesToo) {
  const std::string simulate = absl::StrCat("simulate ", graph_, " ", Path("plan.conf"), " --yardstick=checkmate");
  ASSERT_EQ(
      Str(absl::StrCat("plan ", graph_, " --budget=90% --strategy=chen-sqrt --output=", Path("plan.conf"))).exit_code,
      0);
  const Outcome recomputed = Str(absl::StrCat(simulate, " --json=", Path("out.json")));
  ASSERT_EQ(recomputed.exit_code, 0) << recomputed.err;
  EXPECT_THAT(recomputed.out, AllOf(HasSubstr("with buffers placed"), HasSubstr("by Checkmate's rules")));
  EXPECT_THAT(*config::ReadFile(Path("out.json")),
              AllOf(HasSubstr("\"peak_bytes\": "), HasSubstr("\"checkmate_peak_bytes\": "),
                    HasSubstr("\"checkmate_step_seconds\": 0."), HasSubstr("\"checkmate_overhead\": 0.")));
  ASSERT_EQ(
      Str(absl::StrCat("plan ", graph_, " --budget=80% --strategy=swap-only --output=", Path("plan.conf"))).exit_code,
      0);
  const Outcome swapped = Str(simulate);
  EXPECT_EQ(swapped.exit_code, 1);
  EXPECT_THAT(swapped.out, IsEmpty());
  EXPECT_THAT(swapped.err, AllOf(HasSubstr("plan.conf: step "), HasSubstr("copies a tensor"),
                                 HasSubstr("--yardstick=checkmate is for strategies that only recompute")));
}

TEST_F(CliTest, JsonOnStdoutIsAlone) {
  const Outcome outcome = Str(absl::StrCat("plan ", graph_, " --budget=100% --json=- --output=", Path("plan.conf")));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.front(), '{');
  EXPECT_EQ(outcome.out.substr(outcome.out.size() - 2), "}\n");
  EXPECT_THAT(outcome.err, HasSubstr("written to"));
}

TEST_F(CliTest, WhatHasNoEffectIsSaid) {
  const Outcome outcome = Str(absl::StrCat(
      "plan ", graph_,
      " --budget=100% --gap=2% --solver=highs --device=t4 --disk-limit=1GiB --output=", Path("plan.conf")));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--disk-limit has no effect"), HasSubstr("--solver has no effect")));
}

TEST_F(CliTest, TheSolverIsNamedOrWhyThereIsNone) {
  const std::string plan =
      absl::StrCat("plan ", graph_, " --budget=100% --strategy=checkmate-ilp --json=- --output=", Path("plan.conf"));
  const Outcome highs = Str(plan);
  EXPECT_EQ(highs.exit_code, 0) << highs.err;
  EXPECT_THAT(highs.out, AllOf(HasSubstr("\"solver\": \"HiGHS "), HasSubstr("\"status\": \"optimal\"")));
  const Outcome gurobi =
      Str(absl::StrCat(plan, " --solver=gurobi"), "GUROBI_HOME=/no/folder STR_GUROBI_PYTHON=/no/python");
  EXPECT_EQ(gurobi.exit_code, 1);
  EXPECT_THAT(gurobi.err, AllOf(HasSubstr("Gurobi cannot be used"), HasSubstr("/no/python"),
                                HasSubstr("requirements-optional.txt"), HasSubstr("--solver=highs")));
}

TEST_F(CliTest, AnInfeasibleBudgetWithoutASmallestOneSaysSo) {
  const Outcome outcome =
      Str(absl::StrCat("plan ", graph_, " --budget=1B --strategy=checkmate-ilp --json=- --output=", Path("plan.conf")));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("STR-1001"), HasSubstr("smallest feasible budget is not known")));
  EXPECT_THAT(outcome.out, HasSubstr("\"min_budget_bytes\": null"));
  EXPECT_FALSE(fs::exists(Path("plan.conf")));
}

TEST_F(CliTest, UnmeasuredGraphsNeedADevice) {
  config::GraphFile file = optimizer::RandomTrainingGraph({.seed = 4, .layers = 4});
  file.set_steps_measured(0);
  for (config::Node& node : *file.mutable_node()) node.set_moved_bytes(1000);
  ASSERT_TRUE(config::WriteGraph(file, graph_).ok());
  const std::string plan = absl::StrCat("plan ", graph_, " --budget=100% --output=", Path("plan.conf"));
  EXPECT_THAT(Str(plan).err, HasSubstr("--device"));
  const Outcome outcome = Str(absl::StrCat(plan, " --device=t4-16gb"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(CliTest, CalibratedDevicesAreFoundByName) {
  const Outcome calibrate = Str("calibrate");
  ASSERT_EQ(calibrate.exit_code, 0) << calibrate.err;
  EXPECT_THAT(calibrate.out, AllOf(HasSubstr("FLOP/s"), HasSubstr("copies out"), HasSubstr("this-cpu.conf")));
  EXPECT_THAT(calibrate.out + calibrate.err, HasSubstr("disk, writing"));
  EXPECT_THAT(Str("devices").out, AllOf(HasSubstr("this-cpu"), HasSubstr("; host "), HasSubstr("; disk ")));
  EXPECT_EQ(Str(absl::StrCat("check ", Path("home/.str/devices/this-cpu.conf"))).exit_code, 0);
  const std::string plan = absl::StrCat("plan ", graph_, " --budget=100% --output=", Path("plan.conf"), " --device=");
  for (const char* device : {"this-cpu", "RTX-3090-24GB", "T4", "config/devices/a100-40gb.conf"}) {
    const Outcome outcome = Str(absl::StrCat(plan, device));
    EXPECT_EQ(outcome.exit_code, 0) << device << ": " << outcome.err;
  }
  EXPECT_EQ(Str("calibrate", "HOME=").exit_code, 1);
  const Outcome chosen = Str(absl::StrCat("calibrate --output=", Path("here.conf")), "HOME=");
  EXPECT_EQ(chosen.exit_code, 0) << chosen.err;
  EXPECT_TRUE(fs::exists(Path("here.conf")));
}

TEST_F(CliTest, Lists) {
  EXPECT_THAT(Str("strategies").out, AllOf(HasSubstr("str "), HasSubstr("keep-all"), HasSubstr("swap-only")));
  EXPECT_THAT(Str("devices").out, HasSubstr("t4-16gb"));
  EXPECT_THAT(Str("version").out, HasSubstr("STR "));
  const Outcome help = Str("plan --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("--budget"), HasSubstr("Example"), Not(HasSubstr("error"))));
}

TEST_F(CliTest, ComparesStrategiesAndGoesOnWhereItStopped) {
  const std::string rows = Path("rows.json");
  const std::string command =
      absl::StrCat("compare ", graph_, " --strategies=str,keep-all --budgets=90%,60% --json=", rows);
  const Outcome outcome = Str(command);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("keep-all"));
  EXPECT_THAT(outcome.err, HasSubstr("4 of 4"));
  const std::string written = *config::ReadFile(rows);
  EXPECT_THAT(written, HasSubstr(": keep-all@60%\""));
  const Outcome again = Str(command);
  EXPECT_THAT(again.err, HasSubstr("4 of 4 points are there already"));
  EXPECT_EQ(again.out, outcome.out);
  EXPECT_EQ(*config::ReadFile(rows), written);
  const Outcome other = Str(absl::StrCat(command, " --seed=3"));
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("holds another sweep"));
  const Outcome figures = Str(absl::StrCat(command, " --device=t4"));
  EXPECT_THAT(figures.err, HasSubstr("its device is none, not t4"));

  absl::StatusOr<config::GraphFile> again_captured = config::ReadGraph(graph_);
  ASSERT_TRUE(again_captured.ok());
  for (config::Node& node : *again_captured->mutable_node()) node.set_time_ns(node.time_ns() + 1);
  ASSERT_TRUE(config::WriteGraph(*again_captured, graph_).ok());
  const Outcome refused = Str(command);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("rows.json: was made from another graph"), HasSubstr("--fresh")));
  EXPECT_EQ(*config::ReadFile(rows), written);
  const Outcome fresh = Str(absl::StrCat(command, " --fresh"));
  EXPECT_EQ(fresh.exit_code, 0) << fresh.err;
  EXPECT_THAT(fresh.err, AllOf(HasSubstr("4 of 4"), Not(HasSubstr("there already"))));
  EXPECT_NE(*config::ReadFile(rows), written);
}

// As node-link JSON.
std::string ForwardChain(int nodes) {
  std::vector<std::string> texts, links;
  for (int i = 0; i < nodes; ++i) {
    texts.push_back(absl::StrCat("{\"id\": ", i, ", \"name\": \"n", i,
                                 "\", \"backward\": false, \"cost_cpu\": 2, \"cost_ram\": 1000}"));
    if (i > 0) links.push_back(absl::StrCat("{\"source\": ", i - 1, ", \"target\": ", i, "}"));
  }
  return absl::StrCat("{\"graph\": {\"name\": \"chain\"}, \"nodes\": [", absl::StrJoin(texts, ","), "], \"links\": [",
                      absl::StrJoin(links, ","), "]}");
}

TEST_F(CliTest, ABatchThatCouldNotBeSearchedSaysWhy) {
  ASSERT_TRUE(config::WriteFileAtomically(Path("forward.json"), ForwardChain(3)).ok());
  const std::string batches = absl::StrCat("max-batch ", Path("forward.json"), " --batch=8 --json=", Path("rows.json"));
  for (const char* time : {"first", "resumed"}) {
    const Outcome batch = Str(batches + " --budget=1GB");
    EXPECT_EQ(batch.exit_code, 1) << time;
    EXPECT_THAT(batch.out, ContainsRegex("\nstr +-  no node is known to be backward.*; use --max-overhead\n")) << time;
  }
  EXPECT_THAT(*config::ReadFile(Path("rows.json")), HasSubstr("\"batch\": null"));
  const Outcome tiny = Str(batches + " --fresh --budget=1 --max-overhead=10% --strategy=keep-all");
  EXPECT_EQ(tiny.exit_code, 2) << tiny.err;
  EXPECT_THAT(tiny.out, ContainsRegex("keep-all +0  not even the smallest batch fits\n"));
}

TEST_F(CliTest, ComparingNamesWhoCouldNotPlanAndWhy) {
  // More columns than a solver is given.
  ASSERT_TRUE(config::WriteFileAtomically(Path("long.json"), ForwardChain(1200)).ok());
  const std::string compare = absl::StrCat("compare ", Path("long.json"), " --strategies=keep-all,checkmate-ilp",
                                           " --budgets=60%,50% --json=", Path("rows.json"));
  for (const char* time : {"first", "resumed"}) {
    const Outcome outcome = Str(compare);
    EXPECT_THAT(outcome.out, AllOf(ContainsRegex("60% .* error\n"), ContainsRegex("50% .* error\n"),
                                   ContainsRegex("\ncheckmate-ilp at 60%: the model .* columns"),
                                   Not(HasSubstr("checkmate-ilp at 50%"))))
        << time;
  }
}

TEST_F(CliTest, EverythingFitsIsSaid) {
  const std::string plan = absl::StrCat("plan ", graph_, " --output=", Path("plan.conf"), " --budget=");
  const Outcome large = Str(plan + "150%");
  EXPECT_EQ(large.exit_code, 0);
  EXPECT_THAT(large.err, AllOf(HasSubstr("everything fits"), HasSubstr("no plan is needed")));
  EXPECT_EQ(Str(absl::StrCat("simulate ", graph_, " ", Path("plan.conf"))).exit_code, 0);
  EXPECT_THAT(Str(plan + "75%").err, Not(HasSubstr("everything fits")));
}

TEST_F(CliTest, TheCalibratedDeviceHasToBeMeasuredFirst) {
  for (const char* device : {"this-cpu", "This-CPU", "this"}) {
    const Outcome outcome =
        Str(absl::StrCat("plan ", graph_, " --budget=75% --output=", Path("plan.conf"), " --device=", device));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("--device: this-cpu is not there yet; run str calibrate")) << device;
  }
}

TEST_F(CliTest, HelpKnowsTheLauncher) {
  for (const char* arguments : {"--help", "fly"}) {
    const Outcome outcome = Str(arguments);
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("demo, python, test, bench, report")) << arguments;
  }
  for (const char* command : {"compare", "max-batch"}) {
    EXPECT_THAT(Str(absl::StrCat(command, " --help")).out, HasSubstr("--html=FILE"));
  }
}

TEST_F(CliTest, ComparesAtBudgetsOfItsOwnChoice) {
  const Outcome outcome = Str(absl::StrCat("compare ", graph_, " --strategies=recompute-only,keep-all --json=-"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("20 of 20"));
  EXPECT_THAT(outcome.out, HasSubstr(": recompute-only@95.0%\""));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\"strategy\": \"recompute-only\", \"status\": \"infeasible\"")));
}

TEST_F(CliTest, FindsTheLargestBatch) {
  const Outcome outcome =
      Str(absl::StrCat("max-batch ", graph_, " --batch=8 --budget=200MB --max-overhead=20% --strategy=keep-all,str"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("largest batch within"));
  for (const char* wrong : {"--batch=8,9 --budget=1GB", "--batch=none --budget=1GB", "--batch=0 --budget=1GB",
                            "--batch=8 --budget=much", "--batch=8 --budget=1GB --batches=8:4:1",
                            "--batch=8 --budget=1GB --max-overhead=-3", "--batch=8 --budget=1GB --strategy=nothing"}) {
    const Outcome refused = Str(absl::StrCat("max-batch ", graph_, " ", wrong));
    EXPECT_EQ(refused.exit_code, 1) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("str: ")) << wrong;
  }
}

}  // namespace
}  // namespace str::tools
