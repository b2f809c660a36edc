#include "tf_plugin/automatic/fetched_batch.h"

#include <string>
#include <vector>

#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tf_plugin/rewrite/step_function.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::automatic {
namespace {

using tensorflow::DataTypeVector;
using tensorflow::DT_FLOAT;
using tensorflow::Graph;
using tensorflow::PartialTensorShape;
using testing::FindNode;
using testing::GraphBuilder;
using testing::InputsOf;
using Strings = std::vector<std::string>;

const std::vector<PartialTensorShape> kShapes = {PartialTensorShape({-1, 8}), PartialTensorShape({-1})};

void AddFetch(GraphBuilder& b, const std::string& name, const Strings& inputs) {
  b.Add("IteratorGetNext", name, inputs,
        {{"output_types", DataTypeVector{DT_FLOAT, DT_FLOAT}}, {"output_shapes", kShapes}});
}

// Two fetches in a row, as steps_per_execution=2 has them, and one that waits for the step itself.
std::unique_ptr<Graph> BuildStep() {
  GraphBuilder b;
  b.Argument("iterator", tensorflow::DT_RESOURCE, PartialTensorShape({}));
  AddFetch(b, "first", {"iterator"});
  AddFetch(b, "second", {"iterator", "^first"});
  b.Add("Neg", "negative", {"first:0", "^second"});
  AddFetch(b, "late", {"iterator", "^negative"});
  b.Add("AddV2", "sum", {"second:1", "late:1"});
  b.Add("_Retval", "result", {"negative"}, {{"index", 0}});
  b.Add("_Retval", "other", {"sum"}, {{"index", 1}});
  b.graph();
  return b.Release();
}

TEST(FetchedBatch, BecomesArgumentsOfTheStep) {
  const auto graph = BuildStep();
  const auto inner = WithoutFetches(*graph);
  ASSERT_TRUE(inner.ok()) << inner.status();
  EXPECT_EQ(FindNode(**inner, "first"), nullptr);
  EXPECT_EQ(FindNode(**inner, "second"), nullptr);
  EXPECT_EQ(InputsOf(*FindNode(**inner, "negative")), Strings({"str/fetched/first_0:0"}));
  EXPECT_EQ(InputsOf(*FindNode(**inner, "sum")), Strings({"str/fetched/second_1:0", "late:1"}));
  int index = 0;
  EXPECT_OK(tensorflow::GetNodeAttr(FindNode(**inner, "str/fetched/second_1")->attrs(), "index", &index));
  EXPECT_EQ(index, 4);
  std::vector<PartialTensorShape> shapes;
  EXPECT_OK(tensorflow::GetNodeAttr(FindNode(**inner, "str/fetched/first_0")->attrs(), "_output_shapes", &shapes));
  EXPECT_TRUE(shapes[0].IsIdenticalTo(kShapes[0]));
}

TEST(FetchedBatch, StaysInsideWhereItWaitsForTheStep) {
  const auto graph = BuildStep();
  const auto inner = WithoutFetches(*graph);
  ASSERT_TRUE(inner.ok()) << inner.status();
  EXPECT_EQ(InputsOf(*FindNode(**inner, "late")), Strings({"iterator:0", "^negative"}));
}

TEST(FetchedBatch, IsFetchedBeforeTheStep) {
  const auto graph = BuildStep();
  const auto inner = WithoutFetches(*graph);
  ASSERT_TRUE(inner.ok()) << inner.status();
  const auto outer = rewrite::MakeOuterGraph("name", "StrAutomaticStep", **inner);
  ASSERT_TRUE(outer.ok()) << outer.status();
  EXPECT_OK(AddFetches(*graph, **outer));
  EXPECT_EQ(InputsOf(*FindNode(**outer, "str/step_name")),
            Strings({"iterator:0", "first:0", "first:1", "second:0", "second:1"}));
  EXPECT_EQ(InputsOf(*FindNode(**outer, "second")), Strings({"iterator:0", "^first"}));
  EXPECT_EQ(FindNode(**outer, "str/fetched/first_0"), nullptr);
}

}  // namespace
}  // namespace str::automatic
