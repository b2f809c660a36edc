#include "tf_plugin/capture/execution_order.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace str::capture {
namespace {

using Strings = std::vector<std::string>;

config::Node& Add(config::GraphFile& graph, const std::string& name, const Strings& inputs,
                  const Strings& controls = {}, const std::string& dtype = "float") {
  config::Node& node = *graph.add_node();
  node.set_name(name);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& control : controls) node.add_control(control);
  node.add_output()->set_dtype(dtype);
  return node;
}

Strings Names(const config::GraphFile& graph) {
  Strings names;
  for (const config::Node& node : graph.node()) names.push_back(node.name());
  return names;
}

Strings ControlsOf(const config::GraphFile& graph, const std::string& name) {
  for (const config::Node& node : graph.node()) {
    if (node.name() == name) return Strings(node.control().begin(), node.control().end());
  }
  ADD_FAILURE() << "no node " << name;
  return {};
}

TEST(ExecutionOrderTest, NodesComeInTheOrderInWhichTheyRan) {
  config::GraphFile graph;
  Add(graph, "a", {});
  Add(graph, "b", {"a:0"});
  Add(graph, "c", {"a:0"});
  EXPECT_TRUE(ApplyExecutionOrder({0, 2, 1}, graph).ok());
  EXPECT_EQ(Names(graph), Strings({"a", "c", "b"}));
}

TEST(ExecutionOrderTest, NodesThatWereNotSeenComeAsEarlyAsTheyCan) {
  config::GraphFile graph;
  Add(graph, "late", {});
  Add(graph, "early", {});
  Add(graph, "constant", {});
  Add(graph, "unseen", {"early:0"});
  EXPECT_TRUE(ApplyExecutionOrder({5, 4, -1, -1}, graph).ok());
  EXPECT_EQ(Names(graph), Strings({"constant", "early", "unseen", "late"}));
}

TEST(ExecutionOrderTest, EdgesGoBeforePositions) {
  config::GraphFile graph;
  Add(graph, "source", {});
  Add(graph, "by_data", {"source:0"});
  Add(graph, "by_control", {}, {"by_data"});
  // As if users had completed before their source, which asynchronous ops can seem to do.
  EXPECT_TRUE(ApplyExecutionOrder({9, 1, 0}, graph).ok());
  EXPECT_EQ(Names(graph), Strings({"source", "by_data", "by_control"}));
}

TEST(ExecutionOrderTest, ChangesOfOneReferenceAreTiedAsTheyRan) {
  config::GraphFile graph;
  Add(graph, "variable", {}, {}, "float_ref");
  Add(graph, "zero", {"variable:0"}, {}, "float_ref");
  Add(graph, "add1", {"zero:0"}, {}, "float_ref");
  Add(graph, "add2", {"zero:0"}, {}, "float_ref");
  Add(graph, "add3", {"zero:0"}, {}, "float_ref");
  Add(graph, "beside", {});
  EXPECT_TRUE(ApplyExecutionOrder({0, 1, 4, 2, 3, 5}, graph).ok());
  EXPECT_EQ(Names(graph), Strings({"variable", "zero", "add2", "add3", "add1", "beside"}));
  EXPECT_EQ(ControlsOf(graph, "add2"), Strings({"zero"}));
  EXPECT_EQ(ControlsOf(graph, "add3"), Strings({"add2"}));
  EXPECT_EQ(ControlsOf(graph, "add1"), Strings({"add3"}));
  EXPECT_EQ(ControlsOf(graph, "beside"), Strings());
}

TEST(ExecutionOrderTest, DifferentReferencesAreNotTied) {
  config::GraphFile graph;
  Add(graph, "v", {}, {}, "float_ref");
  Add(graph, "w", {}, {}, "float_ref");
  Add(graph, "add_v", {"v:0"}, {}, "float_ref");
  Add(graph, "add_w", {"w:0"}, {}, "float_ref");
  EXPECT_TRUE(ApplyExecutionOrder({0, 1, 2, 3}, graph).ok());
  EXPECT_EQ(ControlsOf(graph, "add_v"), Strings());
  EXPECT_EQ(ControlsOf(graph, "add_w"), Strings());
}

TEST(ExecutionOrderTest, ChangesThatWereNotSeenAreNotTied) {
  config::GraphFile graph;
  Add(graph, "variable", {}, {}, "float_ref");
  Add(graph, "add1", {"variable:0"}, {}, "float_ref");
  // Sorted by positions alone it would have to run before what it takes.
  Add(graph, "unseen", {"add1:0"}, {}, "float_ref");
  EXPECT_TRUE(ApplyExecutionOrder({0, 1, -1}, graph).ok());
  EXPECT_EQ(Names(graph), Strings({"variable", "add1", "unseen"}));
  EXPECT_EQ(ControlsOf(graph, "unseen"), Strings());
}

}  // namespace
}  // namespace str::capture
