#include "strategies/tiers.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/placement/fit.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/training_graph.h"
#include "strategies/registry.h"

namespace str::strategies {
namespace {

using optimizer::Fit;

class TiersTest : public ::testing::Test {
 protected:
  // `slowness`: how many times slower the disk is than the host.
  void Load(uint64_t seed, double slowness, int layers = 4) {
    const config::GraphFile file = optimizer::RandomTrainingGraph({.seed = seed, .layers = layers});
    graph_.emplace(*optimizer::Graph::FromFile(file));
    costs_ = optimizer::MeasuredCosts(file);
    costs_.disk_write_bytes_per_second = costs_.copy_out_bytes_per_second / slowness;
    costs_.disk_read_bytes_per_second = costs_.copy_in_bytes_per_second / slowness;
    request_ = PlanRequest();
    request_.graph = &*graph_;
    request_.costs = &costs_;
    request_.budget_bytes = 1;
    const int64_t least = Plan("swap-only").min_budget_bytes;
    const optimizer::Program kept = optimizer::KeepAll(*graph_, optimizer::CapturedOrder(*graph_));
    request_.budget_bytes = least + (Judge(kept).verdict.peak_bytes() - least) / 4;
  }

  Fit Judge(const optimizer::Program& program) {
    absl::StatusOr<Fit> fit = optimizer::FitProgram(*graph_, costs_, program, request_.budget_bytes);
    EXPECT_TRUE(fit.ok()) << fit.status();
    return fit.ok() ? *std::move(fit) : Fit();
  }

  PlanResult Plan(absl::string_view planner) {
    absl::StatusOr<PlanResult> result = PlanWithTiers(*FindPlanner(planner), request_, nullptr, nullptr);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : PlanResult();
  }

  // Infinity without a plan.
  double Seconds(const PlanResult& result) {
    if (result.program.empty()) return std::numeric_limits<double>::infinity();
    const Fit fit = Judge(result.program);
    const optimizer::Simulation& simulation = fit.verdict.simulation;
    EXPECT_LE(fit.fit_bytes, request_.budget_bytes);
    if (request_.host_limit_bytes > 0) {
      EXPECT_LE(simulation.host_peak_bytes, request_.host_limit_bytes);
    }
    EXPECT_LE(simulation.disk_peak_bytes, request_.disk_limit_bytes);
    EXPECT_LE(result.bound_seconds, simulation.seconds * (1 + 1e-9));
    if (result.status == PlanStatus::kOptimal && result.bound_seconds > 0) {
      EXPECT_LE(simulation.seconds, result.bound_seconds * (1 + kOptimalGap));
    }
    used_disk_ += simulation.disk_peak_bytes > 0;
    return simulation.seconds;
  }

  std::optional<optimizer::Graph> graph_;
  optimizer::Costs costs_;
  PlanRequest request_;
  int used_disk_ = 0;
};

TEST_F(TiersTest, ADiskIsNeverWorseThanNoneNorBetterThanALargeHost) {
  int better = 0;
  for (const char* planner : {"swap-only", "str", "capuchin"}) {
    SCOPED_TRACE(planner);
    Load(/*seed=*/2, /*slowness=*/2);
    const PlanResult free = Plan(planner);
    ASSERT_FALSE(free.program.empty());
    const double large_host = Seconds(free);
    request_.host_limit_bytes = std::max<int64_t>(1, Judge(free.program).verdict.simulation.host_peak_bytes / 4);
    const double host_only = Seconds(Plan(planner));
    request_.disk_limit_bytes = int64_t{1} << 40;
    const double both = Seconds(Plan(planner));
    EXPECT_LE(both, host_only * (1 + 1e-9));
    EXPECT_LT(both, std::numeric_limits<double>::infinity());
    // Searches are not exhaustive: a plan for less can be the better one by chance.
    EXPECT_GE(both, large_host * 0.97);
    better += both < host_only * 0.999;
  }
  EXPECT_GT(used_disk_, 0);
  EXPECT_GT(better, 0) << "nowhere did the disk help";
}

// The planner "str", which notes what it is asked.
class WatchedPlanner : public Planner {
 public:
  absl::string_view name() const override { return "watched"; }
  absl::string_view description() const override { return "for this test"; }
  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override {
    gaps.push_back(request.gap);
    return FindPlanner("str")->Plan(request, progress, stop);
  }

