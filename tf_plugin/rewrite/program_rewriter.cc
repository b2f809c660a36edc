#include "tf_plugin/rewrite/program_rewriter.h"

#include "absl/strings/str_cat.h"
#include "config/step_text.h"
#include "config/tensor_name.h"
#include "tensorflow/core/framework/node_def_builder.h"
#include "tensorflow/core/framework/types.h"
#include "tf_plugin/graph/op_facts.h"
#include "tf_plugin/kernels/planned_step.h"
#include "tf_plugin/kernels/swap_ops.h"
#include "tf_plugin/rewrite/tier_needs.h"

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
    : strategy_(strategy), view_(view), graph_(graph), host_pool_bytes_(FindTierNeeds(strategy, view).host_pool_bytes) {
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
  for (const config::Step& step : strategy_.step()) {
    const absl::StatusOr<Node*> node = AddStep(step);
    result.nodes.push_back(node.ok() ? *node : nullptr);
    if (result.nodes.back() != nullptr) config::CountStep(step, &result.changes);
    if (node.ok()) continue;
    // A node that is in the graph must run: there is no going without it. Other steps can be done without.
    if (step.action_case() == config::Step::kRun || !absl::IsFailedPrecondition(node.status())) return node.status();
    result.refusals.push_back(std::string(node.status().message()));
  }
  return EndChain();
}

absl::Status ProgramRewriter::EndChain() {
  if (last_ == nullptr) return absl::OkStatus();
  NodeDef definition;
  absl::Status status = tensorflow::NodeDefBuilder(absl::StrCat(kNodePrefix, "chain_end"), kernels::kChainEnd)
                            .Device(last_->requested_device())
                            .Finalize(&definition);
  if (!status.ok()) return status;
  const absl::StatusOr<Node*> end = AddOwnNode(std::move(definition), *last_);
  if (!end.ok()) return end.status();
  Chain(*end);
  return absl::OkStatus();
}

