#include "tf_plugin/graph/partitions.h"

#include <string>
#include <vector>

#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tf_plugin/graph/control_flow.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::graph {
namespace {

using str::testing::Attr;
using str::testing::GraphBuilder;
using tensorflow::Node;

constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr char kGpu[] = "/job:localhost/replica:0/task:0/device:GPU:0";

std::vector<Attr> Ends(const std::string& tensor, const char* from, const char* to) {
  return {{"tensor_name", tensor},
          {"send_device", std::string(from)},
          {"send_device_incarnation", int64_t{1}},
          {"recv_device", std::string(to)}};
}

void Send(GraphBuilder& b, const std::string& name, const std::string& tensor, const char* from, const char* to) {
  b.Add("_Send", name, {tensor}, Ends(name.substr(name.find('_') + 1), from, to));
}

void Recv(GraphBuilder& b, const std::string& name, const char* from, const char* to) {
  std::vector<Attr> attrs = Ends(name.substr(name.find('_') + 1), from, to);
  attrs.push_back({"tensor_type", tensorflow::DT_FLOAT});
  b.Add("_Recv", name, {}, attrs);
}

// The GPU sends a, the CPU computes b of it and sends that back; and it sends a batch of its own.
//   GPU: x -> send_a        recv_b -> y     recv_batch -> z
//   CPU: recv_a -> b -> send_b              batch -> send_batch
class PartitionsTest : public ::testing::Test {
 protected:
  PartitionsTest() {
    gpu_.Floats("x", {4, 3});
    Send(gpu_, "send_a", "x", kGpu, kCpu);
    Recv(gpu_, "recv_b", kCpu, kGpu);
    gpu_.Add("Neg", "y", {"recv_b"});
    Recv(gpu_, "recv_batch", kCpu, kGpu);
    gpu_.Add("Neg", "z", {"recv_batch"});
    Recv(cpu_, "recv_a", kGpu, kCpu);
    cpu_.Add("Neg", "b", {"recv_a"});
    Send(cpu_, "send_b", "b", kCpu, kGpu);
    cpu_.Floats("batch", {8, 5});
    Send(cpu_, "send_batch", "batch", kCpu, kGpu);
  }

  Partitions Both() { return {{kCpu, &cpu_.graph()}, {kGpu, &gpu_.graph()}}; }

  GraphBuilder cpu_, gpu_;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST_F(PartitionsTest, WhatComesBackGoesBehindWhatWasSent) {
  EXPECT_EQ(SurroundingsOf(Both(), kGpu).order, Pairs({{"send_a", "recv_b"}}));
  EXPECT_EQ(SurroundingsOf(Both(), kCpu).order, Pairs());
}

TEST_F(PartitionsTest, OneDeviceHasNoSurroundings) {
  GraphBuilder alone;
  alone.Floats("x", {4});
  alone.Add("Neg", "y", {"x"});
  const Surroundings surroundings = SurroundingsOf({{kGpu, &alone.graph()}}, kGpu);
  EXPECT_TRUE(surroundings.order.empty());
  EXPECT_TRUE(surroundings.received.empty());
  EXPECT_EQ(surroundings.may_get_nothing, "");
}

TEST_F(PartitionsTest, APairOnOneDeviceIsAnOrderToo) {
  Send(gpu_, "send_seed", "x", kGpu, kGpu);
  Recv(gpu_, "recv_seed", kGpu, kGpu);
  EXPECT_EQ(SurroundingsOf(Both(), kGpu).order, Pairs({{"send_a", "recv_b"}, {"send_seed", "recv_seed"}}));
}

TEST_F(PartitionsTest, ShapesCrossDevicesAndComeBack) {
  const Surroundings surroundings = SurroundingsOf(Both(), kGpu);
  EXPECT_EQ(surroundings.received.at("recv_b").DebugString(), "[4,3]");
  EXPECT_EQ(surroundings.received.at("recv_batch").DebugString(), "[8,5]");
  const GraphView view = MakeGraphView(gpu_.graph(), surroundings);
  EXPECT_EQ(view.shapes[gpu_.Find("z")->id()][0].DebugString(), "[8,5]");
}

TEST_F(PartitionsTest, AnotherBatchIsAnotherGraph) {
  const std::string fingerprint = MakeGraphView(gpu_.graph(), SurroundingsOf(Both(), kGpu)).fingerprint;
  EXPECT_EQ(MakeGraphView(gpu_.graph(), SurroundingsOf(Both(), kGpu)).fingerprint, fingerprint);
  GraphBuilder larger;
  Recv(larger, "recv_a", kGpu, kCpu);
  larger.Add("Neg", "b", {"recv_a"});
  Send(larger, "send_b", "b", kCpu, kGpu);
  larger.Floats("batch", {16, 5});
  Send(larger, "send_batch", "batch", kCpu, kGpu);
  const Partitions others = {{kCpu, &larger.graph()}, {kGpu, &gpu_.graph()}};
  EXPECT_NE(MakeGraphView(gpu_.graph(), SurroundingsOf(others, kGpu)).fingerprint, fingerprint);
}

TEST_F(PartitionsTest, TheOrderOfAViewKeepsToTheUnion) {
  // By names alone "recv_b" would come before "send_a".
  const GraphView view = MakeGraphView(gpu_.graph(), SurroundingsOf(Both(), kGpu));
  int sent = -1, received = -1;
  for (size_t i = 0; i < view.order.size(); ++i) {
    if (view.order[i]->name() == "send_a") sent = static_cast<int>(i);
    if (view.order[i]->name() == "recv_b") received = static_cast<int>(i);
  }
  EXPECT_LT(sent, received);
}

TEST_F(PartitionsTest, AnOrderThatWaitsForItselfThroughAnotherDeviceIsFound) {
  EXPECT_OK(VerifyUnion(Both()));
  gpu_.graph().AddControlEdge(gpu_.Find("send_a"), gpu_.Find("recv_b"));
  EXPECT_OK(VerifyUnion(Both()));
  GraphBuilder bad;
  Recv(bad, "recv_b", kCpu, kGpu);
  bad.Floats("x", {4, 3});
  bad.Add("_Send", "send_a", {"x", "^recv_b"}, Ends("a", kGpu, kCpu));
  const absl::Status status = VerifyUnion({{kCpu, &cpu_.graph()}, {kGpu, &bad.graph()}});
  EXPECT_TRUE(config::IsError(status, absl::StatusCode::kFailedPrecondition, "wait for each other"));
}

TEST_F(PartitionsTest, WhatMayNotBeSentIsNamed) {
  EXPECT_EQ(SurroundingsOf(Both(), kGpu).may_get_nothing, "");
  tensorflow::Tensor truth(tensorflow::DT_BOOL, {});
  truth.scalar<bool>()() = true;
  cpu_.Constant("predicate", truth);
  cpu_.Add("Switch", "switch", {"batch", "predicate"});
  cpu_.Add("Identity", "sometimes", {"switch:1"});
  Send(cpu_, "send_some", "sometimes", kCpu, kGpu);
  Recv(gpu_, "recv_some", kCpu, kGpu);
  const Surroundings surroundings = SurroundingsOf(Both(), kGpu);
  EXPECT_EQ(surroundings.may_get_nothing, "recv_some");
  for (Node* node : gpu_.graph().op_nodes()) node->set_assigned_device_name(kGpu);
  EXPECT_NE(WhyNotPlannable(gpu_.graph(), surroundings).find("'recv_some'"), std::string::npos);
}

}  // namespace
}  // namespace str::graph
