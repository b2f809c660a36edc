#include "tf_plugin/graph/xla_calls.h"

#include <string>
#include <vector>

#include "config/status_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tensorflow/core/framework/graph_to_functiondef.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::graph {
namespace {

using str::testing::Attr;
using str::testing::GraphBuilder;
using tensorflow::DT_FLOAT;
using tensorflow::DT_RESOURCE;
using tensorflow::FunctionDef;
using tensorflow::FunctionLibraryDefinition;
using tensorflow::Node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

tensorflow::NameAttrList Function(const std::string& name, bool for_xla = false) {
  tensorflow::NameAttrList function;
  function.set_name(name);
  if (for_xla) tensorflow::SetAttrValue(true, &(*function.mutable_attr())[kXlaAttr]);
  return function;
}

void AddFunction(GraphBuilder& body, const std::string& name, bool for_xla, FunctionLibraryDefinition& library) {
  FunctionDef definition;
  ASSERT_TRUE(tensorflow::GraphToFunctionDef(body.graph(), name, &definition).ok());
  if (for_xla) tensorflow::SetAttrValue(true, &(*definition.mutable_attr())[kXlaAttr]);
  ASSERT_TRUE(library.AddFunctionDef(definition).ok());
}

// v -= ReluGrad(x, x): gradients, and an update if `updates`.
void AddStep(const std::string& name, bool updates, bool for_xla, FunctionLibraryDefinition& library) {
  GraphBuilder b;
  b.Argument("v", DT_RESOURCE, {}, 0);
  b.Argument("x", DT_FLOAT, {4}, 1);
  b.Add("ReluGrad", "g", {"x", "x"});
  if (updates) b.Add("AssignSubVariableOp", "u", {"v", "g"}, {Attr("dtype", DT_FLOAT)});
  AddFunction(b, name, for_xla, library);
}

// A graph that calls `function` of a handle and a tensor.
Node* AddCall(GraphBuilder& b, const tensorflow::NameAttrList& function) {
  b.Argument("v", DT_RESOURCE, {}, 0);
  b.Argument("x", DT_FLOAT, {4}, 1);
  return b.Add("StatefulPartitionedCall", "call", {"v", "x"},
               {Attr("f", function), Attr("Tin", tensorflow::DataTypeVector({DT_RESOURCE, DT_FLOAT})),
                Attr("Tout", tensorflow::DataTypeVector())});
}

bool IsForXla(const Node& node) {
  bool must = false;
  return tensorflow::TryGetNodeAttr(node.attrs(), kXlaAttr, &must) && must;
}

class XlaCallsTest : public ::testing::Test {
 protected:
  FunctionLibraryDefinition library_{tensorflow::OpRegistry::Global(), tensorflow::FunctionDefLibrary()};
  GraphBuilder graph_;
};

TEST_F(XlaCallsTest, AMarkOnTheNodeIsTakenAway) {
  AddStep("step", /*updates=*/true, /*for_xla=*/false, library_);
  Node* const call = AddCall(graph_, Function("step", /*for_xla=*/true));
  call->AddAttr(kXlaAttr, true);
  ASSERT_EQ(TrainingCallsForXla(graph_.graph(), library_), std::vector<Node*>({call}));
  EXPECT_EQ(CalledFunction(*call), "step");
  EXPECT_OK(TakeFromXla(*call, library_));
  EXPECT_FALSE(IsForXla(*call));
  tensorflow::NameAttrList called;
  ASSERT_TRUE(tensorflow::GetNodeAttr(call->attrs(), "f", &called).ok());
  EXPECT_EQ(called.name(), "step");
  EXPECT_TRUE(called.attr().empty());
  EXPECT_TRUE(TrainingCallsForXla(graph_.graph(), library_).empty());
}

TEST_F(XlaCallsTest, AMarkOnTheFunctionIsTakenAway) {
  AddStep("step", /*updates=*/true, /*for_xla=*/true, library_);
  Node* const call = AddCall(graph_, Function("step"));
  ASSERT_EQ(TrainingCallsForXla(graph_.graph(), library_).size(), 1);
  EXPECT_OK(TakeFromXla(*call, library_));
  EXPECT_EQ(library_.Find("step")->attr().count(kXlaAttr), 0);
  EXPECT_TRUE(TrainingCallsForXla(graph_.graph(), library_).empty());
}

TEST_F(XlaCallsTest, FunctionsBeneathAreTrainingTooAndLoseTheirMarks) {
  AddStep("inner", /*updates=*/true, /*for_xla=*/true, library_);
  GraphBuilder outer;
  AddCall(outer, Function("inner"))->AddAttr(kXlaAttr, true);
  AddFunction(outer, "outer", /*for_xla=*/true, library_);
  Node* const call = AddCall(graph_, Function("outer"));
  ASSERT_EQ(TrainingCallsForXla(graph_.graph(), library_).size(), 1);
  EXPECT_OK(TakeFromXla(*call, library_));
  EXPECT_EQ(library_.Find("inner")->attr().count(kXlaAttr), 0);
  EXPECT_EQ(library_.Find("outer")->attr().count(kXlaAttr), 0);
  for (const tensorflow::NodeDef& node : library_.Find("outer")->node_def()) EXPECT_EQ(node.attr().count(kXlaAttr), 0);
}

TEST_F(XlaCallsTest, WhatDoesNotTrainIsLeftToXla) {
  AddStep("gradients", /*updates=*/false, /*for_xla=*/true, library_);
  AddCall(graph_, Function("gradients"))->AddAttr(kXlaAttr, true);
  EXPECT_TRUE(TrainingCallsForXla(graph_.graph(), library_).empty());
}

TEST_F(XlaCallsTest, WhatIsDoneIsReportedForEachCall) {
  AddStep("step", /*updates=*/true, /*for_xla=*/true, library_);
  Node* const call = AddCall(graph_, Function("step", /*for_xla=*/true));
  const auto kept = SettleXla(graph_.graph(), library_, {/*keep=*/true, /*strict=*/true});
  ASSERT_TRUE(kept.ok());
  EXPECT_THAT(*kept, ElementsAre(HasSubstr("step is compiled by XLA (STR_XLA=keep)")));
  EXPECT_EQ(TrainingCallsForXla(graph_.graph(), library_), std::vector<Node*>({call})) << "left alone";
  const auto taken = SettleXla(graph_.graph(), library_, {});
  ASSERT_TRUE(taken.ok());
  EXPECT_THAT(*taken, ElementsAre(HasSubstr("step runs without XLA")));
  EXPECT_TRUE(TrainingCallsForXla(graph_.graph(), library_).empty());
}

TEST_F(XlaCallsTest, ACallThatCannotBeTakenIsReportedAndAnErrorOnlyIfStrict) {
  AddStep("StrOpOfTheTest", /*updates=*/true, /*for_xla=*/true, library_);
  Node* const call = AddCall(graph_, Function("StrOpOfTheTest", /*for_xla=*/true));
  // No function may be replaced by one with the name of an op.
  tensorflow::OpRegistry::Global()->Register([](tensorflow::OpRegistrationData* data) {
    data->op_def.set_name("StrOpOfTheTest");
    return absl::OkStatus();
  });
  const auto strict = SettleXla(graph_.graph(), library_, {/*keep=*/false, /*strict=*/true});
  EXPECT_TRUE(config::IsError(strict.status(), absl::StatusCode::kFailedPrecondition,
                              "StrOpOfTheTest cannot be taken from XLA: "));
  const auto texts = SettleXla(graph_.graph(), library_, {});
  ASSERT_TRUE(texts.ok()) << texts.status();
  EXPECT_THAT(*texts, ElementsAre(HasSubstr("training goes on as it is")));
  EXPECT_EQ(TrainingCallsForXla(graph_.graph(), library_), std::vector<Node*>({call})) << "all is as it was";
}

TEST_F(XlaCallsTest, TrainingWithoutXlaIsNoSuchCall) {
  AddStep("step", /*updates=*/true, /*for_xla=*/false, library_);
  AddCall(graph_, Function("step"));
  EXPECT_TRUE(TrainingCallsForXla(graph_.graph(), library_).empty());
}

}  // namespace
}  // namespace str::graph
