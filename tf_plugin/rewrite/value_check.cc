#include "tf_plugin/rewrite/value_check.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "config/in_program.h"
#include "config/tensor_name.h"
#include "tensorflow/core/framework/types.h"
#include "tf_plugin/graph/op_facts.h"

namespace str::rewrite {
namespace {

using tensorflow::Edge;
using tensorflow::Node;
using tensorflow::Tensor;

bool IsBytes(tensorflow::DataType type) {
  return !tensorflow::IsRefType(type) && tensorflow::DataTypeCanUseMemcpy(type);
}

uint64_t DigestOf(const Tensor& value) {
  const tensorflow::StringPiece bytes = value.tensor_data();
  return absl::HashOf(absl::string_view(bytes.data(), bytes.size()));
}

}  // namespace

ProgramTensors::ProgramTensors(const config::StrategyFile& strategy, const graph::GraphView& view) {
  std::map<std::string, const Node*> nodes;
  std::map<std::pair<const Node*, int>, int> ids;
  for (const Node* node : view.order) {
    nodes[node->name()] = node;
    if (!config::InProgram(view.recompute[node->id()])) continue;
    for (int i = 0; i < node->num_outputs(); ++i) {
      if (!IsBytes(node->output_type(i))) continue;
      ids[{node, i}] = size();
      names_.push_back(absl::StrCat(node->name(), ":", i));
    }
  }
  const auto find = [&](const Node* node, int output) {
    const auto found = ids.find({node, output});
    return found == ids.end() ? kUnknown : found->second;
  };
  const auto inputs_of = [&](const Node& node) {
    std::vector<int> inputs(node.num_inputs(), kUnknown);
    for (const Edge* edge : node.in_edges()) {
      if (!edge->IsControlEdge()) inputs[edge->dst_input()] = find(edge->src(), edge->src_output());
    }
    return inputs;
  };

  std::map<std::string, int> first_addend;
  for (const config::Step& step : strategy.step()) {
    std::vector<int>& inputs = inputs_.emplace_back();
    std::vector<int>& outputs = outputs_.emplace_back();
    if (step.has_swap_out()) {
      const absl::StatusOr<config::TensorName> name = config::ParseTensorName(step.swap_out());
      if (name.ok() && nodes.count(name->node) > 0) inputs = {find(nodes.at(name->node), name->output)};
    }
    if (!step.has_run() && !step.has_rerun()) continue;
    const std::string& name = step.has_run() ? step.run() : step.rerun();
    const Node& node = *nodes.at(name);
    if (step.has_run()) first_addend[name] = step.first_addend();
    inputs = inputs_of(node);
    if (graph::SumsInOrderOfBuffers(node.type_string(), node.num_inputs())) {
      const int first = first_addend[name];
      if (first >= 0 && first < node.num_inputs()) std::swap(inputs[0], inputs[first]);
    }
    for (int i = 0; i < node.num_outputs(); ++i) outputs.push_back(find(&node, i));
  }

  for (const Node* result : graph::ResultsOf(view)) {
    results_.push_back(inputs_of(*result)[0]);
  }
}

int ProgramTensors::At(const Ports& ports, int index, int port) {
  const std::vector<int>& of_step = ports[index];
  return port < static_cast<int>(of_step.size()) ? of_step[port] : kUnknown;
}

int ProgramTensors::Result(int result) const {
  return result < static_cast<int>(results_.size()) ? results_[result] : kUnknown;
}

void ValueCheck::SawInput(int index, int port, const Tensor& value, const std::string& user) {
  Compare(tensors_.Input(index, port), value, absl::StrCat("input ", port, " of node '", user, "'"));
}

void ValueCheck::SawOutput(int index, int port, const Tensor& value, const std::string& user) {
  const int tensor = tensors_.Output(index, port);
  if (tensor == ProgramTensors::kUnknown) return;
  if (!digests_[tensor].has_value()) {
    digests_[tensor] = DigestOf(value);
  } else {
    Compare(tensor, value, absl::StrCat("output ", port, " of node '", user, "'"));
  }
}

void ValueCheck::SawResult(int result, const Tensor& value) {
  Compare(tensors_.Result(result), value, absl::StrCat("result ", result, " of the step"));
}

void ValueCheck::Compare(int tensor, const Tensor& value, const std::string& what) {
  if (tensor == ProgramTensors::kUnknown || !problem_.empty()) return;
  const uint64_t digest = DigestOf(value);
  if (!digests_[tensor].has_value()) {
    early_.push_back({tensor, digest, what});
    return;
  }
  ++compared_;
  if (digest != *digests_[tensor]) problem_ = Difference(tensor, what);
}

int64_t ValueCheck::compared() const {
  return compared_ + std::count_if(early_.begin(), early_.end(),
                                   [this](const Early& early) { return digests_[early.tensor].has_value(); });
}

std::string ValueCheck::Difference(int tensor, const std::string& what) const {
  return absl::StrCat(what, " has other bytes than '", tensors_.name(tensor), "' had when it was first computed");
}

std::string ValueCheck::Problem() const {
  if (!problem_.empty()) return problem_;
  for (const Early& early : early_) {
    // Without a digest by now, TensorFlow folded the tensor's node and never computed it.
    const std::optional<uint64_t>& digest = digests_[early.tensor];
    if (digest.has_value() && *digest != early.digest) return Difference(early.tensor, early.what);
  }
  return "";
}

}  // namespace str::rewrite