  // Of each call.
  mutable std::vector<double> gaps;
};

TEST_F(TiersTest, TheHostAloneIsNotTriedWhereItCannotHelp) {
  for (const bool disk_is_fast : {true, false}) {
    Load(/*seed=*/1, disk_is_fast ? 3 : 1e4);
    // So that copying is better than recomputing.
    for (double* rate : {&costs_.copy_out_bytes_per_second, &costs_.copy_in_bytes_per_second,
                         &costs_.disk_write_bytes_per_second, &costs_.disk_read_bytes_per_second}) {
      *rate *= 4;
    }
    request_.host_limit_bytes = 1 << 10;
    request_.disk_limit_bytes = int64_t{1} << 40;
    const WatchedPlanner planner;
    const absl::StatusOr<PlanResult> result = PlanWithTiers(planner, request_, nullptr, nullptr);
    ASSERT_TRUE(result.ok()) << result.status();
    Seconds(*result);
    EXPECT_EQ(planner.gaps.size(), disk_is_fast ? 2 : 3);
    EXPECT_EQ(used_disk_ > 0, disk_is_fast);
    used_disk_ = 0;
  }
}

TEST_F(TiersTest, WhatFitsTheHostIsPlannedAsFinelyAsAsked) {
  int asked_again = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    Load(seed, /*slowness=*/2);
    request_.gap = 1e-4;
    request_.host_limit_bytes = request_.disk_limit_bytes = int64_t{1} << 40;
    const WatchedPlanner planner;
    const absl::StatusOr<PlanResult> result = PlanWithTiers(planner, request_, nullptr, nullptr);
    ASSERT_TRUE(result.ok()) << result.status();
    if (Seconds(*result) <= result->bound_seconds * (1 + request_.gap)) continue;
    ++asked_again;
    EXPECT_EQ(planner.gaps.back(), request_.gap);
  }
  EXPECT_GT(asked_again, 0);
}

TEST_F(TiersTest, TheSmallestBudgetIsOneWithBothTiers) {
  Load(2, /*slowness=*/4, /*layers=*/3);
  request_.host_limit_bytes = 1 << 20;
  request_.disk_limit_bytes = int64_t{1} << 40;
  request_.budget_bytes = 1;
  const PlanResult none = Plan("swap-only");
  EXPECT_EQ(none.status, PlanStatus::kInfeasible);
  ASSERT_GT(none.min_budget_bytes, 0);
  request_.budget_bytes = none.min_budget_bytes;
  EXPECT_LT(Seconds(Plan("swap-only")), std::numeric_limits<double>::infinity());
}

TEST_F(TiersTest, WithoutBothLimitsItIsThePlannersOwnPlan) {
  Load(1, /*slowness=*/2);
  const optimizer::Program own = FindPlanner("swap-only")->Plan(request_, nullptr, nullptr)->program;
  EXPECT_EQ(Plan("swap-only").program, own);
  request_.disk_limit_bytes = int64_t{1} << 40;
  EXPECT_EQ(Plan("swap-only").program, own);
  request_.host_limit_bytes = int64_t{1} << 40;
  EXPECT_EQ(Plan("swap-only").program, own) << "the host has room for all of it";
}

TEST_F(TiersTest, ADiskOfUnknownSpeedIsAnError) {
  Load(1, /*slowness=*/2);
  costs_.disk_read_bytes_per_second = 0;
  request_.host_limit_bytes = request_.disk_limit_bytes = 1 << 20;
  EXPECT_THAT(std::string(PlanWithTiers(*FindPlanner("str"), request_, nullptr, nullptr).status().message()),
              ::testing::HasSubstr("has a disk"));
  EXPECT_TRUE(PlanWithTiers(*FindPlanner("recompute-only"), request_, nullptr, nullptr).ok());
}

}  // namespace
}  // namespace str::strategies
