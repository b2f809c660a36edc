#include "optimizer/tools/certificate.h"

#include "gtest/gtest.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/training_graph.h"
#include "strategies/registry.h"

namespace str::tools {
namespace {

constexpr double kGap = 0.005;

// A plan and its bounds, proven until the gap is at most `gap`.
class CertificateTest : public ::testing::Test {
 protected:
  void Certify(uint64_t seed, double gap) {
    const config::GraphFile file = optimizer::RandomTrainingGraph({.seed = seed, .layers = 8});
    const absl::StatusOr<optimizer::Graph> graph = optimizer::Graph::FromFile(file);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const optimizer::Costs costs = optimizer::MeasuredCosts(file);
    const absl::StatusOr<optimizer::Verdict> kept =
        optimizer::Judge(*graph, costs, optimizer::KeepAll(*graph, optimizer::CapturedOrder(*graph)));
    ASSERT_TRUE(kept.ok()) << kept.status();
    const strategies::Planner* const planner = strategies::FindPlanner("recompute-only");
    strategies::PlanRequest request;
    request.graph = &*graph;
    request.costs = &costs;
    request.budget_bytes = kept->peak_bytes() * 7 / 10;
    request.placed = false;
    request.gap = kGap;
    absl::StatusOr<strategies::PlanResult> result = planner->Plan(request, nullptr, nullptr);
    ASSERT_TRUE(result.ok() && !result->program.empty()) << result.status();
    request.gap = gap;
    ASSERT_TRUE(AddBound(*planner, request, absl::InfiniteDuration(), nullptr, nullptr, &*result).ok());
    any_order_seconds_ = result->any_order_bound_seconds;
    kept_seconds_ = kept->seconds();
  }

  double any_order_seconds_ = 0;
  double kept_seconds_ = 0;
};

TEST_F(CertificateTest, NothingIsSearchedForOnceTheGapIsProven) {
  int searched = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    Certify(seed, /*gap=*/10);
    EXPECT_NEAR(any_order_seconds_, kept_seconds_, 1e-6 * kept_seconds_)
        << "that every node must run once proves a gap of 1000 %";
    Certify(seed, kGap);
    searched += any_order_seconds_ > 1.0001 * kept_seconds_;
  }
  EXPECT_GT(searched, 0) << "for a small gap there is more to prove";
}

}  // namespace
}  // namespace str::tools
