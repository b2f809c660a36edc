#include "optimizer/importers/mksch_graph.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/graph_validator.h"
#include "optimizer/importers/imported_graph.h"

namespace str::optimizer {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;
constexpr double kConvolutionUnits = 10;
constexpr double kOtherUnits = 1;

class Importer {
 public:
  Importer(const MkschGraph& graph, double unit_seconds)
      : graph_(graph),
        unit_seconds_(unit_seconds),
        value_(graph.variables.size()),
        gradient_(graph.variables.size()),
        position_(graph.forward_functions()) {}

  absl::StatusOr<MkschImport> Make() {
    config::GraphFile& file = import_.file;
    file.set_format_version(1);
    file.set_name("mksch");
    file.set_steps_measured(1);
    file.set_allocation_granule_bytes(1);
    for (int variable = 0; variable < static_cast<int>(graph_.variables.size()); ++variable) {
      if (graph_.variables[variable].leaf()) AddLeaf(variable);
    }
    const std::vector<int> order = ForwardOrder(graph_);
    for (size_t i = 0; i < order.size(); ++i) position_[order[i]] = static_cast<int>(i);
    for (const int function : order) AddForward(function);
    for (auto function = order.rbegin(); function != order.rend(); ++function) {
      AddBackward(*function + graph_.forward_functions());
    }
    file.set_fingerprint(ImportedFingerprint(file));
    if (absl::Status valid = config::ValidateGraph(file); !valid.ok()) return valid;
    return std::move(import_);
  }

 private:
  config::Node* Add(std::string name, std::string op, MkschNode from) {
    import_.nodes.push_back(std::move(from));
    config::Node* node = import_.file.add_node();
    node->set_name(std::move(name));
    node->set_op(std::move(op));
    return node;
  }

  // The tensor's name.
  std::string AddOutput(int variable, config::Node* node) {
    const int64_t bytes = graph_.variables[variable].bytes;
    config::Output* output = node->add_output();
    output->set_dtype("uint8");
    output->set_known_rank(true);
    output->add_dim(bytes);
    output->set_bytes(bytes);
    output->set_external(graph_.variables[variable].leaf());
    return absl::StrCat(node->name(), ":", node->output_size() - 1);
  }

  int64_t Nanoseconds(const MkschFunction& function, size_t parts) const {
    const double units = absl::StartsWith(function.type, "Conv") ? kConvolutionUnits : kOtherUnits;
    return std::llround(units * unit_seconds_ * kNanosecondsPerSecond / static_cast<double>(parts));
  }

  void AddLeaf(int variable) {
    config::Node* node = Add(absl::StrCat("leaf/", variable, "/", graph_.variables[variable].name), "Leaf", {});
    node->set_recompute(config::RECOMPUTE_EXTERNAL);
    value_[variable] = AddOutput(variable, node);
  }

  void AddForward(int id) {
    const MkschFunction& function = graph_.functions[id];
    config::Node* node = Add(absl::StrCat("forward/", id, "/", function.type), function.type, {id, {0}});
    for (const MkschInput& input : function.inputs) node->add_input(value_[input.variable]);
    node->set_time_ns(Nanoseconds(function, 1));
    value_[function.outputs[0]] = AddOutput(function.outputs[0], node);
  }

  // Which outputs of a backward function each of its nodes makes.
  std::vector<std::vector<int>> Parts(const MkschFunction& function) const {
    std::vector<std::vector<int>> parts;
    std::vector<int> leaves;
    for (int i = 0; i < static_cast<int>(function.outputs.size()); ++i) {
      if (graph_.variables[function.outputs[i]].leaf()) {
        leaves.push_back(i);
      } else {
        parts.push_back({i});
      }
    }
    if (parts.empty()) return {leaves};
    // Gradients of leaves are never dropped, so they come with the part that plans run last.
    const auto last = std::min_element(parts.begin(), parts.end(), [&](const auto& a, const auto& b) {
      return Position(function.outputs[a[0]]) < Position(function.outputs[b[0]]);
    });
    last->insert(last->end(), leaves.begin(), leaves.end());
    return parts;
  }

  int Position(int variable) const { return position_[graph_.variables[variable].producer]; }

  void AddBackward(int id) {
    const MkschFunction& function = graph_.functions[id];
    if (function.outputs.empty()) return;
    const std::vector<std::vector<int>> parts = Parts(function);
    for (const std::vector<int>& part : parts) {
      std::string name = absl::StrCat("backward/", id, "/", function.type);
      if (parts.size() > 1) absl::StrAppend(&name, "/", part[0]);
      config::Node* node = Add(std::move(name), absl::StrCat(function.type, "Backward"), {id, part});
      node->set_recompute(config::RECOMPUTE_NOT_WANTED);
      node->set_time_ns(Nanoseconds(function, parts.size()));
      for (const MkschInput& input : function.inputs) {
        // Of the last value, the gradient is there from the start.
        const std::string& tensor = (input.gradient ? gradient_ : value_)[input.variable];
        if (!tensor.empty()) node->add_input(tensor);
      }
      for (const int index : part) AddGradient(function.outputs[index], node);
    }
  }

  void AddGradient(int variable, config::Node* node) {
    std::string& gradient = gradient_[variable];
    const std::string so_far = std::move(gradient);
    gradient = AddOutput(variable, node);
    if (so_far.empty() || graph_.variables[variable].leaf()) return;
    node->add_input(so_far);
    node->mutable_output(node->output_size() - 1)->add_forwards_input(node->input_size() - 1);
  }

  const MkschGraph& graph_;
  const double unit_seconds_;
  // Names of tensors by variable; of gradients as far as they are summed up.
  std::vector<std::string> value_, gradient_;
  // By forward function: where it is in the order.
  std::vector<int> position_;
  MkschImport import_;
};

}  // namespace

absl::StatusOr<MkschImport> ImportMksch(const MkschGraph& graph, double unit_seconds) {
  return Importer(graph, unit_seconds).Make();
}

}  // namespace str::optimizer