absl::StatusOr<Node*> ProgramRewriter::AddStep(const config::Step& step) {
  if (step.action_case() == config::Step::kRun) {
    Node* const node = nodes_.at(step.run());
    first_addend_[node] = step.first_addend();
    return AddRun(node);
  }
  if (step.action_case() == config::Step::kRerun) return AddRerun(*nodes_.at(step.rerun()));
  const absl::StatusOr<Tensor> tensor = FindTensor(std::string(config::StepTarget(step)));
  if (!tensor.ok()) return tensor.status();
  switch (step.action_case()) {
    case config::Step::kSwapOut:
      return AddSwapOut(*tensor, step.tier() == config::TIER_DISK);
    case config::Step::kSwapOutWait:
      return AddSwapOutWait(*tensor);
    case config::Step::kSwapIn:
      return AddSwapIn(*tensor);
    default:
      return absl::InternalError("a step without action passed validation");
  }
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

absl::StatusOr<std::vector<ProgramRewriter::Instance>> ProgramRewriter::TakeInputs(const Node& original) {
  std::vector<Instance> inputs;
  for (const Tensor& tensor : inputs_[original.id()]) {
    const absl::StatusOr<Instance> input = Take(tensor);
    if (!input.ok()) return input.status();
    inputs.push_back(*input);
  }
  if (graph::SumsInOrderOfBuffers(original.type_string(), original.num_inputs())) {
    const int first = first_addend_.at(&original);
    if (first < 0 || first >= original.num_inputs()) {
      return Refused(absl::StrCat("'", original.name(), "'"), absl::StrCat("has no input ", first, " to sum first"));
    }
    std::swap(inputs[0], inputs[first]);
  }
  return inputs;
}

// The other addends are held while the sum runs: only the first may give its buffer, or another would be summed first.
absl::Status ProgramRewriter::HoldAddends(const Node& original, const std::vector<Instance>& inputs) {
  if (!graph::SumsInOrderOfBuffers(original.type_string(), original.num_inputs())) return absl::OkStatus();
  const tensorflow::DataType type = original.input_type(0);
  std::vector<tensorflow::NodeDefBuilder::NodeOut> held;
  for (size_t i = 1; i < inputs.size(); ++i) held.emplace_back(inputs[i].node->name(), inputs[i].output, type);
  NodeDef definition;
  absl::Status status = tensorflow::NodeDefBuilder(OwnName("hold", original.name()), kernels::kHold)
                            .Device(original.requested_device())
                            .Input(held)
                            .Finalize(&definition);
  if (!status.ok()) return status;
  const absl::StatusOr<Node*> hold = AddOwnNode(std::move(definition), original);
  if (!hold.ok()) return hold.status();
  for (size_t i = 1; i < inputs.size(); ++i) {
    graph_.AddEdge(inputs[i].node, inputs[i].output, *hold, static_cast<int>(i) - 1);
  }
  Chain(*hold);
  return absl::OkStatus();
}

absl::StatusOr<Node*> ProgramRewriter::AddRun(Node* node) {
  const absl::StatusOr<std::vector<Instance>> inputs = TakeInputs(*node);
  if (!inputs.ok()) return inputs.status();
  for (int i = 0; i < node->num_inputs(); ++i) {
    const Instance& input = (*inputs)[i];
    const Edge* edge = nullptr;
    if (absl::Status status = node->input_edge(i, &edge); !status.ok()) return status;
    if (edge->src() == input.node && edge->src_output() == input.output) continue;
    if (absl::Status status = graph_.UpdateEdge(input.node, input.output, node, i); !status.ok()) return status;
  }
  Chain(node);
  if (absl::Status status = HoldAddends(*node, *inputs); !status.ok()) return status;
  return node;
}

absl::StatusOr<Node*> ProgramRewriter::AddRerun(const Node& original) {
  const config::Recompute recompute = view_.recompute[original.id()];
  if (recompute != config::RECOMPUTE_ALLOWED) {
    return Refused(absl::StrCat("rerun of '", original.name(), "'"),
                   absl::StrCat("this node may not run twice (", config::Recompute_Name(recompute), ")"));
  }
  const absl::StatusOr<std::vector<Instance>> inputs = TakeInputs(original);
  if (!inputs.ok()) return inputs.status();
  NodeDef definition = original.def();
  definition.set_name(OwnName("rerun", original.name()));
  definition.clear_input();
  definition.mutable_attr()->erase("_class");
  (*definition.mutable_attr())[kCloneAttr].set_s(definition.name());
  const absl::StatusOr<Node*> clone = AddOwnNode(std::move(definition), original);
  if (!clone.ok()) return clone.status();
  for (size_t i = 0; i < inputs->size(); ++i) {
    graph_.AddEdge((*inputs)[i].node, (*inputs)[i].output, *clone, static_cast<int>(i));
  }
  Chain(*clone);
  if (absl::Status status = HoldAddends(original, *inputs); !status.ok()) return status;
  for (int i = 0; i < original.num_outputs(); ++i) newest_[{&original, i}] = {*clone, i, false};
  return *clone;
}

absl::StatusOr<Node*> ProgramRewriter::AddSwapOut(const Tensor& tensor, bool disk) {
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
                            .Attr(kernels::kDiskAttr, disk)
                            .Attr(kernels::kHostPoolAttr, host_pool_bytes_)
                            .Input(source->node->name(), source->output, type)
                            .Finalize(&definition);
  if (!status.ok()) return status;
  absl::StatusOr<Node*> swap = AddOwnNode(std::move(definition), original);
  if (!swap.ok()) return swap.status();
  graph_.AddEdge(source->node, source->output, *swap, 0);
  Chain(*swap);
  swapped_out_[tensor] = {*swap, *source};
  return *swap;
}

absl::StatusOr<Node*> ProgramRewriter::AddSwapOutWait(const Tensor& tensor) {
  const auto open = swapped_out_.find(tensor);
  // Its swap-out was refused, and that was said.
  if (open == swapped_out_.end()) return nullptr;
  const Node& original = *tensor.first;
  const OpenSwap& swap = open->second;
  NodeDef definition;
  absl::Status status = tensorflow::NodeDefBuilder(OwnName("swap_out_wait", original.name()), kernels::kSwapOutWait)
                            .Device(original.requested_device())
                            .Attr("T", tensorflow::BaseType(original.output_type(tensor.second)))
                            .Input(swap.swap_out->name(), 0, tensorflow::DT_VARIANT)
                            .Input(swap.source.node->name(), swap.source.output,
                                   tensorflow::BaseType(original.output_type(tensor.second)))
                            .Finalize(&definition);
  if (!status.ok()) return status;
  absl::StatusOr<Node*> wait = AddOwnNode(std::move(definition), original);
  if (!wait.ok()) return wait.status();
  graph_.AddEdge(swap.swap_out, 0, *wait, 0);
  graph_.AddEdge(swap.source.node, swap.source.output, *wait, 1);
  Chain(*wait);
  return *wait;
}

absl::StatusOr<Node*> ProgramRewriter::AddSwapIn(const Tensor& tensor) {
  const auto open = swapped_out_.find(tensor);
  if (open == swapped_out_.end()) return nullptr;
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
  return *swap;
}

}  // namespace str::rewrite
