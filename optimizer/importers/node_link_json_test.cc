#include "optimizer/importers/node_link_json.h"

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
  return ParseAnyGraph(text, "file.json", absl::Milliseconds(1));
}

TEST(NodeLinkJsonTest, TrainingGraphsRunInTheOrderOfTheirIds) {
  const absl::StatusOr<config::GraphFile> file = Import(R"({"directed": true, "graph": {"name": "tiny"}, "nodes": [
      {"id": 1, "name": "loss", "backward": true, "cost_cpu": 2.5, "cost_ram": 4},
      {"id": 0, "name": "conv", "backward": false, "cost_cpu": 10, "cost_ram": 100}],
      "links": [{"source": 0, "target": 1}]})");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->name(), "tiny");
  EXPECT_EQ(file->copy_in_bytes_per_second(), 0);
  EXPECT_EQ(file->node(0).name(), "conv");
  EXPECT_EQ(file->node(0).time_ns(), 10000000);
  EXPECT_EQ(file->node(0).recompute(), config::RECOMPUTE_ALLOWED);
  EXPECT_EQ(file->node(1).time_ns(), 2500000);
  EXPECT_EQ(file->node(1).input(0), "conv:0");
  EXPECT_EQ(file->node(1).recompute(), config::RECOMPUTE_NOT_WANTED);
}

TEST(NodeLinkJsonTest, RandomLayeredGraphsSayTheirOrder) {
  const absl::StatusOr<config::GraphFile> file = Import(R"({"graph": {"order": [2, 0, 1]}, "nodes": [
      {"name": 0, "duration": 1, "out_cost": 10, "param_cost": 3},
      {"name": 1, "duration": 1, "out_cost": 11, "param_cost": 4},
      {"name": 2, "duration": 1, "out_cost": 12, "param_cost": 0}],
      "links": [{"0": 2, "1": 0}, {"0": 0, "1": 1}]})");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->external_bytes(), 7);
  EXPECT_EQ(file->node(0).name(), "2");
  EXPECT_EQ(file->node(1).name(), "0");
  EXPECT_EQ(file->node(1).input(0), "2:0");
  EXPECT_EQ(file->node(2).output(0).bytes(), 11);
  EXPECT_EQ(file->node(2).recompute(), config::RECOMPUTE_ALLOWED);
}

TEST(NodeLinkJsonTest, BytesThatAreAlwaysThereCount) {
  const auto with = [](absl::string_view bytes) {
    return Import(absl::StrCat(R"({"graph": {"const_bytes": )", bytes, R"(}, "links": [], "nodes": [
        {"id": 0, "name": "a", "backward": false, "cost_cpu": 1, "cost_ram": 1}]})"));
  };
  const absl::StatusOr<config::GraphFile> file = with("1149337920");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->external_bytes(), 1149337920);
  EXPECT_TRUE(IsInvalid(with("-1").status(), "const_bytes"));
  EXPECT_TRUE(IsInvalid(with("1.5").status(), "const_bytes"));
}

TEST(NodeLinkJsonTest, SaysWhatIsWrong) {
  const std::string node = R"({"id": 0, "name": "a", "backward": false, "cost_cpu": 1, "cost_ram": 1})";
  const auto with = [](absl::string_view nodes, absl::string_view links) {
    return Import(absl::StrCat(R"({"nodes": [)", nodes, R"(], "links": [)", links, "]}")).status();
  };
  EXPECT_TRUE(IsInvalid(with(R"({"id": 0})", ""), "node 0: \"name\" is missing"));
  EXPECT_TRUE(IsInvalid(with(absl::StrCat(node, ",", node), ""), "two nodes have the id 0"));
  EXPECT_TRUE(IsInvalid(with(node, R"({"source": 0, "target": 5})"), "link 0: there is no node 5"));
  EXPECT_TRUE(IsInvalid(with(node, R"({"source": 0, "target": 0})"), "does not come before"));
  EXPECT_TRUE(IsInvalid(with(node, R"({"source": 0})"), "link 0: \"target\" is missing"));
  const std::string layered = R"({"name": 0, "duration": 1, "out_cost": 1, "param_cost": 0})";
  EXPECT_TRUE(IsInvalid(with(layered, ""), "\"graph\" is missing"));
  EXPECT_TRUE(
      IsInvalid(Import(absl::StrCat(R"({"graph": {"order": [0, 0]}, "links": [], "nodes": [)", layered, "]}")).status(),
                "does not name every node once"));
}

TEST(NodeLinkJsonTest, ReadsTheSharedGraphs) {
  const std::string path = SharedData("checkmate_graphs/vgg16_b256.json");
  if (path.empty()) GTEST_SKIP() << kNoSharedData;
  const absl::StatusOr<config::GraphFile> file = ReadAnyGraph(path, kDefaultCostUnit);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->node_size(), 45);
  const Graph graph = *Graph::FromFile(*file);
  const absl::StatusOr<Verdict> verdict = Judge(graph, MeasuredCosts(*file), KeepAll(graph, CapturedOrder(graph)));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_NEAR(verdict->seconds(), 1.55, 1e-9);
  for (const char* name : {"checkmate_graphs/random_layered_n100.json", "checkmate_graphs/random_layered_n250.json"}) {
    const absl::StatusOr<config::GraphFile> layered = ReadAnyGraph(SharedData(name), kDefaultCostUnit);
    EXPECT_OK(layered.status());
  }
}

}  // namespace
}  // namespace str::optimizer
