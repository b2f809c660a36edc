// The examples in the format documents are valid, and the strategy is one for the graph.
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "config/atomic_file.h"
#include "config/device_io.h"
#include "config/graph_io.h"
#include "config/status_testing.h"
#include "config/strategy_against_graph.h"
#include "config/strategy_io.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

// What stands between ```textproto and ```, in order.
std::vector<std::string> Examples(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  EXPECT_OK(text.status());
  std::vector<std::string> examples;
  bool inside = false;
  for (absl::string_view line : absl::StrSplit(text.ok() ? *text : "", '\n')) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      absl::StrAppend(&examples.back(), line, "\n");
    } else if (line == "```textproto") {
      inside = true;
      examples.emplace_back();
    }
  }
  return examples;
}

TEST(DocExamplesTest, Device) {
  const std::vector<std::string> examples = Examples("docs/device_format.md");
  ASSERT_EQ(examples.size(), 1);
  EXPECT_OK(ParseDevice(examples[0], "example").status());
}

TEST(DocExamplesTest, GraphAndStrategy) {
  const std::vector<std::string> graphs = Examples("docs/graph_format.md");
  const std::vector<std::string> strategies = Examples("docs/strategy_format.md");
  ASSERT_EQ(graphs.size(), 1);
  ASSERT_EQ(strategies.size(), 1);
  const absl::StatusOr<GraphFile> graph = ParseGraph(graphs[0], "example");
  const absl::StatusOr<StrategyFile> strategy = ParseStrategy(strategies[0], "example");
  EXPECT_OK(graph.status());
  EXPECT_OK(strategy.status());
  EXPECT_OK(CheckStrategyAgainstGraph(*strategy, *graph));
}

}  // namespace
}  // namespace str::config
