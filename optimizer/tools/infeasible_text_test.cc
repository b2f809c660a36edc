#include "optimizer/tools/infeasible_text.h"

#include <numeric>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "config/text_units.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

int64_t Sum(const Bottleneck& bottleneck) {
  return std::accumulate(bottleneck.parts.begin(), bottleneck.parts.end(), int64_t{0},
                         [](int64_t sum, const Bottleneck::Part& part) { return sum + part.bytes; });
}

// Twelve tensors that "all" takes at once, with 7 temporary bytes; 500 bytes of variables, a node outside of the
// program with 30 bytes.
class InfeasibleTextTest : public ::testing::Test {
 protected:
  InfeasibleTextTest() : builder_(/*external_bytes=*/500) {
    std::vector<std::string> names;
    std::string program;
    for (int i = 0; i < 12; ++i) {
      const std::string name = absl::StrCat("t", i);
      builder_.Add(name, {}, {100 + i});
      names.push_back(name + ":0");
      absl::StrAppend(&program, name, " ");
    }
    builder_.Add("loop", {}, {30})->set_recompute(config::RECOMPUTE_CONTROL_FLOW);
    builder_.Add("all", names, {1})->set_temporary_bytes(7);
    graph_.emplace(builder_.Build());
    program_ = optimizer::ParseProgram(*graph_, absl::StrCat(program, "all"));
    absl::StatusOr<optimizer::Verdict> verdict =
        optimizer::Judge(*graph_, optimizer::MeasuredCosts(builder_.file()), program_);
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    verdict_ = *std::move(verdict);
  }

  optimizer::GraphBuilder builder_;
  std::optional<optimizer::Graph> graph_;
  optimizer::Program program_;
  optimizer::Verdict verdict_;
};

TEST_F(InfeasibleTextTest, ThePartsAddUpToTheSmallestBudget) {
  const int64_t peak = 500 + 30 + (12 * 100 + 66) + 1 + 7;
  ASSERT_EQ(verdict_.peak_bytes(), peak);
  EXPECT_EQ(Sum(FindBottleneck(*graph_, program_, verdict_, peak)), peak) << "not placed";
  EXPECT_EQ(Sum(FindBottleneck(*graph_, program_, verdict_, peak + 40)), peak + 40) << "placed";
}

TEST_F(InfeasibleTextTest, EveryKindOfMemoryIsNamed) {
  const int64_t budget = verdict_.peak_bytes() + 40;
  const Bottleneck bottleneck = FindBottleneck(*graph_, program_, verdict_, budget);
  EXPECT_EQ(bottleneck.largest_tensors.size(), 8);
  EXPECT_EQ(bottleneck.largest_tensors.front().what, "t11:0");
  const std::string text = InfeasibleText("str", 1000, budget, bottleneck);
  const auto line = [](int64_t bytes, const std::string& what) {
    return HasSubstr(absl::StrFormat("    %-40s %s\n", config::FormatBytes(bytes), what));
  };
  EXPECT_THAT(text, AllOf(line(500, "variables, arguments, constants"), line(111, "t11:0"),
                          line(100 + 101 + 102 + 103 + 1, "5 smaller tensors"), line(7, "temporary memory of the node"),
                          line(30, "tensors of nodes that stay outside of any plan"),
                          line(40, "gaps between buffers as they are placed")));
  EXPECT_THAT(text, AllOf(HasSubstr("the peak is at node \"all\""), HasSubstr("smallest feasible budget: ")));
  JsonObject json;
  AddBottleneck(bottleneck, &json);
  EXPECT_THAT(json.Text(), AllOf(HasSubstr("{\"tensor\": \"t11:0\", \"bytes\": 111}"),
                                 HasSubstr("{\"what\": \"temporary memory of the node\", \"bytes\": 7}")));
}

}  // namespace
}  // namespace str::tools
