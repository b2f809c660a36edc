#include "config/graph_validator.h"

#include <cstdint>
#include <limits>

#include "config/status_testing.h"
#include "config/test_examples.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

class ValidateGraphTest : public ::testing::Test {
 protected:
  Node* node(const char* name) { return MutableNode(&graph_, name); }
  ::testing::AssertionResult Refused(absl::string_view part) { return IsInvalid(ValidateGraph(graph_), part); }

  GraphFile graph_ = ExampleGraph();
};

TEST_F(ValidateGraphTest, ExampleIsValid) { EXPECT_OK(ValidateGraph(graph_)); }

TEST_F(ValidateGraphTest, Version) {
  graph_.set_format_version(2);
  EXPECT_TRUE(Refused("format_version is 2; this version of STR reads 1"));
}

TEST_F(ValidateGraphTest, NoNodes) {
  graph_.clear_node();
  EXPECT_TRUE(Refused("the graph has no nodes"));
}

TEST_F(ValidateGraphTest, AsManyNodesAsItSays) {
  graph_.set_node_count(graph_.node_size());
  EXPECT_OK(ValidateGraph(graph_));
  graph_.mutable_node()->RemoveLast();
  EXPECT_TRUE(Refused("node_count is 9, but there are 8 nodes: the file is cut off"));
}

TEST_F(ValidateGraphTest, Fingerprint) {
  graph_.set_fingerprint("xyz");
  EXPECT_TRUE(Refused("fingerprint \"xyz\" is not 16 hex digits"));
  graph_.clear_fingerprint();
  EXPECT_OK(ValidateGraph(graph_));
}

TEST_F(ValidateGraphTest, GranuleIsAPowerOfTwo) {
  for (const int64_t granule : {int64_t{0}, int64_t{-64}, int64_t{48}, std::numeric_limits<int64_t>::min()}) {
    graph_.set_allocation_granule_bytes(granule);
    EXPECT_TRUE(Refused("it must be a power of two")) << granule;
  }
  graph_.set_allocation_granule_bytes(1);
  EXPECT_OK(ValidateGraph(graph_));
}

TEST_F(ValidateGraphTest, NegativeFileFields) {
  graph_.set_external_bytes(-1);
  EXPECT_TRUE(Refused("external_bytes is negative: -1"));
  graph_ = ExampleGraph();
  graph_.set_steps_measured(-1);
  EXPECT_TRUE(Refused("steps_measured is negative"));
  graph_ = ExampleGraph();
  graph_.set_measured_peak_bytes(-1);
  EXPECT_TRUE(Refused("measured_peak_bytes is negative"));
  graph_ = ExampleGraph();
  graph_.set_copy_out_bytes_per_second(-1);
  EXPECT_TRUE(Refused("copy_out_bytes_per_second is negative"));
  graph_ = ExampleGraph();
  graph_.set_copy_in_bytes_per_second(-1);
  EXPECT_TRUE(Refused("copy_in_bytes_per_second is negative"));
}

TEST_F(ValidateGraphTest, NamesAreThereAndUnique) {
  node("c")->set_name("b");
  EXPECT_TRUE(Refused("node \"b\": a second node of this name"));
  graph_ = ExampleGraph();
  node("c")->clear_name();
  EXPECT_TRUE(Refused("node number 6 has no name"));
  node("")->set_name("c\n");
  EXPECT_TRUE(Refused("node number 6 has a control character"));
}

TEST_F(ValidateGraphTest, InputsExist) {
  node("b")->set_input(0, "a");
  EXPECT_TRUE(Refused("node \"b\": input \"a\" is not a tensor"));
  node("b")->set_input(0, "nobody:0");
  EXPECT_TRUE(Refused("node \"b\": input \"nobody:0\" names a node that does not exist"));
  node("b")->set_input(0, "a:1");
  EXPECT_TRUE(Refused("node \"b\": input \"a:1\" does not exist: that node has 1 outputs"));
}

TEST_F(ValidateGraphTest, ControlsExist) {
  node("grad")->set_control(0, "nobody");
  EXPECT_TRUE(Refused("node \"grad\": control \"nobody\" names a node that does not exist"));
  node("grad")->set_control(0, "sum:0");
  EXPECT_TRUE(Refused("a control input is a node, without an output"));
}

TEST_F(ValidateGraphTest, OrderAndCycles) {
  node("a")->add_control("update");
  EXPECT_TRUE(Refused("is on a cycle"));
  graph_ = ExampleGraph();
  graph_.mutable_node()->SwapElements(4, 5);
  EXPECT_TRUE(Refused("node \"c\" stands before \"b\", which it needs"));
}

