#include "strategies/str/decoder.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::strategies {
namespace {

using optimizer::Costs;
using optimizer::Graph;
using optimizer::GraphBuilder;

constexpr int64_t kLarge = 1 << 20;

// Nodes in the captured order, reruns as "again:x", fetches as "in:x@earliest" before the compute that needs them.
std::string Text(const Problem& problem, const Draft& draft) {
  std::string text;
  size_t fetch = 0;
  for (size_t i = 0; i < draft.computes.size(); ++i) {
    for (; fetch < draft.fetches.size() && draft.fetches[fetch].deadline == static_cast<int>(i); ++fetch) {
      const Storage& storage = problem.storages()[draft.fetches[fetch].storage];
      absl::StrAppend(&text, "in:", problem.graph().name(storage.producer), "@", draft.fetches[fetch].earliest, " ");
    }
    absl::StrAppend(&text, draft.computes[i].again ? "again:" : "", problem.graph().name(draft.computes[i].node), " ");
  }
  for (const Draft::CopyOut& copy : draft.copies_out) {
    const Storage& storage = problem.storages()[copy.storage];
    absl::StrAppend(&text, "out:", problem.graph().name(storage.producer), "@", copy.produced, "-", copy.release, " ");
  }
  return text;
}

// Sets the mode of all units of the tensors named, and decodes.
std::string Decoded(GraphBuilder& builder, const std::vector<std::pair<std::string, Mode>>& modes) {
  const Graph graph = builder.Build();
  const Costs costs = optimizer::MeasuredCosts(builder.file());
  const Problem problem(&graph, &costs, optimizer::CapturedOrder(graph), ProblemOptions());
  Decisions decisions = problem.KeepEverything();
  for (const auto& [name, mode] : modes) {
    const int32_t storage = problem.storage_of(graph.node(graph.FindNode(name)).first_tensor);
    EXPECT_NE(storage, optimizer::kNone) << name;
    for (size_t u = 0; u < problem.units().size(); ++u) {
      const Unit& unit = problem.units()[u];
      if (unit.storage == storage && !unit.afterlife) decisions[u] = mode;
    }
  }
  Decoder decoder(&problem);
  Draft draft;
  EXPECT_TRUE(decoder.Decode(decisions, &draft));
  return Text(problem, draft);
}

// a -> b -> c -> d -> back_c(c) -> back_b(b) -> back_a(a)
GraphBuilder Chain() {
  GraphBuilder b;
  b.Add("a", {}, {kLarge});
  b.Add("b", {"a:0"}, {kLarge});
  b.Add("c", {"b:0"}, {kLarge});
  b.Add("d", {"c:0"}, {kLarge});
  b.Add("back_c", {"d:0", "c:0"}, {kLarge});
  b.Add("back_b", {"back_c:0", "b:0"}, {kLarge});
  b.Add("back_a", {"back_b:0", "a:0"}, {kLarge});
  return b;
}

TEST(DecoderTest, KeepAllRunsEverythingOnce) {
  GraphBuilder b = Chain();
  EXPECT_EQ(Decoded(b, {}), "a b c d back_c back_b back_a ");
}

TEST(DecoderTest, RecomputesFromWhatIsThere) {
  GraphBuilder b = Chain();
  EXPECT_EQ(Decoded(b, {{"b", Mode::kRecompute}}), "a b c d back_c again:b back_b back_a ");
}

TEST(DecoderTest, RecomputesThroughWhatIsNotThere) {
  GraphBuilder b = Chain();
  // b needs a, which is dropped too; kept from then on, a need not be made again for back_a.
  EXPECT_EQ(Decoded(b, {{"a", Mode::kRecompute}, {"b", Mode::kRecompute}}),
            "a b c d back_c again:a again:b back_b back_a ");
  EXPECT_EQ(Decoded(b, {{"a", Mode::kTransient}, {"b", Mode::kRecompute}}),
            "a b c d back_c again:a again:b back_b again:a back_a ");
}

TEST(DecoderTest, FetchesWhenFirstNeeded) {
  GraphBuilder b = Chain();
  EXPECT_EQ(Decoded(b, {{"a", Mode::kSwap}}), "a b c d back_c back_b in:a@2 back_a out:a@0-1 ");
  // A rerun inside the gap needs it earlier; then it stays.
  EXPECT_EQ(Decoded(b, {{"a", Mode::kSwap}, {"b", Mode::kRecompute}}),
            "a b c d back_c in:a@2 again:b back_b back_a out:a@0-1 ");
}

TEST(DecoderTest, DeadTensorsAreMadeAgainForReruns) {
  GraphBuilder b;
  b.Add("x", {}, {kLarge});
  b.Add("dead", {"x:0"}, {kLarge});
  b.Add("y", {"dead:0"}, {kLarge});
  b.Add("z", {"y:0"}, {kLarge});
  b.Add("z2", {"z:0"}, {kLarge});
  b.Add("back", {"z2:0", "y:0", "x:0"}, {kLarge});
  EXPECT_EQ(Decoded(b, {{"y", Mode::kRecompute}}), "x dead y z z2 again:dead again:y back ");
}

TEST(DecoderTest, WhatMustNotRunAgainIsHeldForReruns) {
  GraphBuilder b;
  b.Add("x", {}, {kLarge});
  b.Add("random", {"x:0"}, {kLarge})->set_recompute(config::RECOMPUTE_RANDOM);
  b.Add("y", {"random:0"}, {kLarge});
  b.Add("z", {"y:0"}, {kLarge});
  b.Add("z2", {"z:0"}, {kLarge});
  b.Add("back", {"z2:0", "y:0", "x:0"}, {kLarge});
  EXPECT_EQ(Decoded(b, {{"y", Mode::kRecompute}}), "x random y z z2 again:y back ");
}

TEST(DecoderTest, ViewsAreRestoredWithTheirStorage) {
  GraphBuilder b;
  b.Add("x", {}, {kLarge});
  b.AddView("v", "x:0", kLarge);
  b.AddView("vv", "v:0", kLarge);
  b.Add("y", {"vv:0"}, {kLarge});
  b.Add("z", {"y:0"}, {kLarge});
  b.Add("back", {"z:0", "vv:0"}, {kLarge});
  b.Add("back2", {"back:0", "vv:0"}, {kLarge});
  EXPECT_EQ(Decoded(b, {{"x", Mode::kSwap}}), "x v vv y z in:x@4 again:v again:vv back back2 out:x@0-3 ");
  EXPECT_EQ(Decoded(b, {{"x", Mode::kRecompute}}), "x v vv y z again:x again:v again:vv back back2 ");
}

TEST(DecoderTest, ByProductsOfARerunAreUsed) {
  GraphBuilder b;
  b.Add("x", {}, {kLarge});
  b.Add("pool", {"x:0"}, {kLarge, kLarge});
  b.Add("y", {"pool:0", "pool:1"}, {kLarge});
  b.Add("z", {"y:0"}, {kLarge});
  b.Add("back", {"z:0", "pool:0"}, {kLarge});
  b.Add("between", {"back:0"}, {kLarge});
  b.Add("back2", {"between:0", "pool:1", "x:0"}, {kLarge});
  const Graph graph = b.Build();
  const Costs costs = optimizer::MeasuredCosts(b.file());
  const Problem problem(&graph, &costs, optimizer::CapturedOrder(graph), ProblemOptions());
  Decisions decisions = problem.KeepEverything();
  for (size_t u = 0; u < problem.units().size(); ++u) {
    const optimizer::NodeId producer = problem.storages()[problem.units()[u].storage].producer;
    if (graph.name(producer) == "pool") decisions[u] = Mode::kRecompute;
  }
  Decoder decoder(&problem);
  Draft draft;
  ASSERT_TRUE(decoder.Decode(decisions, &draft));
  EXPECT_EQ(Text(problem, draft), "x pool y z again:pool back between back2 ");
}

TEST(ProblemTest, LeavesAloneWhatCannotOrNeedNotBeDecided) {
  GraphBuilder b;
  b.AddArgument("w", 8);
  b.Add("small", {}, {100});
  b.Add("result", {}, {kLarge});
  b.AddRead("read", "w", kLarge);
  b.Add("value", {"read:0"}, {kLarge});
  b.Add("random", {}, {kLarge})->set_recompute(config::RECOMPUTE_RANDOM);
  b.AddReplace("replace", "w", "value:0");
  b.AddResult("out", "result:0");
  b.Add("end", {"random:0", "small:0"}, {100});
  const Graph graph = b.Build();
  const Costs costs = optimizer::MeasuredCosts(b.file());
  ProblemOptions options;
  options.peak_bytes = 4 * kLarge;
  const Problem problem(&graph, &costs, optimizer::CapturedOrder(graph), options);
  ASSERT_EQ(problem.storages().size(), 1u);
  EXPECT_EQ(graph.name(problem.storages()[0].producer), "random");
  EXPECT_TRUE(problem.storages()[0].may_swap);
  EXPECT_FALSE(problem.storages()[0].may_recompute);
  ASSERT_EQ(problem.units().size(), 1u);
  EXPECT_FALSE(problem.Allows(problem.units()[0], Mode::kTransient));
}

TEST(ProblemTest, PinsRestrict) {
  GraphBuilder b = Chain();
  const Graph graph = b.Build();
  const Costs costs = optimizer::MeasuredCosts(b.file());
  std::vector<Pin> pins(graph.tensor_count(), Pin::kFree);
  pins[0] = Pin::kKeep;
  pins[1] = Pin::kSwap;
  pins[2] = Pin::kRecompute;
  ProblemOptions options;
  options.pins = &pins;
  const Problem problem(&graph, &costs, optimizer::CapturedOrder(graph), options);
  EXPECT_EQ(problem.storage_of(0), optimizer::kNone);
  EXPECT_TRUE(problem.storages()[problem.storage_of(1)].may_swap);
  EXPECT_FALSE(problem.storages()[problem.storage_of(1)].may_recompute);
  EXPECT_FALSE(problem.storages()[problem.storage_of(2)].may_swap);
  EXPECT_TRUE(problem.storages()[problem.storage_of(2)].may_recompute);
}

}  // namespace
}  // namespace str::strategies
