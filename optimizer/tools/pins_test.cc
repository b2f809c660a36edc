#include "optimizer/tools/pins.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::tools {
namespace {

using strategies::Pin;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PinsTest : public ::testing::Test {
 protected:
  PinsTest() {
    b_.Add("conv1/Relu", {}, {10, 10});
    b_.Add("conv2/Relu", {"conv1/Relu:0"}, {10});
    b_.AddView("conv2/Reshape", "conv2/Relu:0", 10);
    b_.Add("end", {"conv1/Relu:0", "conv2/Reshape:0", "conv2/Relu:0"}, {1});
    b_.Add("noise", {}, {10})->set_recompute(config::RECOMPUTE_RANDOM);
  }

  std::string Refusal(const std::string& text) { return std::string(ParsePins({text}, b_.Build()).status().message()); }
  absl::Status Check(const std::vector<std::string>& pins, const std::string& program) {
    const optimizer::Graph graph = b_.Build();
    return CheckPins(graph, optimizer::ParseProgram(graph, program), *ParsePins(pins, graph));
  }

  optimizer::GraphBuilder b_;
};

TEST_F(PinsTest, ByRegularExpressionOfWhichLaterOnesWin) {
  const optimizer::Graph graph = b_.Build();
  EXPECT_THAT(*ParsePins({}, graph), IsEmpty());
  EXPECT_THAT(*ParsePins({"swap:conv.*Relu", "keep:conv1/Relu:1"}, graph),
              ElementsAre(Pin::kSwap, Pin::kKeep, Pin::kSwap, Pin::kSwap, Pin::kFree, Pin::kFree));
}

TEST_F(PinsTest, APinOnAViewCountsForItsBuffer) {
  EXPECT_THAT(*ParsePins({"recompute:Reshape"}, b_.Build()),
              ElementsAre(Pin::kFree, Pin::kFree, Pin::kRecompute, Pin::kRecompute, Pin::kFree, Pin::kFree));
}

TEST_F(PinsTest, WhatCannotBeMeantIsRefused) {
  EXPECT_THAT(Refusal("drop:conv1"), HasSubstr("must begin with keep:, swap: or recompute:"));
  EXPECT_THAT(Refusal("keep:conv9"), HasSubstr("no tensor matches \"conv9\""));
  EXPECT_THAT(Refusal("keep:conv("), HasSubstr("\"conv(\" is no regular expression"));
  EXPECT_THAT(Refusal("recompute:noise"), HasSubstr("\"noise\" may be recomputed"));
}

TEST_F(PinsTest, PlansAreHeldToThem) {
  const std::string swaps =
      "conv1/Relu out:conv1/Relu:0 conv2/Relu wait:conv1/Relu:0 conv2/Reshape in:conv1/Relu:0 end noise";
  const std::string recomputes = "conv1/Relu conv2/Relu conv2/Reshape again:conv1/Relu end noise";
  for (const std::string& program : {swaps, recomputes}) EXPECT_TRUE(Check({}, program).ok());
  EXPECT_TRUE(Check({"swap:conv1"}, swaps).ok());
  EXPECT_TRUE(Check({"recompute:conv1"}, recomputes).ok());
  EXPECT_TRUE(Check({"keep:conv2"}, recomputes).ok());
  EXPECT_THAT(Check({"keep:conv1"}, swaps).message(), HasSubstr("swaps \"conv1/Relu:0\", which --pin rules out"));
  EXPECT_THAT(Check({"recompute:conv1"}, swaps).message(), HasSubstr("swaps"));
  EXPECT_THAT(Check({"keep:conv1"}, recomputes).message(), HasSubstr("recomputes \"conv1/Relu:0\""));
  EXPECT_THAT(Check({"swap:conv1"}, recomputes).message(), HasSubstr("recomputes"));
}

TEST_F(PinsTest, ByProductsAndSourcesOfRerunsAreNoBreach) {
  // The rerun serves output 0, which is free; that it makes output 1 too is by the way.
  EXPECT_TRUE(Check({"keep:conv1/Relu:1"}, "conv1/Relu conv2/Relu conv2/Reshape again:conv1/Relu end noise").ok());
  // conv1 is made again for conv2 only, after its own last use.
  b_.Add("late", {"conv2/Relu:0"}, {1});
  EXPECT_TRUE(
      Check({"keep:conv1"}, "conv1/Relu conv2/Relu conv2/Reshape end noise again:conv1/Relu again:conv2/Relu late")
          .ok());
}

}  // namespace
}  // namespace str::tools
