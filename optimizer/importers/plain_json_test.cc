#include "optimizer/importers/plain_json.h"

#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"

namespace str::optimizer {
namespace {

using config::IsInvalid;

absl::StatusOr<config::GraphFile> Import(absl::string_view text) {
  return ParseAnyGraph(text, "file.json", kDefaultCostUnit);
}

constexpr char kExample[] = R"({"name": "tiny", "const_bytes": 1000, "pcie": 12e9, "nodes": [
  {"name": "a", "cost": 2e-6, "bytes": 100, "deps": [], "is_backward": false},
  {"name": "b", "cost": 3.5e-6, "bytes": 50, "deps": [0], "is_backward": false},
  {"name": "d_a", "cost": 1e-6, "bytes": 7, "deps": [0, 1], "is_backward": true}]})";

TEST(PlainJsonTest, BecomesAGraphFile) {
  const absl::StatusOr<config::GraphFile> file = Import(kExample);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->name(), "tiny");
  EXPECT_EQ(file->external_bytes(), 1000);
  EXPECT_EQ(file->copy_out_bytes_per_second(), 12000000000);
  EXPECT_EQ(file->copy_in_bytes_per_second(), 12000000000);
  EXPECT_EQ(file->node(1).time_ns(), 3500);
  EXPECT_EQ(file->node(1).output(0).bytes(), 50);
  EXPECT_EQ(file->node(1).recompute(), config::RECOMPUTE_ALLOWED);
  EXPECT_EQ(file->node(2).recompute(), config::RECOMPUTE_NOT_WANTED);
  ASSERT_EQ(file->node(2).input_size(), 2);
  EXPECT_EQ(file->node(2).input(1), "b:0");
  const Graph graph = *Graph::FromFile(*file);
  EXPECT_FALSE(graph.node(2).MayRerun());
  const absl::StatusOr<Verdict> verdict = Judge(graph, MeasuredCosts(*file), KeepAll(graph, CapturedOrder(graph)));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->peak_bytes(), 1157);
  EXPECT_DOUBLE_EQ(verdict->seconds(), 6.5e-6);
}

TEST(PlainJsonTest, TheFingerprintFollowsTheContent) {
  const std::string text = kExample;
  std::string renamed = text;
  renamed.replace(renamed.find("\"b\""), 3, "\"c\"");
  EXPECT_EQ(Import(text)->fingerprint(), Import(text)->fingerprint());
  EXPECT_NE(Import(text)->fingerprint(), Import(renamed)->fingerprint());
}

TEST(PlainJsonTest, SaysWhichNodeIsWrong) {
  const auto with_node = [](absl::string_view node) {
    return Import(absl::StrCat(R"({"const_bytes": 0, "nodes": [)", node, "]}")).status();
  };
  EXPECT_TRUE(IsInvalid(with_node("3"), "file.json: node 0: not an object"));
  EXPECT_TRUE(IsInvalid(with_node(R"({"cost": 1})"), "node 0: \"name\" is missing"));
  EXPECT_TRUE(IsInvalid(with_node(R"({"name": "a", "cost": -1})"), "node 0 (\"a\"): \"cost\" is not a number from 0"));
  EXPECT_TRUE(IsInvalid(with_node(R"({"name": "a", "cost": 1, "bytes": 1.5})"), "\"bytes\" is not a whole number"));
  EXPECT_TRUE(IsInvalid(with_node(R"({"name": "a", "cost": 1, "bytes": 1, "is_backward": 1})"), "\"is_backward\""));
  EXPECT_TRUE(IsInvalid(with_node(R"({"name": "a", "cost": 1, "bytes": 1, "is_backward": true, "deps": [0]})"),
                        "takes node 0, which does not come before it"));
  EXPECT_TRUE(IsInvalid(with_node(R"({"name": "a", "cost": 1, "bytes": 1, "is_backward": true, "deps": ["x"]})"),
                        "an entry of \"deps\""));
  EXPECT_TRUE(IsInvalid(with_node(R"({"name": "a", "cost": 1e300, "bytes": 1, "is_backward": true, "deps": []})"),
                        "too long to count"));
  EXPECT_TRUE(IsInvalid(with_node(""), "the graph has no nodes"));
}

TEST(PlainJsonTest, ReadsTheSharedGraphs) {
  const std::string path = SharedData("planning_graphs/vgg16_b256.json");
  if (path.empty()) GTEST_SKIP() << kNoSharedData;
  const absl::StatusOr<config::GraphFile> file = ReadAnyGraph(path, kDefaultCostUnit);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->node_size(), 59);
  EXPECT_EQ(file->external_bytes(), 1814431200);
  EXPECT_EQ(file->node(0).time_ns(), 5289823);
}

}  // namespace
}  // namespace str::optimizer
