// File: graph_builder.h
//
// Small TensorFlow graphs for tests, node by node. What cannot be built ends the test program.
#ifndef STR_TF_PLUGIN_TESTING_GRAPH_BUILDER_H_
#define STR_TF_PLUGIN_TESTING_GRAPH_BUILDER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/core/framework/attr_value_util.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/graph/graph.h"

namespace str::testing {

struct Attr {
  template <typename T>
  Attr(std::string name_in, const T& value_in) : name(std::move(name_in)) {
    tensorflow::SetAttrValue(value_in, &value);
  }
  std::string name;
  tensorflow::AttrValue value;
};

class GraphBuilder {
 public:
  GraphBuilder();
  // Goes on with a graph that is there.
  explicit GraphBuilder(std::unique_ptr<tensorflow::Graph> graph) : graph_(std::move(graph)) {}

  // Inputs are "node", "node:1", or "^node" for a control edge; they come before the node. Types follow from the inputs
  // where the op allows it. A list input takes all that are left.
  tensorflow::Node* Add(const std::string& op, const std::string& name, const std::vector<std::string>& inputs = {},
                        const std::vector<Attr>& attrs = {});

  tensorflow::Node* Constant(const std::string& name, const tensorflow::Tensor& value);
  // A constant of small numbers, all different.
  tensorflow::Node* Floats(const std::string& name, const tensorflow::TensorShape& shape);
  // An int32 vector.
  tensorflow::Node* Ints(const std::string& name, const std::vector<int>& values);
  // A function's argument, with the shape that TensorFlow notes on it.
  tensorflow::Node* Argument(const std::string& name, tensorflow::DataType type,
                             const tensorflow::PartialTensorShape& shape, int index = 0);
  // The handle of a float variable.
  tensorflow::Node* Variable(const std::string& name, const tensorflow::TensorShape& shape);

  // Lets an input come from elsewhere, also from a node that was added later: how loops are closed.
  void Redirect(const std::string& node, int input, const std::string& source);

  tensorflow::Node* Find(const std::string& name) const;
  // Ready for passes: tied to TensorFlow's source and sink.
  tensorflow::Graph& graph();
  std::unique_ptr<tensorflow::Graph> Release();

 private:
  std::unique_ptr<tensorflow::Graph> graph_;
};

// Null if there is none.
tensorflow::Node* FindNode(const tensorflow::Graph& graph, const std::string& name);

// Where the node's inputs come from, "node:output" each, data inputs in order, then "^node" sorted.
std::vector<std::string> InputsOf(const tensorflow::Node& node);

}  // namespace str::testing

#endif  // STR_TF_PLUGIN_TESTING_GRAPH_BUILDER_H_
