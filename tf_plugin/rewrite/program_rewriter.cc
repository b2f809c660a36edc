#include "tf_plugin/rewrite/program_rewriter.h"

#include "absl/strings/str_cat.h"
#include "config/tensor_name.h"
#include "tensorflow/core/framework/node_def_builder.h"
#include "tensorflow/core/framework/types.h"
#include "tf_plugin/graph/op_cost.h"
#include "tf_plugin/kernels/swap_ops.h"

namespace str::rewrite {
namespace {

using tensorflow::Edge;
using tensorflow::Node;
using tensorflow::NodeDef;

absl::Status Refused(const std::string& what, const std::string& why) {
  return absl::FailedPreconditionError(absl::StrCat(what, ": ", why));
}

}  // namespace

ProgramRewriter::ProgramRewriter(const config::StrategyFile& strategy, const graph::GraphView& view,
                                 tensorflow::Graph& graph)
    : strategy_(strategy), view_(view), graph_(graph) {
  inputs_.resize(graph.num_node_ids());
  for (Node* node : view.order) {
    nodes_[node->name()] = node;
    inputs_[node->id()].resize(node->num_inputs());
    for (const Edge* edge : node->in_edges()) {
      if (!edge->IsControlEdge()) inputs_[node->id()][edge->dst_input()] = {edge->src(), edge->src_output()};
    }
  }
}

absl::Status ProgramRewriter::Rewrite(RewriteResult& result) {
  result_ = &result;
  for (const config::Step& step : strategy_.step()) {
    Node* const before = last_;
    absl::Status status;
    absl::StatusOr<Tensor> tensor = Tensor();
    switch (step.action_case()) {
      case config::Step::kRun:
        status = AddRun(nodes_.at(step.run()));
        // A node that is in the graph must run: there is no going without it.
        if (!status.ok()) return status;
        break;
      case config::Step::kRerun:
        status = AddRerun(*nodes_.at(step.rerun()));
        break;
      case config::Step::kSwapOut:
        tensor = FindTensor(step.swap_out());
        status = tensor.ok() ? AddSwapOut(*tensor) : tensor.status();
        break;
      case config::Step::kSwapOutWait:
        tensor = FindTensor(step.swap_out_wait());
        status = tensor.ok() ? AddSwapOutWait(*tensor) : tensor.status();
        break;
      case config::Step::kSwapIn:
        tensor = FindTensor(step.swap_in());
        status = tensor.ok() ? AddSwapIn(*tensor) : tensor.status();
        break;
      case config::Step::ACTION_NOT_SET:
        return absl::InternalError("a step without action passed validation");
    }
    // A pending swap-in adds its wait before the step's own node, so `last_` is the step's node if anything was added.
    result.nodes.push_back(status.ok() && last_ != before ? last_ : nullptr);
    if (absl::IsFailedPrecondition(status)) {
      result.refusals.push_back(std::string(status.message()));
    } else if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ProgramRewriter::Tensor> ProgramRewriter::FindTensor(const std::string& name) const {
  const absl::StatusOr<config::TensorName> parsed = config::ParseTensorName(name);
  if (!parsed.ok()) return parsed.status();
  const auto node = nodes_.find(parsed->node);
  if (node == nodes_.end() || parsed->output >= node->second->num_outputs()) {
    return Refused(name, "no such tensor in this graph");
  }
  return Tensor(node->second, parsed->output);
}

std::string ProgramRewriter::OwnName(const std::string& kind, const std::string& name) {
  return absl::StrCat(kNodePrefix, kind, "/", own_nodes_++, "/", name);
}

void ProgramRewriter::Chain(Node* node) {
  if (last_ != nullptr) graph_.AddControlEdge(last_, node);
  last_ = node;
}

absl::StatusOr<Node*> ProgramRewriter::AddOwnNode(NodeDef definition, const Node& model) {
  absl::Status status;
  Node* const node = graph_.AddNode(std::move(definition), &status);
  if (!status.ok()) return status;
  node->set_assigned_device_name(model.assigned_device_name());
  return node;
}

absl::StatusOr<ProgramRewriter::Instance> ProgramRewriter::Take(const Tensor& tensor) {
  const auto found = newest_.find(tensor);
  if (found == newest_.end()) return Instance{const_cast<Node*>(tensor.first), tensor.second};
  Instance& instance = found->second;
  if (instance.pending) {
    const Node& original = *tensor.first;
    NodeDef definition;
    absl::Status status = tensorflow::NodeDefBuilder(OwnName("swap_in_wait", original.name()), kernels::kSwapInWait)
                              .Device(original.requested_device())
                              .Attr("T", tensorflow::BaseType(original.output_type(tensor.second)))
                              .Input(instance.node->name(), 0, tensorflow::DT_VARIANT)
                              .Finalize(&definition);
    if (!status.ok()) return status;
    absl::StatusOr<Node*> wait = AddOwnNode(std::move(definition), original);
    if (!wait.ok()) return wait.status();
    graph_.AddEdge(instance.node, 0, *wait, 0);
    Chain(*wait);
    instance = {*wait, 0, false};
  }
  return instance;
}

absl::Status ProgramRewriter::AddRun(Node* node) {
  const std::vector<Tensor>& inputs = inputs_[node->id()];
  for (size_t i = 0; i < inputs.size(); ++i) {
    const absl::StatusOr<Instance> input = Take(inputs[i]);
    if (!input.ok()) return input.status();
    if (input->node == inputs[i].first) continue;
    if (absl::Status status = graph_.UpdateEdge(input->node, input->output, node, static_cast<int>(i)); !status.ok()) {
      return status;
    }
  }
  Chain(node);
  return absl::OkStatus();
}

absl::Status ProgramRewriter::AddRerun(const Node& original) {
  const config::Recompute recompute = view_.recompute[original.id()];
  if (recompute != config::RECOMPUTE_ALLOWED) {
    return Refused(absl::StrCat("rerun of '", original.name(), "'"),
                   absl::StrCat("this node may not run twice (", config::Recompute_Name(recompute), ")"));
  }
  std::vector<Instance> inputs;
  for (const Tensor& tensor : inputs_[original.id()]) {
    const absl::StatusOr<Instance> input = Take(tensor);
    if (!input.ok()) return input.status();
    inputs.push_back(*input);
  }
  NodeDef definition = original.def();
  definition.set_name(OwnName("rerun", original.name()));
  definition.clear_input();
  definition.mutable_attr()->erase("_class");
  (*definition.mutable_attr())[kCloneAttr].set_s(definition.name());
  absl::StatusOr<Node*> clone = AddOwnNode(std::move(definition), original);
  if (!clone.ok()) return clone.status();
  for (size_t i = 0; i < inputs.size(); ++i) {
    graph_.AddEdge(inputs[i].node, inputs[i].output, *clone, static_cast<int>(i));
  }
  Chain(*clone);
  for (int i = 0; i < original.num_outputs(); ++i) newest_[{&original, i}] = {*clone, i, false};
  ++result_->recomputed_nodes;
  return absl::OkStatus();
}

absl::Status ProgramRewriter::AddSwapOut(const Tensor& tensor) {
  const Node& original = *tensor.first;
  const tensorflow::DataType type = tensorflow::BaseType(original.output_type(tensor.second));
  if (!tensorflow::DataTypeCanUseMemcpy(type)) {
    return Refused(absl::StrCat("swap of '", original.name(), ":", tensor.second, "'"),
                   absl::StrCat("tensors of type ", tensorflow::DataTypeString(type), " cannot be copied as bytes"));
  }
  const absl::StatusOr<Instance> source = Take(tensor);
  if (!source.ok()) return source.status();
  NodeDef definition;
  absl::Status status = tensorflow::NodeDefBuilder(OwnName("swap_out", original.name()), kernels::kSwapOut)
                            .Device(original.requested_device())
                            .Attr("T", type)
                            .Input(source->node->name(), source->output, type)
                            .Finalize(&definition);
  if (!status.ok()) return status;
  absl::StatusOr<Node*> swap = AddOwnNode(std::move(definition), original);
  if (!swap.ok()) return swap.status();
  graph_.AddEdge(source->node, source->output, *swap, 0);
  Chain(*swap);
  swapped_out_[tensor] = {*swap, *source};
  ++result_->swapped_tensors;
  result_->swapped_bytes += graph::OutputBytes(original, tensor.second, view_.shapes).value_or(0);
  return absl::OkStatus();
}

absl::Status ProgramRewriter::AddSwapOutWait(const Tensor& tensor) {
  const auto open = swapped_out_.find(tensor);
  // Its swap-out was refused, and that was said.
  if (open == swapped_out_.end()) return absl::OkStatus();
  const Node& original = *tensor.first;
  const OpenSwap& swap = open->second;
  NodeDef definition;
  absl::Status status =
      tensorflow::NodeDefBuilder(OwnName("swap_out_wait", original.name()), kernels::kSwapOutWait)
          .Device(original.requested_device())
          .Attr("T", tensorflow::BaseType(original.output_type(tensor.second)))
          .Input(swap.swap_out->name(), 0, tensorflow::DT_VARIANT)
          .Input(swap.source.node->name(), swap.source.output, tensorflow::BaseType(original.output_type(tensor.second)))
          .Finalize(&definition);
  if (!status.ok()) return status;
  absl::StatusOr<Node*> wait = AddOwnNode(std::move(definition), original);
  if (!wait.ok()) return wait.status();
  graph_.AddEdge(swap.swap_out, 0, *wait, 0);
  graph_.AddEdge(swap.source.node, swap.source.output, *wait, 1);
  Chain(*wait);
  return absl::OkStatus();
}

absl::Status ProgramRewriter::AddSwapIn(const Tensor& tensor) {
  const auto open = swapped_out_.find(tensor);
  if (open == swapped_out_.end()) return absl::OkStatus();
  const Node& original = *tensor.first;
  NodeDef definition;
  absl::Status status = tensorflow::NodeDefBuilder(OwnName("swap_in", original.name()), kernels::kSwapIn)
                            .Device(original.requested_device())
                            .Attr("T", tensorflow::BaseType(original.output_type(tensor.second)))
                            .Input(open->second.swap_out->name(), 0, tensorflow::DT_VARIANT)
                            .Finalize(&definition);
  if (!status.ok()) return status;
  absl::StatusOr<Node*> swap = AddOwnNode(std::move(definition), original);
  if (!swap.ok()) return swap.status();
  graph_.AddEdge(open->second.swap_out, 0, *swap, 0);
  Chain(*swap);
  newest_[tensor] = {*swap, 0, true};
  return absl::OkStatus();
}

}  // namespace str::rewrite
