#include "optimizer/sweep/max_batch.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/importers/graph_reader.h"
#include "strategies/registry.h"

namespace str::tools {
namespace {

using ::testing::HasSubstr;

constexpr int kLayers = 8;

// A chain of layers of `bytes` each, a small loss, and their gradients.
GraphAtBatch Chain(int64_t bytes, int64_t batch) {
  const std::string size = absl::StrCat(bytes);
  std::string text = R"({"directed": true, "graph": {"name": "chain"}, "nodes": [)";
  const auto link = [&text](int source, int target, const char* separator) {
    absl::StrAppend(&text, separator, R"({"source": )", source, R"(, "target": )", target, "}");
  };
  for (int i = 0; i <= 2 * kLayers; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", R"({"id": )", i, R"(, "name": "n)", i, R"(", "backward": )",
                    i >= kLayers ? "true" : "false", R"(, "cost_cpu": 10, "cost_ram": )", i == kLayers ? "4" : size,
                    "}");
  }
  absl::StrAppend(&text, R"(], "links": [)");
  for (int i = 0; i < 2 * kLayers; ++i) link(i, i + 1, i == 0 ? "" : ", ");
  for (int i = 0; i + 1 < kLayers; ++i) link(i, 2 * kLayers - i, ", ");
  for (int i = 0; i + 1 < kLayers; ++i) link(i + 1, 2 * kLayers - i, ", ");
  absl::StrAppend(&text, "]}");
  absl::StatusOr<config::GraphFile> file = optimizer::ParseAnyGraph(text, "chain", absl::Milliseconds(1));
  EXPECT_TRUE(file.ok()) << file.status();
  return {"chain", *file, batch};
}

int64_t Largest(const std::vector<GraphAtBatch>& graphs, absl::string_view strategy, int64_t budget,
                std::optional<double> max_overhead = std::nullopt) {
  MaxBatchQuery query;
  query.graphs = &graphs;
  query.budget_bytes = budget;
  query.max_overhead = max_overhead;
  const MaxBatchResult result = FindMaxBatch(query, *strategies::FindPlanner(strategy), nullptr);
  EXPECT_EQ(result.error, "");
  return result.batch;
}

TEST(MaxBatchTest, IsWhatTheBudgetDividedByAnItemsBytesSays) {
  const std::vector<GraphAtBatch> graphs = {Chain(1000, 1)};
  const GraphInput input = *MakeGraphInput(graphs[0].file, "chain", "");
  const int64_t kept = input.baseline_peak_bytes;
  EXPECT_EQ(Largest(graphs, "keep-all", 7 * kept), 7);
  EXPECT_EQ(Largest(graphs, "keep-all", 8 * kept - 1), 7);
  EXPECT_EQ(Largest(graphs, "keep-all", kept - 1), 0);
  EXPECT_GT(Largest(graphs, "recompute-only", 30 * kept), 30);
  EXPECT_EQ(Largest(graphs, "recompute-only", 30 * kept, 0.0), 30) << "nothing may cost more";
}

// The published rules hold checkpoints to the end of the step.
TEST(MaxBatchTest, ChecksBaselinesAsPublishedIfAsked) {
  const std::vector<GraphAtBatch> graphs = {Chain(1000, 1)};
  MaxBatchQuery query;
  query.graphs = &graphs;
  query.budget_bytes = 100000;
  const strategies::Planner& keep_all = *strategies::FindPlanner("keep-all");
  const int64_t judged = FindMaxBatch(query, keep_all, nullptr).batch;
  query.yardstick = Yardstick::kCheckmate;
  const MaxBatchResult published = FindMaxBatch(query, keep_all, nullptr);
  // All layers and the last two gradients at the end.
  EXPECT_EQ(published.batch, 100000 / ((kLayers + 2) * 1000));
  EXPECT_GE(judged, published.batch);
}

TEST(MaxBatchTest, TriesOnlyTheBatchesOfItsRange) {
  const std::vector<GraphAtBatch> graphs = {Chain(1000, 1)};
  const GraphInput input = *MakeGraphInput(graphs[0].file, "chain", "");
  MaxBatchQuery query;
  query.graphs = &graphs;
  query.budget_bytes = 21 * input.baseline_peak_bytes;
  const auto largest = [&](BatchRange range) {
    query.batches = range;
    return FindMaxBatch(query, *strategies::FindPlanner("keep-all"), nullptr).batch;
  };
  EXPECT_EQ(largest({4, 512, 8}), 20);
  EXPECT_EQ(largest({4, 18, 8}), 12) << "no further than the last";
  EXPECT_EQ(largest({4, 12, 8}), 12);
  EXPECT_EQ(largest({22, 512, 8}), 0);
  EXPECT_EQ(largest({21, 21, 1}), 21);
}

TEST(MaxBatchTest, OneForwardPassIsTheShareOfForwardNodes) {
  const GraphInput input = *MakeGraphInput(Chain(1000, 1).file, "chain", "");
  EXPECT_DOUBLE_EQ(*ForwardShare(input), kLayers / (2.0 * kLayers + 1));
}

TEST(ScaledGraphTest, OneGraphScalesInProportionTwoByALine) {
  EXPECT_EQ(ScaleToBatch({Chain(1000, 2)}, 5)->node(0).output(0).bytes(), 2500);
  const std::vector<GraphAtBatch> two = {Chain(1000, 2), Chain(1600, 4)};
  EXPECT_EQ(ScaleToBatch(two, 10)->node(0).output(0).bytes(), 3400);
  EXPECT_EQ(ScaleToBatch(two, 4)->node(0).output(0).bytes(), 1600);
}

TEST(ScaledGraphTest, RefusesWhatDoesNotBelongTogether) {
  EXPECT_THAT(std::string(CheckScalable({Chain(1000, 0)}).message()), HasSubstr("batch of 0"));
  EXPECT_THAT(std::string(CheckScalable({Chain(1000, 2), Chain(1000, 2)}).message()), HasSubstr("same batch size"));
  GraphAtBatch other = Chain(1000, 4);
  other.file.mutable_node(2)->set_name("another");
  EXPECT_THAT(std::string(CheckScalable({Chain(1000, 2), other}).message()), HasSubstr("\"another\""));
  EXPECT_FALSE(ScaleToBatch({Chain(int64_t{1} << 40, 1)}, int64_t{1} << 20).ok());
}

}  // namespace
}  // namespace str::tools
