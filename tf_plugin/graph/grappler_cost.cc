#include "tf_plugin/graph/grappler_cost.h"

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tensorflow/core/framework/tensor_shape.pb.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/grappler/costs/op_context.h"
#include "tensorflow/core/grappler/costs/op_level_cost_estimator.h"

namespace str::graph {
namespace {

using tensorflow::Node;
using tensorflow::grappler::NodeCosts;
using tensorflow::grappler::OpContext;

// Its counts are for those who derive from it: in public it only gives times on a device of its own.
class Estimator : public tensorflow::grappler::OpLevelCostEstimator {
 public:
  bool Knows(const std::string& op) const {
    return device_cost_impl_.find(op) != device_cost_impl_.end() || elementwise_ops_.find(op) != elementwise_ops_.end();
  }

  bool Count(const OpContext& context, NodeCosts* costs) const {
    return PredictNodeCosts(context, costs).ok() && !costs->inaccurate && costs->num_nodes_with_unknown_shapes == 0 &&
           costs->num_nodes_with_unknown_op_type == 0;
  }
};

bool Describe(tensorflow::DataType type, const tensorflow::PartialTensorShape& shape,
              tensorflow::OpInfo::TensorProperties* properties) {
  if (!shape.IsFullyDefined()) return false;
  properties->set_dtype(tensorflow::BaseType(type));
  shape.AsProto(properties->mutable_shape());
  return true;
}

// oneDNN's ops take and give the same tensors as those that they stand for; Grappler knows only the latter.
std::string PlainOp(absl::string_view op) {
  if (!absl::ConsumePrefix(&op, "_MklNative")) absl::ConsumePrefix(&op, "_Mkl");
  return std::string(op);
}

bool Describe(const Node& node, const StaticShapes& shapes, tensorflow::OpInfo* info) {
  *info->mutable_attr() = node.def().attr();
  info->mutable_device()->set_type("CPU");
  for (int i = 0; i < node.num_inputs(); ++i) {
    const tensorflow::Edge* edge = nullptr;
    if (!node.input_edge(i, &edge).ok()) return false;
    if (!Describe(node.input_type(i), shapes[edge->src()->id()][edge->src_output()], info->add_inputs())) return false;
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!Describe(node.output_type(i), shapes[node.id()][i], info->add_outputs())) return false;
  }
  return true;
}

}  // namespace

std::optional<OpCost> GrapplerCostOf(const Node& node, const StaticShapes& shapes) {
  static const Estimator* const estimator = new Estimator;
  OpContext context;
  NodeCosts costs;
  context.op_info.set_op(PlainOp(node.type_string()));
  if (!estimator->Knows(context.op_info.op()) || !Describe(node, shapes, &context.op_info)) return std::nullopt;
  if (!estimator->Count(context, &costs)) return std::nullopt;
  return OpCost{costs.num_compute_ops, costs.num_bytes_accessed()};
}

}  // namespace str::graph
