// Every row that the authors' simulator produced, against ours.
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "config/atomic_file.h"
#include "gtest/gtest.h"
#include "optimizer/importers/json_fields.h"
#include "optimizer/testing/shared_data.h"
#include "strategies/dtr/heuristic.h"
#include "strategies/dtr/log.h"
#include "strategies/dtr/replay.h"
#include "strategies/dtr/runtime.h"

namespace str::dtr {
namespace {

using optimizer::JsonFields;
using optimizer::SharedData;

const char* StatusName(RunStatus status) {
  return status == RunStatus::kDone ? "ok" : status == RunStatus::kThrash ? "thrash" : "OOM";
}

void CheckBaseline(const JsonFields& row, const Trace& trace) {
  EXPECT_EQ(UnlimitedPeak(trace), *row.Whole("mem"));
  EXPECT_EQ(trace.baseline, *row.Whole("compute"));
}

void CheckRun(const JsonFields& row, const Trace& trace) {
  ASSERT_EQ(*row.Text("variant"), "eager");
  EXPECT_EQ(static_cast<int64_t>(UnlimitedPeak(trace) * *row.Amount("ratio")), *row.Whole("budget"));
  const absl::StatusOr<const HeuristicEntry*> heuristic = FindHeuristic(*row.Text("heuristic"));
  ASSERT_TRUE(heuristic.ok()) << heuristic.status();
  RuntimeOptions options;
  options.budget_bytes = *row.Whole("budget");
  const RunResult result = Runtime(&trace, *heuristic, options).Run();
  EXPECT_EQ(StatusName(result.status), *row.Text("status"));
  EXPECT_NEAR(Overhead(trace, result), *row.Amount("overhead"), 1e-12);
  EXPECT_EQ(result.peak_bytes, *row.Whole("peak"));
  EXPECT_EQ(result.clock, *row.Whole("clock"));
  EXPECT_EQ(result.recompute_cost, *row.Whole("remat"));
  EXPECT_EQ(result.scores, *row.Whole("evals"));
}

TEST(SimrdTest, EveryRowIsTheSame) {
  const std::string expected = SharedData("expected/dtr_simrd.jsonl");
  if (expected.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  std::map<std::string, Log> logs;
  for (const auto& [model, file] : {std::pair("ResNet-32 (56)", "dtr/resnet32.log"), {"U-Net (6)", "dtr/unet.log"}}) {
    absl::StatusOr<Log> log = ReadLog(SharedData(file));
    ASSERT_TRUE(log.ok()) << log.status();
    logs.emplace(model, *std::move(log));
  }
  int runs = 0;
  for (const absl::string_view line : absl::StrSplit(*config::ReadFile(expected), '\n', absl::SkipEmpty())) {
    SCOPED_TRACE(line);
    const absl::StatusOr<google::protobuf::Struct> object = optimizer::ParseJson(line);
    ASSERT_TRUE(object.ok()) << object.status();
    const JsonFields row(&*object, "row");
    const auto log = logs.find(*row.Text("model"));
    ASSERT_NE(log, logs.end());
    if (*row.Text("kind") == "baseline") {
      CheckBaseline(row, log->second.trace);
    } else {
      CheckRun(row, log->second.trace);
      ++runs;
    }
  }
  EXPECT_GT(runs, 90);
}

}  // namespace
}  // namespace str::dtr
