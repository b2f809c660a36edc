#include "optimizer/testing/training_graph.h"

#include "config/graph_validator.h"
#include "gtest/gtest.h"
#include "optimizer/graph/graph.h"

namespace str::optimizer {
namespace {

TEST(TrainingGraphTest, IsValidAndOfTheSizeAskedFor) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TrainingGraphOptions options;
    options.seed = seed;
    options.layers = 10;
    const config::GraphFile file = RandomTrainingGraph(options);
    EXPECT_TRUE(config::ValidateGraph(file).ok()) << "seed " << seed << ": " << config::ValidateGraph(file);
    EXPECT_TRUE(Graph::FromFile(file).ok()) << "seed " << seed;
    EXPECT_GT(file.node_size(), 50);
    EXPECT_LT(file.node_size(), 150);
  }
}

TEST(TrainingGraphTest, SeedDecides) {
  TrainingGraphOptions options;
  options.seed = 7;
  const std::string first = RandomTrainingGraph(options).SerializeAsString();
  EXPECT_EQ(first, RandomTrainingGraph(options).SerializeAsString());
  options.seed = 8;
  EXPECT_NE(first, RandomTrainingGraph(options).SerializeAsString());
}

}  // namespace
}  // namespace str::optimizer
