#include "optimizer/importers/mksch_graph.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"

namespace str::optimizer {
namespace {

using ::testing::ElementsAre;

// x (leaf 0, weights 3) -> conv -> 1; 1 -> relu -> 2; 1 + 2 -> 4, so the gradient of 1 has two contributions.
constexpr char kExample[] =
    "5 6\n0 100 _\n1 30 _\n2 20 _\n3 10 /W\n4 7 _\n"
    "forward\n2 1\n0 _\n3 _\n1\nConvolution2DFunction\n{}\n"
    "forward\n1 1\n1 _\n2\nReLU\n{}\n"
    "forward\n2 1\n1 _\n2 _\n4\nAdd\n{}\n"
    "backward\n3 2\n1 gradient\n0 input\n3 input\n0\n3\nConvolution2DFunction\n{}\n"
    "backward\n2 1\n2 gradient\n2 output\n1\nReLU\n{}\n"
    "backward\n1 2\n4 gradient\n1\n2\nAdd\n{}\n";

TEST(MkschGraphTest, HasANodePerGradient) {
  const absl::StatusOr<MkschImport> import = ImportMksch(*ParseMksch(kExample), 1e-6);
  ASSERT_TRUE(import.ok()) << import.status();
  const config::GraphFile& file = import->file;
  std::vector<std::string> names;
  for (const config::Node& node : file.node()) names.push_back(node.name());
  EXPECT_THAT(names, ElementsAre("leaf/0/_", "leaf/3//W", "forward/0/Convolution2DFunction", "forward/1/ReLU",
                                 "forward/2/Add", "backward/5/Add/0", "backward/5/Add/1", "backward/4/ReLU",
                                 "backward/3/Convolution2DFunction"));
  EXPECT_EQ(file.node(2).time_ns(), 10000);
  EXPECT_EQ(file.node(3).time_ns(), 1000);
  EXPECT_EQ(file.node(6).time_ns(), 500);
  EXPECT_EQ(file.node(3).recompute(), config::RECOMPUTE_ALLOWED);
  EXPECT_EQ(file.node(7).recompute(), config::RECOMPUTE_NOT_WANTED);
  // The relu adds its part to what the addition made.
  EXPECT_THAT(file.node(7).input(), ElementsAre("backward/5/Add/1:0", "forward/1/ReLU:0", "backward/5/Add/0:0"));
  EXPECT_THAT(file.node(7).output(0).forwards_input(), ElementsAre(2));
  EXPECT_TRUE(file.node(8).output(1).external());
  EXPECT_EQ(import->nodes[0].function, -1);
  EXPECT_EQ(import->nodes[6].function, 5);
  EXPECT_THAT(import->nodes[6].outputs, ElementsAre(1));
  EXPECT_THAT(import->nodes[8].outputs, ElementsAre(0, 1));
}

// Values 1, 2 and 4 with the gradients of 1 and 2, leaves not counted: 30 + 20 while relu's backward runs, in the
// buffer that the addition's made.
TEST(MkschGraphTest, CountsValuesAndTheirGradients) {
  const absl::StatusOr<config::GraphFile> file = ParseAnyGraph(kExample, "cg.txt", absl::Microseconds(1));
  ASSERT_TRUE(file.ok()) << file.status();
  const Graph graph = *Graph::FromFile(*file);
  const absl::StatusOr<Verdict> verdict = Judge(graph, MeasuredCosts(*file), KeepAll(graph, CapturedOrder(graph)));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  // Conv's value is dropped after the addition; then gradients of 1 and 2 beside value 2.
  EXPECT_EQ(verdict->peak_bytes(), 30 + 20 + 20);
  EXPECT_NEAR(verdict->seconds(), 24e-6, 1e-12);
}

struct SharedGraph {
  const char* file;
  int forward;
  double forward_units;
  int64_t value_bytes;
};

class MkschSharedTest : public ::testing::TestWithParam<SharedGraph> {};

TEST_P(MkschSharedTest, HasTheSizesThatItsAuthorsSay) {
  const std::string path = SharedData(GetParam().file);
  if (path.empty()) GTEST_SKIP() << kNoSharedData;
  const absl::StatusOr<config::GraphFile> file = ReadAnyGraph(path, absl::Seconds(1));
  ASSERT_TRUE(file.ok()) << file.status();
  int forward = 0;
  int64_t bytes = 0, nanoseconds = 0;
  for (const config::Node& node : file->node()) {
    if (node.recompute() != config::RECOMPUTE_ALLOWED) continue;
    ++forward;
    bytes += node.output(0).bytes();
    nanoseconds += node.time_ns();
  }
  EXPECT_EQ(forward, GetParam().forward);
  EXPECT_EQ(bytes, GetParam().value_bytes);
  EXPECT_DOUBLE_EQ(nanoseconds * 1e-9, GetParam().forward_units);
}

INSTANTIATE_TEST_SUITE_P(All, MkschSharedTest,
                         ::testing::Values(SharedGraph{"mksch/cg_vgg19.txt", 46, 190, 4004508676},
                                           SharedGraph{"mksch/cg_unet.txt", 60, 231, 11781604356},
                                           SharedGraph{"mksch/cg_resnet50.txt", 176, 653, 4605604868}));

}  // namespace
}  // namespace str::optimizer
