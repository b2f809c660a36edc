#include "optimizer/explain/explanation.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::optimizer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A chain forward and back: big is needed at the start and at the end; memory is highest at wide. A byte is copied in a
// nanosecond.
class ExplainTest : public ::testing::Test {
 protected:
  ExplainTest() {
    b_.Add("big", {}, {1000}, 100);
    b_.Add("small", {"big:0"}, {10}, 5000);
    b_.Add("wide", {"small:0"}, {3000}, 5000);
    b_.Add("back", {"wide:0", "small:0"}, {10}, 5000);
    b_.Add("end", {"back:0", "big:0"}, {10}, 100);
  }

  Explanation Of(const std::string& program, int64_t budget_bytes) {
    graph_ = std::make_unique<Graph>(b_.Build());
    absl::StatusOr<Explanation> explanation =
        Explain(*graph_, MeasuredCosts(b_.file()), ParseProgram(*graph_, program), budget_bytes);
    EXPECT_TRUE(explanation.ok()) << explanation.status();
    return explanation.ok() ? *std::move(explanation) : Explanation();
  }

  GraphBuilder b_;
  std::unique_ptr<Graph> graph_;
};

TEST_F(ExplainTest, Kept) {
  const Explanation explanation = Of("big small wide back end", 5000);
  ASSERT_EQ(explanation.tensors.size(), 5);
  EXPECT_EQ(graph_->name(explanation.peak_node), "back");
  const TensorFate& big = explanation.tensors[0];
  EXPECT_EQ(big.Fate(), "kept");
  EXPECT_TRUE(big.live_at_peak);
  EXPECT_DOUBLE_EQ(big.made_seconds, 100e-9);
  EXPECT_DOUBLE_EQ(big.last_use_seconds, 15200e-9);
  EXPECT_EQ(big.reason,
            "live at the peak: 10.0 us between its uses there, 2.0 us of copies, at least 0.1 us to recompute");
  EXPECT_THAT(explanation.tensors[2].reason, HasSubstr("in use at the peak, by \"back\""));
  EXPECT_EQ(explanation.tensors[4].reason, "not live at the peak");
  EXPECT_EQ(explanation.tensors[4].peak_without_bytes, explanation.verdict.peak_bytes());
}

TEST_F(ExplainTest, SwappedBehindComputing) {
  const Explanation explanation = Of("big out:big:0 small wait:big:0 wide back in:big:0 end", 3500);
  const TensorFate& big = explanation.tensors[0];
  EXPECT_EQ(big.Fate(), "swapped");
  EXPECT_FALSE(big.live_at_peak);
  EXPECT_DOUBLE_EQ(big.copy_seconds, 2000e-9);
  // Out beside small; in only when back is done, so end waits for all of it.
  EXPECT_NEAR(big.waiting_seconds, 1000e-9, 1e-12);
  EXPECT_NEAR(big.costs_seconds, 1000e-9, 1e-12);
  EXPECT_EQ(big.peak_without_bytes - explanation.verdict.peak_bytes(), 1000);
  EXPECT_EQ(big.reason, "waits 1.0 us for copies of 2.0 us; kept, the peak would be 1000 B higher, above the budget");
  const Explanation hidden = Of("big out:big:0 small wait:big:0 wide in:big:0 back end", 4500);
  EXPECT_THAT(hidden.tensors[0].reason,
              AllOf(StartsWith("2.0 us of copies hidden behind computing"), HasSubstr("the same")));
}

TEST_F(ExplainTest, Recomputed) {
  const Explanation explanation = Of("big small wide back again:big end", 6000);
  const TensorFate& big = explanation.tensors[0];
  EXPECT_EQ(big.Fate(), "recomputed");
  EXPECT_NEAR(big.costs_seconds, 100e-9, 1e-12);
  EXPECT_EQ(big.reason, "recomputing costs 0.1 us; kept, the peak would be 1000 B higher, still within the budget");
}

TEST_F(ExplainTest, WhyItCannotBeRecomputed) {
  b_.file().mutable_node(0)->set_recompute(config::RECOMPUTE_RANDOM);
  EXPECT_THAT(Of("big small wide back end", 5000).tensors[0].reason,
              HasSubstr("must not be recomputed (RECOMPUTE_RANDOM)"));
}

TEST_F(ExplainTest, AProgramThatCannotRunIsAnError) {
  const Graph graph = b_.Build();
  EXPECT_FALSE(Explain(graph, MeasuredCosts(b_.file()), ParseProgram(graph, "big small wide back"), 5000).ok());
}

}  // namespace
}  // namespace str::optimizer
