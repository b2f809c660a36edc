#include "strategies/str_paper/swap_table.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "config/atomic_file.h"
#include "gtest/gtest.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/simulator/program.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"

namespace str::strategies {
namespace {

StagedGraph Chain(const std::vector<double>& seconds) {
  StagedGraph graph;
  for (const double time : seconds) {
    StagedNode node;
    node.seconds = time;
    graph.Add(node);
  }
  return graph;
}

// The nodes take 1, 2, 3, 4 s. A copy of 2.5 s of the first value that starts with the second node is over during the
// third; one that starts with the fourth, during the fourth.
TEST(SwapTableTest, CopiesHideBehindFirstRuns) {
  const StagedGraph graph = Chain({1, 2, 3, 4});
  const SwapTable table(graph, {2.5, 4, 5, 0});
  EXPECT_EQ(table.Finish(1, 0), 2);
  EXPECT_EQ(table.Finish(2, 0), 2);
  EXPECT_EQ(table.Finish(3, 0), 3);
  EXPECT_EQ(table.Start(2, 0), 2);
  EXPECT_EQ(table.Start(1, 0), SwapTable::kNever);
  EXPECT_EQ(table.Finish(2, 1), 3);
  // Just in time.
  EXPECT_EQ(table.Finish(3, 1), 3);
  EXPECT_EQ(table.Start(3, 1), 3);
  EXPECT_EQ(table.Finish(3, 2), SwapTable::kNever);
  // Not before the value is there.
  EXPECT_EQ(table.Finish(0, 0), SwapTable::kNever);
  EXPECT_EQ(table.Finish(1, 1), SwapTable::kNever);
}

std::vector<std::vector<int>> ReadMatrix(const std::string& path) {
  std::vector<std::vector<int>> rows;
  const absl::StatusOr<std::string> text = config::ReadFile(path);
  EXPECT_TRUE(text.ok()) << text.status();
  for (absl::string_view line : absl::StrSplit(*text, '\n', absl::SkipEmpty())) {
    rows.emplace_back();
    for (absl::string_view word : absl::StrSplit(line, ' ', absl::SkipEmpty())) {
      EXPECT_TRUE(absl::SimpleAtoi(word, &rows.back().emplace_back()));
    }
  }
  return rows;
}

// STR's own table for VGG16: 10 GB/s each way.
TEST(SwapTableTest, EqualsThePublishedTable) {
  const std::string path = optimizer::SharedData("checkmate_graphs/vgg16_b256.json");
  const std::string finish = optimizer::SharedData("str/vgg16_b256/SFMat");
  if (path.empty() || finish.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  const absl::StatusOr<config::GraphFile> file = optimizer::ReadAnyGraph(path, absl::Microseconds(100));
  ASSERT_TRUE(file.ok()) << file.status();
  const optimizer::Graph graph = *optimizer::Graph::FromFile(*file);
  const StagedGraph staged(graph, optimizer::MeasuredCosts(*file), optimizer::CapturedOrder(graph), {});
  std::vector<double> seconds;
  for (int i = 0; i < staged.size(); ++i) seconds.push_back(static_cast<double>(staged.node(i).bytes) / 1e10);
  const SwapTable table(staged, seconds);
  const std::vector<std::vector<int>> published = ReadMatrix(finish);
  ASSERT_EQ(published.size(), staged.size());
  int entries = 0;
  for (int stage = 0; stage < staged.size(); ++stage) {
    for (int i = 0; i < stage; ++i, ++entries) {
      EXPECT_EQ(table.Finish(stage, i), published[stage][i]) << stage << ", " << i;
    }
  }
  EXPECT_EQ(entries, 990);
}

}  // namespace
}  // namespace str::strategies
