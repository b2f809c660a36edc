#include "strategies/kusumoto/forward_part.h"

#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::strategies::kusumoto {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ForwardPartTest : public ::testing::Test {
 protected:
  ForwardPart Find() {
    graph_.emplace(b_.Build());
    costs_ = optimizer::MeasuredCosts(b_.file());
    request_.graph = &*graph_;
    request_.costs = &costs_;
    return FindForwardPart(request_, optimizer::CapturedOrder(*graph_));
  }
  bool Backward(const ForwardPart& part, absl::string_view name) { return part.backward[graph_->FindNode(name)]; }
  int ValueOf(const ForwardPart& part, absl::string_view name) { return part.value_of[graph_->FindNode(name)]; }

  optimizer::GraphBuilder b_{1000};
  std::optional<optimizer::Graph> graph_;
  optimizer::Costs costs_;
  PlanRequest request_;
};

TEST_F(ForwardPartTest, TheGraphMaySayWhatIsBackward) {
  b_.Add("a", {}, {10}, 200);
  b_.Add("b", {"a:0"}, {20}, 300);
  b_.Add("d_b", {"b:0"}, {20})->set_recompute(config::RECOMPUTE_NOT_WANTED);
  b_.Add("update", {"d_b:0"}, {1});
  const ForwardPart part = Find();
  EXPECT_TRUE(Backward(part, "d_b"));
  EXPECT_TRUE(Backward(part, "update"));
  ASSERT_EQ(part.values.size(), 2);
  EXPECT_EQ(part.values[0].bytes, 10);
  EXPECT_EQ(part.values[0].kept_bytes, 10);
  EXPECT_EQ(part.values[0].kept_time, 1);
  EXPECT_THAT(part.values[0].consumers, ElementsAre(1));
  EXPECT_THAT(part.values[1].inputs, ElementsAre(0));
  EXPECT_EQ(part.fixed_bytes, 1000);
}

TEST_F(ForwardPartTest, OrItsNamesDo) {
  b_.Add("conv", {}, {10});
  b_.Add("gradient_tape/model/conv", {"conv:0"}, {20});
  b_.Add("Adam/update", {"gradient_tape/model/conv:0"}, {1});
  b_.Add("accuracy", {"conv:0"}, {1});
  const ForwardPart part = Find();
  EXPECT_FALSE(Backward(part, "conv"));
  EXPECT_TRUE(Backward(part, "gradient_tape/model/conv"));
  EXPECT_TRUE(Backward(part, "Adam/update"));
  // Nothing backward needs it.
  EXPECT_FALSE(Backward(part, "accuracy"));
  EXPECT_EQ(ValueOf(part, "accuracy"), -1);
}

TEST_F(ForwardPartTest, OrItIsWhatComesAfterMostIsInUse) {
  b_.Add("a", {}, {10});
  b_.Add("b", {"a:0"}, {20});
  b_.Add("c", {"b:0"}, {30});
  b_.Add("d", {"c:0", "b:0"}, {5});
  b_.Add("e", {"d:0"}, {5});
  const ForwardPart part = Find();
  EXPECT_FALSE(Backward(part, "c"));
  EXPECT_TRUE(Backward(part, "e"));
}

TEST_F(ForwardPartTest, WhatSharesABufferIsOneValueAndWhatMustNotRunAgainIsNone) {
  b_.Add("mask", {}, {7})->set_recompute(config::RECOMPUTE_RANDOM);
  b_.Add("a", {"mask:0"}, {10});
  b_.AddView("view", "a:0", 10);
  b_.Add("relu", {"view:0"}, {30});
  b_.Add("in_place", {"relu:0"}, {30})->mutable_output(0)->add_forwards_input(0);
  b_.Add("d", {"in_place:0"}, {5})->set_recompute(config::RECOMPUTE_NOT_WANTED);
  ForwardPart part = Find();
  EXPECT_EQ(ValueOf(part, "mask"), -1);
  EXPECT_EQ(ValueOf(part, "a"), 0);
  EXPECT_EQ(ValueOf(part, "view"), 0);
  EXPECT_EQ(ValueOf(part, "relu"), 1);
  EXPECT_EQ(ValueOf(part, "in_place"), 1);
  EXPECT_EQ(part.values[0].kept_bytes, 10);
  EXPECT_EQ(part.values[1].bytes, 30);
  EXPECT_EQ(part.fixed_bytes, 1007);
  request_.pins.assign(graph_->tensor_count(), Pin::kFree);
  request_.pins[graph_->node(graph_->FindNode("relu")).first_tensor] = Pin::kKeep;
  part = Find();
  EXPECT_EQ(ValueOf(part, "relu"), -1);
  EXPECT_EQ(part.fixed_bytes, 1037);
}

TEST_F(ForwardPartTest, OddTimesAreRounded) {
  b_.Add("a", {}, {10}, 1000003);
  b_.Add("b", {"a:0"}, {10}, 3000017);
  b_.Add("c", {"b:0"}, {10}, 1);
  b_.Add("d", {"c:0"}, {5})->set_recompute(config::RECOMPUTE_NOT_WANTED);
  const ForwardPart part = Find();
  ASSERT_EQ(part.values.size(), 3);
  EXPECT_EQ(part.values[0].kept_time, 256);
  EXPECT_EQ(part.values[1].kept_time, 768);
}

TEST_F(ForwardPartTest, LongGraphsAreCondensed) {
  b_.Add("n0", {}, {10});
  for (int i = 1; i < 1000; ++i) b_.Add(absl::StrCat("n", i), {absl::StrCat("n", i - 1, ":0")}, {10 + i % 7});
  b_.Add("d", {"n999:0"}, {5})->set_recompute(config::RECOMPUTE_NOT_WANTED);
  const ForwardPart part = Find();
  ASSERT_EQ(part.values.size(), kMostValues);
  EXPECT_THAT(part.values[0].inputs, IsEmpty());
  for (int i = 1; i < kMostValues; ++i) EXPECT_THAT(part.values[i].inputs, ElementsAre(i - 1));
}

}  // namespace
}  // namespace str::strategies::kusumoto
