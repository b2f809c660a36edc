#include "optimizer/importers/mksch_text.h"

#include "absl/strings/str_cat.h"
#include "config/status_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/importers/graph_reader.h"

namespace str::optimizer {
namespace {

using ::testing::ElementsAre;

// x (leaf 0) -> conv -> 2 -> relu -> 1; the relu is listed first.
constexpr char kExample[] =
    "4 4\n"
    "0 100 _\n"
    "3 10 /conv/W\n"
    "1 5000000000 _\n"
    "2 200 _\n"
    "forward\n1 1\n2 _\n1\nReLU\n{\"rank\": 1}\n"
    "forward\n2 1\n0 _\n3 _\n2\nConvolution2DFunction\n{}\n"
    "backward\n2 1\n1 gradient\n1 output\n2\nReLU\n{}\n"
    "backward\n3 2\n2 gradient\n0 input\n3 input\n0\n3\nConvolution2DFunction\n{}\n";

TEST(MkschTextTest, ReadsVariablesAndFunctions) {
  ASSERT_TRUE(LooksLikeMksch(kExample));
  const absl::StatusOr<MkschGraph> graph = ParseMksch(kExample);
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->variables.size(), 4);
  EXPECT_EQ(graph->variables[1].bytes, 5000000000);
  EXPECT_EQ(graph->variables[1].producer, 0);
  EXPECT_EQ(graph->variables[3].name, "/conv/W");
  EXPECT_TRUE(graph->variables[3].leaf());
  ASSERT_EQ(graph->functions.size(), 4);
  EXPECT_EQ(graph->functions[1].type, "Convolution2DFunction");
  EXPECT_TRUE(graph->functions[2].inputs[0].gradient);
  EXPECT_FALSE(graph->functions[2].inputs[1].gradient);
  EXPECT_THAT(graph->functions[3].outputs, ElementsAre(0, 3));
  EXPECT_THAT(ForwardOrder(*graph), ElementsAre(1, 0));
}

TEST(MkschTextTest, IsToldFromOtherFiles) {
  EXPECT_FALSE(LooksLikeMksch("format_version: 1"));
  EXPECT_FALSE(LooksLikeMksch("{\"nodes\": []}"));
  EXPECT_FALSE(LooksLikeMksch(""));
  EXPECT_TRUE(LooksLikeMksch("  86 92\nnonsense"));
}

// `from` occurs once and becomes `to`.
absl::Status Broken(absl::string_view from, absl::string_view to) {
  const std::string text = kExample;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return ParseMksch(absl::StrCat(text.substr(0, at), to, text.substr(at + from.size()))).status();
}

TEST(MkschTextTest, SaysInWhichLineWhatIsWrong) {
  using config::IsInvalid;
  EXPECT_TRUE(IsInvalid(Broken("4 4", "4 3"), "line 1: 3 functions; for every forward function"));
  EXPECT_TRUE(IsInvalid(Broken("4 4", "4 -4"), "line 1: \"4 -4\" is not how many variables"));
  EXPECT_TRUE(IsInvalid(Broken("3 10 /conv/W", "3 ten W"), "line 3: \"3 ten W\" is not a variable"));
  EXPECT_TRUE(IsInvalid(Broken("3 10", "9 10"), "line 3: variable 9, but the 4 variables are counted from 0"));
  EXPECT_TRUE(IsInvalid(Broken("3 10", "0 10"), "line 3: a second variable 0"));
  EXPECT_TRUE(IsInvalid(Broken("3 10", "3 -10"), "line 3: variable 3 has -10 bytes"));
  EXPECT_TRUE(IsInvalid(Broken("forward", "sideways"), "line 6: \"sideways\" where \"forward\" should be: function 0"));
  EXPECT_TRUE(IsInvalid(Broken("backward", "forward"), "line 19: \"forward\" where \"backward\" should be"));
  EXPECT_TRUE(IsInvalid(Broken("1 1\n2 _", "1 2\n2 _"), "there is no variable \"ReLU\""));
  EXPECT_TRUE(IsInvalid(Broken("2 _\n1", "7 _\n1"), "line 8: there is no variable \"7\""));
  EXPECT_TRUE(IsInvalid(Broken("2 _\n1", "2 gradient\n1"), "line 8: \"gradient\" is no kind of input"));
  EXPECT_TRUE(IsInvalid(Broken("1 gradient", "1 _"), "line 21: \"_\" is no kind of input; a backward function has"));
  EXPECT_TRUE(IsInvalid(Broken("1 gradient", "0 gradient"), "takes the gradient of variable 0, but its forward"));
  EXPECT_TRUE(IsInvalid(Broken("1 output\n2", "1 output\n3"), "line 25: backward function 2: makes the gradient"));
  EXPECT_TRUE(IsInvalid(Broken("{\"rank\": 1}", "rank 1"), "line 11: no JSON object"));
  EXPECT_TRUE(IsInvalid(Broken("ReLU\n{", "\n{"), "line 10: an empty line where the function's type should be"));
  EXPECT_TRUE(IsInvalid(Broken("3 _\n2", "3 _\n1"), "variable 1 is made by function 0 and again by function 1"));
  EXPECT_TRUE(IsInvalid(Broken("2 1\n0 _\n3 _", "3 1\n0 _\n3 _\n1 _"), "which follows from its own output"));
  EXPECT_TRUE(
      IsInvalid(ParseMksch(absl::StrCat(kExample, "forward\n")).status(), "there is more than the 4 functions"));
  const std::string text = kExample;
  EXPECT_TRUE(IsInvalid(ParseMksch(text.substr(0, text.size() - 4)).status(),
                        "the file ends where the function's attributes should be"));
  EXPECT_TRUE(IsInvalid(ParseAnyGraph("1 2\n", "cg.txt", kDefaultCostUnit).status(), "cg.txt: line 2: the file ends"));
}

}  // namespace
}  // namespace str::optimizer
