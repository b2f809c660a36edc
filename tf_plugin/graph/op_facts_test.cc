#include "tf_plugin/graph/op_facts.h"

#include <string>

#include "gtest/gtest.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::graph {
namespace {

using tensorflow::DT_FLOAT;
using tensorflow::DT_INT32;
using tensorflow::Node;
using tensorflow::PartialTensorShape;

class OpFactsTest : public ::testing::Test {
 protected:
  OpFactsTest() {
    b_.Floats("x", {2, 2});
    b_.Ints("shape", {2, 2});
    b_.Variable("v", {2, 2});
  }

  testing::GraphBuilder b_;
};

TEST_F(OpFactsTest, PureOpsMayRunAgain) {
  EXPECT_EQ(RecomputeOf(*b_.Add("MatMul", "matmul", {"x", "x"})), config::RECOMPUTE_ALLOWED);
  EXPECT_EQ(RecomputeOf(*b_.Add("Relu", "relu", {"x"})), config::RECOMPUTE_ALLOWED);
}

TEST_F(OpFactsTest, ArgumentsConstantsAndResultsAreExternal) {
  EXPECT_EQ(RecomputeOf(*b_.Find("x")), config::RECOMPUTE_EXTERNAL);
  EXPECT_EQ(RecomputeOf(*b_.Argument("arg", DT_FLOAT, PartialTensorShape({2}))), config::RECOMPUTE_EXTERNAL);
  EXPECT_EQ(RecomputeOf(*b_.Add("_Retval", "ret", {"x"}, {{"index", 0}})), config::RECOMPUTE_EXTERNAL);
}

TEST_F(OpFactsTest, ReadsAndUpdatesOfVariablesMayNotRunAgain) {
  Node* const read = b_.Add("ReadVariableOp", "read", {"v"}, {{"dtype", DT_FLOAT}});
  EXPECT_EQ(VariableUseOf(*read), config::VARIABLE_READ);
  EXPECT_EQ(RecomputeOf(*read), config::RECOMPUTE_READS_VARIABLE);

  Node* const assign = b_.Add("AssignVariableOp", "assign", {"v", "x"});
  EXPECT_EQ(VariableUseOf(*assign), config::VARIABLE_REPLACE);
  EXPECT_EQ(RecomputeOf(*assign), config::RECOMPUTE_ASSIGNS_VARIABLE);

  b_.Constant("rate", tensorflow::Tensor(0.1f));
  const Node* const updates[] = {b_.Add("AssignSubVariableOp", "sub", {"v", "x"}),
                                 b_.Add("AssignAddVariableOp", "add", {"v", "x"}),
                                 b_.Add("ResourceApplyGradientDescent", "sgd", {"v", "rate", "x"}),
                                 b_.Add("ResourceScatterAdd", "scatter", {"v", "shape", "x"})};
  for (const Node* update : updates) {
    EXPECT_EQ(VariableUseOf(*update), config::VARIABLE_UPDATE) << update->name();
    EXPECT_EQ(RecomputeOf(*update), config::RECOMPUTE_ASSIGNS_VARIABLE) << update->name();
    EXPECT_EQ(VariableOf(*update), b_.Find("v")) << update->name();
  }
}

TEST_F(OpFactsTest, AVariableIsFoundBehindIdentities) {
  b_.Add("Identity", "pass1", {"v"});
  b_.Add("Identity", "pass2", {"pass1"});
  EXPECT_EQ(VariableOf(*b_.Add("ReadVariableOp", "read", {"pass2"}, {{"dtype", DT_FLOAT}})), b_.Find("v"));
  EXPECT_EQ(VariableOf(*b_.Find("pass2")), nullptr);
  EXPECT_EQ(VariableOf(*b_.Find("x")), nullptr);
}

TEST_F(OpFactsTest, RandomNumbersMayBeDrawnAgainOnlyFromAKey) {
  EXPECT_EQ(RecomputeOf(*b_.Add("RandomUniform", "random", {"shape"}, {{"dtype", DT_FLOAT}})),
            config::RECOMPUTE_RANDOM);
  EXPECT_NE(RecomputeOf(*b_.Add("TruncatedNormal", "normal", {"shape"}, {{"dtype", DT_FLOAT}})),
            config::RECOMPUTE_ALLOWED);
  b_.Constant("key", tensorflow::Tensor(tensorflow::DT_UINT64, {1}));
  b_.Constant("counter", tensorflow::Tensor(tensorflow::DT_UINT64, {2}));
  b_.Constant("algorithm", tensorflow::Tensor(1));
  EXPECT_EQ(RecomputeOf(*b_.Add("StatelessRandomUniformV2", "stateless", {"shape", "key", "counter", "algorithm"})),
            config::RECOMPUTE_ALLOWED);
}

TEST_F(OpFactsTest, InputAndOutputMayNotRunAgain) {
  b_.Add("Iterator", "iterator", {},
         {{"shared_name", "i"},
          {"container", ""},
          {"output_types", tensorflow::DataTypeVector{DT_FLOAT}},
          {"output_shapes", std::vector<PartialTensorShape>{PartialTensorShape({2})}}});
  EXPECT_EQ(RecomputeOf(*b_.Add("IteratorGetNext", "next", {"iterator"},
                                {{"output_types", tensorflow::DataTypeVector{DT_FLOAT}},
                                 {"output_shapes", std::vector<PartialTensorShape>{PartialTensorShape({2})}}})),
            config::RECOMPUTE_INPUT_OUTPUT);
  b_.Constant("text", tensorflow::Tensor(tensorflow::tstring("hello")));
  EXPECT_EQ(RecomputeOf(*b_.Add("PrintV2", "print", {"text"})), config::RECOMPUTE_INPUT_OUTPUT);
}

TEST_F(OpFactsTest, CollectivesMayNotRunAgain) {
  EXPECT_EQ(RecomputeOf(*b_.Add("CollectiveReduce", "reduce", {"x"},
                                {{"group_size", 2},
                                 {"group_key", 1},
                                 {"instance_key", 1},
                                 {"merge_op", "Add"},
                                 {"final_op", "Id"},
                                 {"subdiv_offsets", std::vector<int>{0}}})),
            config::RECOMPUTE_COLLECTIVE);
}

TEST_F(OpFactsTest, WhatHasStateOrHandlesMayNotRunAgain) {
  EXPECT_EQ(RecomputeOf(*b_.Find("v")), config::RECOMPUTE_STATEFUL) << "gives a handle";
  b_.Constant("one", tensorflow::Tensor(1));
  EXPECT_EQ(RecomputeOf(*b_.Add("TensorListReserve", "list", {"shape", "one"}, {{"element_dtype", DT_FLOAT}})),
            config::RECOMPUTE_STATEFUL)
      << "gives a variant";
  b_.Constant("yes", tensorflow::Tensor(true));
  EXPECT_EQ(RecomputeOf(*b_.Add("Assert", "assert", {"yes", "x"})), config::RECOMPUTE_STATEFUL);
  tensorflow::NameAttrList function;
  function.set_name("f");
  EXPECT_EQ(RecomputeOf(*b_.Add("PartitionedCall", "call", {"x"},
                                {{"Tin", tensorflow::DataTypeVector{DT_FLOAT}},
                                 {"Tout", tensorflow::DataTypeVector{DT_FLOAT}},
                                 {"f", function}})),
            config::RECOMPUTE_STATEFUL)
      << "nobody looks into the function";
}

TEST_F(OpFactsTest, VariableUseNeedsAResource) {
  EXPECT_EQ(VariableUseOf(*b_.Add("Neg", "neg", {"x"})), config::VARIABLE_NONE);
  EXPECT_EQ(VariableUseOf(*b_.Find("x")), config::VARIABLE_NONE);
}

// What kernels really do is checked in capture/step_profile_test.cc.
TEST_F(OpFactsTest, ViewsAndForwardingAreDisjoint) {
  EXPECT_TRUE(IsView("Reshape"));
  EXPECT_TRUE(IsView("Identity"));
  EXPECT_FALSE(IsView("Relu"));
  EXPECT_EQ(ForwardedInputs(*b_.Add("Relu", "relu", {"x"})), std::vector<int>({0}));
  EXPECT_EQ(ForwardedInputs(*b_.Add("AddV2", "sum", {"x", "x"})), std::vector<int>({0, 1}));
  EXPECT_EQ(ForwardedInputs(*b_.Add("AddN", "two", {"x", "x"})), std::vector<int>({0, 1}));
  EXPECT_EQ(ForwardedInputs(*b_.Add("AddN", "three", {"x", "x", "x"})), std::vector<int>({0}));
  EXPECT_EQ(ForwardedInputs(*b_.Add("MatMul", "product", {"x", "x"})), std::vector<int>());
  EXPECT_EQ(ForwardedInputs(*b_.Add("Reshape", "view", {"x", "shape"})), std::vector<int>());
}

}  // namespace
}  // namespace str::graph
