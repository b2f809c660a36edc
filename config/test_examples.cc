#include "config/test_examples.h"

#include "absl/log/check.h"
#include "absl/log/log.h"
#include "google/protobuf/text_format.h"

namespace str::config {
namespace {

constexpr char kGraph[] = R"pb(
  format_version: 1
  name: "train_step"
  fingerprint: "0123456789abcdef"
  tensorflow_version: "2.21.0"
  device: "CPU:0"
  steps_measured: 3
  external_bytes: 1536
  measured_peak_bytes: 4096
  allocation_granule_bytes: 64
  node {
    name: "x"
    op: "_Arg"
    recompute: RECOMPUTE_EXTERNAL
    output { dtype: "float" dim: 8 dim: 16 known_rank: true bytes: 512 external: true }
  }
  node {
    name: "w"
    op: "_Arg"
    recompute: RECOMPUTE_EXTERNAL
    output { dtype: "resource" known_rank: true external: true }
  }
  node {
    name: "read"
    op: "ReadVariableOp"
    input: "w:0"
    recompute: RECOMPUTE_READS_VARIABLE
    variable: "w"
    variable_use: VARIABLE_READ
    output { dtype: "float" dim: 16 dim: 16 known_rank: true bytes: 1024 external: true }
  }
  node {
    name: "a"
    op: "MatMul"
    input: "x:0"
    input: "read:0"
    time_ns: 100
    flops: 4096
    moved_bytes: 2048
    temporary_bytes: 256
    output { dtype: "float" dim: 8 dim: 16 known_rank: true bytes: 512 }
  }
  node {
    name: "b"
    op: "Relu"
    input: "a:0"
    time_ns: 50
    output { dtype: "float" dim: 8 dim: 16 known_rank: true bytes: 512 forwards_input: 0 }
  }
  node {
    name: "c"
    op: "Reshape"
    input: "b:0"
    time_ns: 10
    output { dtype: "float" dim: -1 known_rank: true bytes: 512 view_of_input_plus1: 1 }
  }
  node {
    name: "sum"
    op: "Sum"
    input: "c:0"
    time_ns: 20
    recompute: RECOMPUTE_STATEFUL
    output { dtype: "float" known_rank: true bytes: 4 }
  }
  node {
    name: "grad"
    op: "ReluGrad"
    input: "c:0"
    input: "b:0"
    control: "sum"
    time_ns: 50
    output { dtype: "float" dim: 16 dim: 16 known_rank: true bytes: 1024 }
  }
  node {
    name: "update"
    op: "ResourceApplyGradientDescent"
    input: "w:0"
    input: "grad:0"
    time_ns: 5
    recompute: RECOMPUTE_ASSIGNS_VARIABLE
    variable: "w"
    variable_use: VARIABLE_UPDATE
  }
)pb";

constexpr char kStrategy[] = R"pb(
  format_version: 1
  graph_name: "train_step"
  graph_fingerprint: "0123456789abcdef"
  tensorflow_version: "2.21.0"
  device: "CPU:0"
  planner: "str"
  solver: "highs"
  budget_bytes: 6345678901
  predicted_peak_bytes: 4096
  predicted_step_seconds: 0.55
  baseline_step_seconds: 0.5
  arena_bytes: 2048
  external_bytes: 1536
  step { run: "read" output: "float[16,16]" }
  step {
    run: "a"
    output: "float[8,16]"
    place { bytes: 512 offset: 0 }
    place { bytes: 256 offset: 512 }
  }
  step { run: "b" output: "float[8,16]" }
  step { swap_out: "b:0" }
  step { run: "c" output: "float[?]" }
  step { run: "sum" output: "float[]" }
  step { swap_out_wait: "b:0" }
  step {
    swap_in: "b:0"
    place { bytes: 512 offset: 512 }
  }
  step { rerun: "c" }
  step {
    run: "grad"
    output: "float[16,16]"
    place { bytes: 1024 offset: 1024 }
  }
  step { run: "update" }
)pb";

}  // namespace

GraphFile ExampleGraph() {
  GraphFile graph;
  CHECK(google::protobuf::TextFormat::ParseFromString(kGraph, &graph));
  return graph;
}

StrategyFile ExampleStrategy() {
  StrategyFile strategy;
  CHECK(google::protobuf::TextFormat::ParseFromString(kStrategy, &strategy));
  return strategy;
}

Node* MutableNode(GraphFile* graph, const char* name) {
  for (Node& node : *graph->mutable_node()) {
    if (node.name() == name) return &node;
  }
  LOG(FATAL) << "no node " << name;
}

}  // namespace str::config