TEST_F(ValidateGraphTest, NegativeNodeFields) {
  node("a")->set_temporary_bytes(-1);
  EXPECT_TRUE(Refused("node \"a\": temporary_bytes is negative: -1"));
  graph_ = ExampleGraph();
  node("a")->set_time_ns(-2);
  EXPECT_TRUE(Refused("node \"a\": time_ns is negative: -2"));
  graph_ = ExampleGraph();
  node("a")->set_flops(-3);
  EXPECT_TRUE(Refused("node \"a\": flops is negative"));
  graph_ = ExampleGraph();
  node("a")->set_moved_bytes(-4);
  EXPECT_TRUE(Refused("node \"a\": moved_bytes is negative"));
  graph_ = ExampleGraph();
  node("a")->mutable_output(0)->set_bytes(-5);
  EXPECT_TRUE(Refused("node \"a\": output 0: bytes is negative: -5"));
}

TEST_F(ValidateGraphTest, SumsFit) {
  node("a")->mutable_output(0)->set_bytes(kMax);
  EXPECT_TRUE(Refused("node \"a\": the bytes of the graph up to here exceed 63 bits"));
  // Alone it would fit, rounded up it does not.
  node("a")->mutable_output(0)->set_bytes(kMax - 10);
  EXPECT_TRUE(Refused("bytes of the graph"));
  graph_ = ExampleGraph();
  node("sum")->set_time_ns(kMax);
  EXPECT_TRUE(Refused("node \"sum\": the time_ns of the graph up to here exceed 63 bits"));
  graph_ = ExampleGraph();
  node("b")->set_flops(kMax);
  EXPECT_TRUE(Refused("node \"b\": the flops of the graph"));
  graph_ = ExampleGraph();
  node("b")->set_moved_bytes(kMax);
  EXPECT_TRUE(Refused("node \"b\": the moved_bytes of the graph"));
  graph_ = ExampleGraph();
  graph_.set_allocation_granule_bytes(int64_t{1} << 62);
  EXPECT_TRUE(Refused("the bytes of the graph"));
}

TEST_F(ValidateGraphTest, SharedBuffersNameInputs) {
  Output* output = node("c")->mutable_output(0);
  output->set_view_of_input_plus1(2);
  EXPECT_TRUE(Refused("node \"c\": output 0: view_of_input_plus1 is 2, but the node has 1 inputs"));
  output->set_view_of_input_plus1(-1);
  EXPECT_TRUE(Refused("view_of_input_plus1 is -1"));
  graph_ = ExampleGraph();
  node("b")->mutable_output(0)->set_forwards_input(0, 1);
  EXPECT_TRUE(Refused("node \"b\": output 0: forwards_input is 1, but the node has 1 inputs, counted from 0"));
  node("b")->mutable_output(0)->set_forwards_input(0, -1);
  EXPECT_TRUE(Refused("forwards_input is -1"));
}

TEST_F(ValidateGraphTest, Shapes) {
  node("c")->mutable_output(0)->set_dim(0, -2);
  EXPECT_TRUE(Refused("node \"c\": output 0: dim -2; only -1 stands for unknown"));
  node("c")->mutable_output(0)->set_dim(0, 3);
  node("c")->mutable_output(0)->set_known_rank(false);
  EXPECT_TRUE(Refused("has dim but known_rank is not set"));
}

TEST_F(ValidateGraphTest, Variables) {
  node("read")->set_variable("nobody");
  EXPECT_TRUE(Refused("node \"read\": variable \"nobody\" names a node that does not exist"));
  node("read")->clear_variable();
  EXPECT_TRUE(Refused("node \"read\": VARIABLE_READ without a variable"));
  graph_ = ExampleGraph();
  node("update")->clear_variable();
  EXPECT_TRUE(Refused("node \"update\": VARIABLE_UPDATE without a variable"));
  node("update")->set_variable_use(VARIABLE_REPLACE);
  EXPECT_TRUE(Refused("node \"update\": VARIABLE_REPLACE without a variable"));
}

TEST_F(ValidateGraphTest, UnknownEnumValues) {
  node("a")->set_recompute(static_cast<Recompute>(99));
  EXPECT_TRUE(Refused("node \"a\": recompute has the unknown value 99"));
  graph_ = ExampleGraph();
  node("a")->set_variable_use(static_cast<VariableUse>(99));
  EXPECT_TRUE(Refused("node \"a\": variable_use has the unknown value 99"));
}

TEST_F(ValidateGraphTest, NoBytesAnywhere) {
  graph_.set_external_bytes(0);
  for (Node& node : *graph_.mutable_node()) {
    node.set_temporary_bytes(0);
    for (Output& output : *node.mutable_output()) output.set_bytes(0);
  }
  EXPECT_TRUE(Refused("no node has any bytes, so there is nothing to plan"));
  node("a")->set_temporary_bytes(1);
  EXPECT_OK(ValidateGraph(graph_));
}

}  // namespace
}  // namespace str::config
