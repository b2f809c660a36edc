// Thousands of damaged graph and strategy files: each is read or refused, none may crash, hang or be read and then
// written as something else. STR_FUZZ_SEED=N repeats a run.
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include "config/graph_io.h"
#include "config/status_testing.h"
#include "config/strategy_against_graph.h"
#include "config/strategy_io.h"
#include "config/test_examples.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

using ::google::protobuf::util::MessageDifferencer;

constexpr int kMutations = 5000;

unsigned Seed() {
  static const unsigned seed = [] {
    const char* given = std::getenv("STR_FUZZ_SEED");
    const unsigned chosen = given != nullptr ? std::strtoul(given, nullptr, 10) : std::random_device()();
    std::cout << "STR_FUZZ_SEED=" << chosen << std::endl;
    return chosen;
  }();
  return seed;
}

// Changes, removes, doubles or moves some bytes. Digits are favoured: they make texts that still parse.
std::string Mutate(std::string text, std::mt19937* random) {
  const int changes = 1 + (*random)() % 4;
  for (int i = 0; i < changes && !text.empty(); ++i) {
    const size_t at = (*random)() % text.size();
    const size_t length = 1 + (*random)() % 40;
    switch ((*random)() % 6) {
      case 0:
        text[at] = static_cast<char>((*random)());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert((*random)() % text.size(), text.substr(at, length));
        break;
      case 4:
        text.resize(at);
        break;
      default:
        if (const size_t digit = text.find_first_of("0123456789", at); digit != std::string::npos) {
          text.replace(digit, 1, std::to_string((*random)() % 100));
        }
        break;
    }
  }
  return text;
}

TEST(ParserFuzzTest, Graphs) {
  std::mt19937 random(Seed());
  const std::string good = GraphText(ExampleGraph());
  int accepted = 0;
  for (int i = 0; i < kMutations; ++i) {
    const std::string text = Mutate(good, &random);
    const absl::StatusOr<GraphFile> graph = ParseGraph(text, "fuzz");
    if (!graph.ok()) {
      ASSERT_TRUE(IsInvalid(graph.status(), "fuzz")) << text;
      continue;
    }
    ++accepted;
    const absl::StatusOr<GraphFile> again = ParseGraph(GraphText(*graph), "again");
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
    ASSERT_TRUE(MessageDifferencer::Equals(*again, *graph)) << text;
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, kMutations);
}

TEST(ParserFuzzTest, Strategies) {
  std::mt19937 random(Seed() + 1);
  const GraphFile graph = ExampleGraph();
  const std::string good = StrategyText(ExampleStrategy());
  int accepted = 0;
  for (int i = 0; i < kMutations; ++i) {
    const std::string text = Mutate(good, &random);
    const absl::StatusOr<StrategyFile> strategy = ParseStrategy(text, "fuzz");
    if (!strategy.ok()) {
      ASSERT_TRUE(IsInvalid(strategy.status(), "fuzz")) << text;
      continue;
    }
    ++accepted;
    CheckStrategyAgainstGraph(*strategy, graph).IgnoreError();
    const absl::StatusOr<StrategyFile> again = ParseStrategy(StrategyText(*strategy), "again");
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
    ASSERT_TRUE(MessageDifferencer::Equals(*again, *strategy)) << text;
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, kMutations);
}

}  // namespace
}  // namespace str::config
