#include "tf_plugin/graph/static_shapes.h"

#include "tensorflow/core/common_runtime/shape_refiner.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace str::graph {
namespace {

using tensorflow::Node;
using tensorflow::PartialTensorShape;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

// An argument's shape is in an attribute under one of two names, depending on who made the function.
void SeedArgument(const Node& node, tensorflow::ShapeRefiner& refiner) {
  InferenceContext* const context = refiner.GetContext(&node);
  std::vector<PartialTensorShape> shapes;
  if (!tensorflow::GetNodeAttr(node.attrs(), "_output_shapes", &shapes).ok() || shapes.empty()) return;
  ShapeHandle shape;
  if (!context->MakeShapeFromPartialTensorShape(shapes[0], &shape).ok()) return;
  refiner.SetShape(&node, 0, shape).IgnoreError();
}

void SeedReceived(const Node& node, const ReceivedShapes& received, tensorflow::ShapeRefiner& refiner) {
  const auto found = received.find(node.name());
  ShapeHandle shape;
  if (found == received.end() ||
      !refiner.GetContext(&node)->MakeShapeFromPartialTensorShape(found->second, &shape).ok()) {
    return;
  }
  refiner.SetShape(&node, 0, shape).IgnoreError();
}

// The shape of what a variable's handle points to.
void SeedHandle(const Node& node, tensorflow::ShapeRefiner& refiner) {
  std::vector<PartialTensorShape> shapes;
  std::vector<tensorflow::DataType> types;
  if (!tensorflow::GetNodeAttr(node.attrs(), "_handle_shapes", &shapes).ok() || shapes.empty()) return;
  if (!tensorflow::GetNodeAttr(node.attrs(), "_handle_dtypes", &types).ok() || types.empty()) return;
  InferenceContext* const context = refiner.GetContext(&node);
  ShapeHandle shape;
  if (!context->MakeShapeFromPartialTensorShape(shapes[0], &shape).ok()) return;
  context->set_output_handle_shapes_and_types(0, {{shape, types[0]}});
}

PartialTensorShape ToPartialShape(InferenceContext& context, ShapeHandle handle) {
  if (!context.RankKnown(handle)) return PartialTensorShape();
  std::vector<int64_t> dims;
  for (int i = 0; i < context.Rank(handle); ++i) dims.push_back(context.Value(context.Dim(handle, i)));
  PartialTensorShape shape;
  if (!PartialTensorShape::MakePartialShape(dims.data(), static_cast<int>(dims.size()), &shape).ok()) return {};
  return shape;
}

// What the shape functions of oneDNN's ops get wrong or leave out.
void CorrectOneDnnShapes(const Node& node, InferenceContext& context) {
  if (context.num_outputs() < 2) return;
  const ShapeHandle first = context.output(0);
  // The fused filter gradient reports its bias gradient with the input's channels; it has the output's.
  if (node.type_string() == "_MklNativeConv2DBackpropFilterWithBias" && context.RankKnown(first) &&
      context.Rank(first) == 4) {
    context.set_output(1, context.Vector(context.Dim(first, 3)));
  }
  // Pooling's workspace has one byte for each element of its result.
  if (node.type_string() == "_MklNativeMaxPool") context.set_output(1, first);
}

}  // namespace

StaticShapes InferStaticShapes(const tensorflow::Graph& graph, const std::vector<Node*>& order,
                               const ReceivedShapes& received) {
  tensorflow::ShapeRefiner refiner(graph.versions(), graph.op_registry());
  refiner.set_require_shape_inference_fns(false);
  StaticShapes shapes(graph.num_node_ids());
  for (const Node* node : order) {
    if (!node->IsOp()) continue;
    shapes[node->id()].resize(node->num_outputs());
    if (!refiner.AddNode(node).ok()) continue;
    if (node->IsArg()) {
      SeedArgument(*node, refiner);
      SeedHandle(*node, refiner);
    }
    if (node->IsRecv()) SeedReceived(*node, received, refiner);
    InferenceContext* const context = refiner.GetContext(node);
    if (context == nullptr) continue;
    CorrectOneDnnShapes(*node, *context);
    for (int i = 0; i < node->num_outputs(); ++i) {
      shapes[node->id()][i] = ToPartialShape(*context, context->output(i));
    }
  }
  return shapes;
}

}  // namespace str::graph
