#include "config/graph_order.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

absl::Status Check(const std::vector<std::vector<int>>& predecessors) {
  GraphFile graph;
  for (size_t i = 0; i < predecessors.size(); ++i) graph.add_node()->set_name(absl::StrCat("n", i));
  return CheckTopologicalOrder(graph, predecessors);
}

TEST(CheckTopologicalOrderTest, GoodOrder) {
  EXPECT_OK(Check({}));
  EXPECT_OK(Check({{}, {0}, {0, 1, 1}}));
}

TEST(CheckTopologicalOrderTest, WrongOrderNamesThePair) {
  EXPECT_TRUE(IsInvalid(Check({{}, {2}, {0}}), "node \"n1\" stands before \"n2\", which it needs"));
}

TEST(CheckTopologicalOrderTest, CycleNamesItsNodesOnly) {
  EXPECT_TRUE(IsInvalid(Check({{}, {1}}), "node \"n1\" is on a cycle: \"n1\" -> \"n1\""));
  // n0 is behind the cycle of n1 and n2, not on it; n3 leads into it.
  const absl::Status status = Check({{1}, {2, 3}, {1}, {}});
  EXPECT_TRUE(IsInvalid(status, "is on a cycle"));
  EXPECT_FALSE(absl::StrContains(status.message(), "n0")) << status;
  EXPECT_FALSE(absl::StrContains(status.message(), "n3")) << status;
}

TEST(CheckTopologicalOrderTest, CycleIsToldAlongTheEdges) {
  // n0 -> n1 -> n2 -> n0.
  EXPECT_TRUE(IsInvalid(Check({{2}, {0}, {1}}), "\"n1\" -> \"n2\" -> \"n0\" -> \"n1\""));
}

TEST(CheckTopologicalOrderTest, LongCycleIsCutShort) {
  std::vector<std::vector<int>> ring(1000);
  for (int i = 0; i < 1000; ++i) ring[i] = {(i + 999) % 1000};
  EXPECT_TRUE(IsInvalid(Check(ring), "(992 more)"));
}

}  // namespace
}  // namespace str::config
