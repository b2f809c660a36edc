#include "tf_plugin/testing/graph_builder.h"

#include <algorithm>
#include <utility>

#include "absl/log/check.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/graph/algorithm.h"
#include "tensorflow/core/graph/node_builder.h"

namespace str::testing {
namespace {

using tensorflow::Node;
using tensorflow::NodeBuilder;

std::pair<std::string, int> Split(const std::string& tensor) {
  const size_t colon = tensor.rfind(':');
  if (colon == std::string::npos) return {tensor, 0};
  int output = 0;
  CHECK(absl::SimpleAtoi(tensor.substr(colon + 1), &output)) << tensor;
  return {tensor.substr(0, colon), output};
}

}  // namespace

GraphBuilder::GraphBuilder() : graph_(std::make_unique<tensorflow::Graph>(tensorflow::OpRegistry::Global())) {}

Node* GraphBuilder::Add(const std::string& op, const std::string& name, const std::vector<std::string>& inputs,
                        const std::vector<Attr>& attrs) {
  const tensorflow::OpDef* definition = nullptr;
  CHECK_OK(tensorflow::OpRegistry::Global()->LookUpOpDef(op, &definition));
  NodeBuilder builder(name, op);
  std::vector<NodeBuilder::NodeOut> outs;
  for (const std::string& input : inputs) {
    if (absl::string_view source = input; absl::ConsumePrefix(&source, "^")) {
      builder.ControlInput(Find(std::string(source)));
    } else {
      const auto [node, output] = Split(input);
      outs.push_back(NodeBuilder::NodeOut(Find(node), output));
    }
  }
  size_t next = 0;
  for (const auto& argument : definition->input_arg()) {
    if (argument.number_attr().empty() && argument.type_list_attr().empty()) {
      CHECK_LT(next, outs.size()) << name << " has too few inputs";
      builder.Input(outs[next++]);
    } else {
      builder.Input(std::vector<NodeBuilder::NodeOut>(outs.begin() + next, outs.end()));
      next = outs.size();
    }
  }
  CHECK_EQ(next, outs.size()) << name << " has too many inputs";
  for (const Attr& attr : attrs) builder.Attr(attr.name, attr.value);
  Node* node = nullptr;
  CHECK_OK(builder.Finalize(graph_.get(), &node));
  return node;
}

Node* GraphBuilder::Constant(const std::string& name, const tensorflow::Tensor& value) {
  return Add("Const", name, {}, {{"dtype", value.dtype()}, {"value", value}});
}

Node* GraphBuilder::Floats(const std::string& name, const tensorflow::TensorShape& shape) {
  tensorflow::Tensor value(tensorflow::DT_FLOAT, shape);
  auto flat = value.flat<float>();
  for (int64_t i = 0; i < flat.size(); ++i) flat(i) = 0.37f * static_cast<float>(i % 97) - 11.0f + 0.001f * i;
  return Constant(name, value);
}

Node* GraphBuilder::Ints(const std::string& name, const std::vector<int>& values) {
  tensorflow::Tensor value(tensorflow::DT_INT32, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), value.flat<int32_t>().data());
  return Constant(name, value);
}

Node* GraphBuilder::Argument(const std::string& name, tensorflow::DataType type,
                             const tensorflow::PartialTensorShape& shape, int index) {
  return Add("_Arg", name, {},
             {{"T", type}, {"index", index}, {"_output_shapes", std::vector<tensorflow::PartialTensorShape>{shape}}});
}

Node* GraphBuilder::Variable(const std::string& name, const tensorflow::TensorShape& shape) {
  return Add("VarHandleOp", name, {}, {{"dtype", tensorflow::DT_FLOAT}, {"shape", shape}, {"shared_name", name}});
}

void GraphBuilder::Redirect(const std::string& node, int input, const std::string& source) {
  const auto [source_node, output] = Split(source);
  CHECK_OK(graph_->UpdateEdge(Find(source_node), output, Find(node), input));
}

Node* GraphBuilder::Find(const std::string& name) const {
  Node* const node = FindNode(*graph_, name);
  CHECK(node != nullptr) << "no node " << name;
  return node;
}

tensorflow::Graph& GraphBuilder::graph() {
  tensorflow::FixupSourceAndSinkEdges(graph_.get());
  return *graph_;
}

std::unique_ptr<tensorflow::Graph> GraphBuilder::Release() {
  graph();
  return std::move(graph_);
}

Node* FindNode(const tensorflow::Graph& graph, const std::string& name) {
  for (Node* node : graph.op_nodes()) {
    if (node->name() == name) return node;
  }
  return nullptr;
}

std::vector<std::string> InputsOf(const Node& node) {
  std::vector<std::string> data(node.num_inputs());
  std::vector<std::string> controls;
  for (const tensorflow::Edge* edge : node.in_edges()) {
    if (!edge->src()->IsOp()) continue;
    if (edge->IsControlEdge()) {
      controls.push_back(absl::StrCat("^", edge->src()->name()));
    } else {
      data[edge->dst_input()] = absl::StrCat(edge->src()->name(), ":", edge->src_output());
    }
  }
  std::sort(controls.begin(), controls.end());
  data.insert(data.end(), controls.begin(), controls.end());
  return data;
}

}  // namespace str::testing
