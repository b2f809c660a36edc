#include "strategies/checkmate/yardstick.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "strategies/checkmate/passes.h"
#include "strategies/checkmate/retention.h"

namespace str::strategies {
namespace {

using optimizer::Graph;
using ::testing::HasSubstr;

constexpr int64_t kAlwaysBytes = 7;

// Layers 0..n-1, the loss n, and 2n - i the gradient of layer i, of a byte and a nanosecond each.
optimizer::GraphBuilder UnitChainFile(int layers) {
  optimizer::GraphBuilder builder(kAlwaysBytes);
  for (int i = 0; i <= 2 * layers; ++i) {
    std::vector<std::string> inputs;
    if (i > 0) inputs.push_back(absl::StrCat("n", i - 1, ":0"));
    if (i > layers) inputs.push_back(absl::StrCat("n", 2 * layers - i, ":0"));
    builder.Add(absl::StrCat("n", i), inputs, {1});
  }
  return builder;
}

struct Expected {
  int layers;
  int64_t all_peak, all_cost, last_peak, last_cost;
};

// The figures that Checkmate's artifact prints for chains.
TEST(YardstickTest, ProgramsOfChainsCostAsInCheckmate) {
  for (const Expected& expected : {Expected{4, 6, 9, 3, 19}, Expected{8, 10, 17, 3, 53}, Expected{16, 18, 33, 3, 169},
                                   Expected{32, 34, 65, 3, 593}}) {
    SCOPED_TRACE(expected.layers);
    optimizer::GraphBuilder builder = UnitChainFile(expected.layers);
    const Graph graph = builder.Build();
    const optimizer::Costs costs = optimizer::MeasuredCosts(builder.file());
    const absl::StatusOr<CheckmateFigures> all =
        EvaluateProgramAsCheckmate(graph, costs, KeepAll(graph, CapturedOrder(graph)));
    ASSERT_TRUE(all.ok()) << all.status();
    EXPECT_EQ(all->peak_bytes, expected.all_peak + kAlwaysBytes);
    EXPECT_NEAR(all->seconds, 1e-9 * expected.all_cost, 1e-15);

    const StagedGraph staged(graph, costs, CapturedOrder(graph), {});
    const StageMatrix held = HoldLast(staged, FindPasses(staged, &graph));
    const absl::StatusOr<CheckmateFigures> last =
        EvaluateProgramAsCheckmate(graph, costs, ProgramOf(graph, staged, LeastComputed(staged, held)));
    ASSERT_TRUE(last.ok()) << last.status();
    EXPECT_EQ(last->peak_bytes, expected.last_peak + kAlwaysBytes);
    EXPECT_NEAR(last->seconds, 1e-9 * expected.last_cost, 1e-15);
  }
}

// The judge sees that d ends up in the buffer of c, and the temporary memory of b; Checkmate's evaluator neither.
TEST(YardstickTest, KnowsValuesOnly) {
  optimizer::GraphBuilder builder;
  builder.Add("a", {}, {100});
  builder.Add("b", {"a:0"}, {10})->set_temporary_bytes(500);
  builder.Add("c", {"b:0"}, {300});
  builder.Add("d", {"c:0"}, {300})->mutable_output(0)->add_forwards_input(0);
  const Graph graph = builder.Build();
  const optimizer::Costs costs = optimizer::MeasuredCosts(builder.file());
  const optimizer::Program program = optimizer::ParseProgram(graph, "a b c d");
  EXPECT_EQ(optimizer::Judge(graph, costs, program)->peak_bytes(), 610);
  EXPECT_EQ(EvaluateProgramAsCheckmate(graph, costs, program)->peak_bytes, 600);
}

TEST(YardstickTest, SwapsHaveNoMeaning) {
  optimizer::GraphBuilder builder = UnitChainFile(2);
  const Graph graph = builder.Build();
  const absl::Status status =
      EvaluateProgramAsCheckmate(graph, optimizer::MeasuredCosts(builder.file()),
                                 optimizer::ParseProgram(graph, "n0 n1 out:n0:0 n2 wait:n0:0 n3 in:n0:0 n4"))
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("swap_out \"n0:0\""));
}

}  // namespace
}  // namespace str::strategies
