#include "strategies/base_order.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::strategies {
namespace {

// Two gradients of activations, each taken by one of weights; those were captured last.
TEST(BaseOrderTest, CapturedGraphsAreInTheOrderOfLeastMemoryOthersAsTheyCome) {
  optimizer::GraphBuilder b;
  b.Add("x", {}, {100});
  b.Add("dy", {"x:0"}, {100});
  b.Add("dx", {"dy:0"}, {100});
  b.Add("dz", {"dx:0"}, {100});
  b.Add("dw_y", {"dy:0"}, {1});
  b.Add("dw_x", {"dx:0"}, {1});
  b.Add("dw_z", {"dz:0"}, {1});
  const optimizer::Graph graph = b.Build();
  const optimizer::Costs costs = optimizer::MeasuredCosts(b.file());
  PlanRequest request;
  request.graph = &graph;
  request.costs = &costs;
  const auto names = [&] {
    const absl::StatusOr<std::vector<optimizer::NodeId>> order = BaseOrder(request);
    EXPECT_TRUE(order.ok()) << order.status();
    std::string text;
    for (const optimizer::NodeId id : *order) absl::StrAppend(&text, graph.name(id), " ");
    return text;
  };
  EXPECT_EQ(names(), "x dy dw_y dx dw_x dz dw_z ");
  request.placed = false;
  EXPECT_EQ(names(), "x dy dx dz dw_y dw_x dw_z ");
}

}  // namespace
}  // namespace str::strategies
