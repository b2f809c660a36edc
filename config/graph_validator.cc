#include "config/graph_validator.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "config/fingerprint.h"
#include "config/graph_order.h"
#include "config/tensor_name.h"

namespace str::config {
namespace {

constexpr int kFormatVersion = 1;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

using NodeIndex = absl::flat_hash_map<absl::string_view, int>;

absl::Status Invalid(absl::string_view message) { return absl::InvalidArgumentError(message); }

template <typename... Parts>
absl::Status NodeError(const Node& node, const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat("node \"", node.name(), "\": ", parts...));
}

// Sums of non-negative numbers that must stay within int64.
class Sum {
 public:
  // False if the sum would overflow.
  bool Add(int64_t value) {
    if (value > kMax - total_) return false;
    total_ += value;
    return true;
  }
  // The same, rounded up to a multiple of `granule`, a power of two.
  bool AddRounded(int64_t value, int64_t granule) {
    return value <= kMax - (granule - 1) && Add((value + granule - 1) & ~(granule - 1));
  }
  int64_t total() const { return total_; }

 private:
  int64_t total_ = 0;
};

absl::Status CheckFileFields(const GraphFile& graph) {
  if (graph.format_version() != kFormatVersion) {
    return Invalid(absl::StrCat("format_version is ", graph.format_version(), "; this version of STR reads ",
                                kFormatVersion, ": capture the graph again"));
  }
  if (graph.node().empty()) return Invalid("the graph has no nodes; is the file cut off?");
  if (graph.node_count() != 0 && graph.node_count() != graph.node_size()) {
    return Invalid(absl::StrCat("node_count is ", graph.node_count(), ", but there are ", graph.node_size(),
                                " nodes: the file is cut off, or was changed by hand; capture the graph again"));
  }
  if (!graph.fingerprint().empty() && !IsFingerprint(graph.fingerprint())) {
    return Invalid(absl::StrCat("fingerprint \"", graph.fingerprint(), "\" is not 16 hex digits"));
  }
  const int64_t granule = graph.allocation_granule_bytes();
  if (granule <= 0 || (granule & (granule - 1)) != 0) {
    return Invalid(absl::StrCat("allocation_granule_bytes is ", granule, "; it must be a power of two, such as 64"));
  }
  const std::pair<absl::string_view, int64_t> counts[] = {
      {"steps_measured", graph.steps_measured()},
      {"external_bytes", graph.external_bytes()},
      {"measured_peak_bytes", graph.measured_peak_bytes()},
      {"copy_out_bytes_per_second", graph.copy_out_bytes_per_second()},
      {"copy_in_bytes_per_second", graph.copy_in_bytes_per_second()},
  };
  for (const auto& [name, value] : counts) {
    if (value < 0) return Invalid(absl::StrCat(name, " is negative: ", value));
  }
  return absl::OkStatus();
}

absl::StatusOr<NodeIndex> IndexNodes(const GraphFile& graph) {
  NodeIndex index;
  index.reserve(graph.node_size());
  for (int i = 0; i < graph.node_size(); ++i) {
    const std::string& name = graph.node(i).name();
    if (name.empty()) return Invalid(absl::StrCat("node number ", i + 1, " has no name"));
    for (const char c : name) {
      if (absl::ascii_iscntrl(c)) {
        return Invalid(absl::StrCat("node number ", i + 1, " has a control character in its name"));
      }
    }
    if (!index.emplace(name, i).second) return NodeError(graph.node(i), "a second node of this name");
  }
  return index;
}

absl::Status CheckEdges(const GraphFile& graph, const Node& node, const NodeIndex& index,
                        std::vector<int>* predecessors) {
  for (const std::string& input : node.input()) {
    const absl::StatusOr<TensorName> tensor = ParseTensorName(input);
    if (!tensor.ok()) return NodeError(node, "input ", tensor.status().message());
    const auto found = index.find(tensor->node);
    if (found == index.end()) return NodeError(node, "input \"", input, "\" names a node that does not exist");
    const int outputs = graph.node(found->second).output_size();
    if (tensor->output >= outputs) {
      return NodeError(node, "input \"", input, "\" does not exist: that node has ", outputs, " outputs");
    }
    predecessors->push_back(found->second);
  }
  for (const std::string& control : node.control()) {
    const auto found = index.find(control);
    if (found == index.end()) {
      return NodeError(node, "control \"", control, "\" names a node that does not exist",
                       control.find(':') == std::string::npos ? "" : "; a control input is a node, without an output");
    }
    predecessors->push_back(found->second);
  }
  return absl::OkStatus();
}

absl::Status CheckOutput(const Node& node, int number) {
  const Output& output = node.output(number);
  if (output.bytes() < 0) return NodeError(node, "output ", number, ": bytes is negative: ", output.bytes());
  if (!output.known_rank() && !output.dim().empty()) {
    return NodeError(node, "output ", number, ": has dim but known_rank is not set");
  }
  for (const int64_t dim : output.dim()) {
    if (dim < -1) return NodeError(node, "output ", number, ": dim ", dim, "; only -1 stands for unknown");
  }
  const int inputs = node.input_size();
  if (output.view_of_input_plus1() < 0 || output.view_of_input_plus1() > inputs) {
    return NodeError(node, "output ", number, ": view_of_input_plus1 is ", output.view_of_input_plus1(),
                     ", but the node has ", inputs, " inputs");
  }
  for (const int input : output.forwards_input()) {
    if (input < 0 || input >= inputs) {
      return NodeError(node, "output ", number, ": forwards_input is ", input, ", but the node has ", inputs,
                       " inputs, counted from 0");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNodeFields(const Node& node, const NodeIndex& index) {
  if (node.first_addend() < 0 || (node.first_addend() > 0 && node.first_addend() >= node.input_size())) {
    return NodeError(node, "first_addend is ", node.first_addend(), ", but the node has ", node.input_size(),
                     " inputs, counted from 0");
  }
  const std::pair<absl::string_view, int64_t> counts[] = {{"temporary_bytes", node.temporary_bytes()},
                                                          {"time_ns", node.time_ns()},
                                                          {"flops", node.flops()},
                                                          {"moved_bytes", node.moved_bytes()}};
  for (const auto& [name, value] : counts) {
    if (value < 0) return NodeError(node, name, " is negative: ", value);
  }
  if (!Recompute_IsValid(node.recompute())) {
    return NodeError(node, "recompute has the unknown value ", static_cast<int>(node.recompute()));
  }
  if (!VariableUse_IsValid(node.variable_use())) {
    return NodeError(node, "variable_use has the unknown value ", static_cast<int>(node.variable_use()));
  }
  if (!node.variable().empty() && !index.contains(node.variable())) {
    return NodeError(node, "variable \"", node.variable(), "\" names a node that does not exist");
  }
  if (node.variable_use() != VARIABLE_NONE && node.variable().empty()) {
    return NodeError(node, VariableUse_Name(node.variable_use()), " without a variable");
  }
  for (int i = 0; i < node.output_size(); ++i) {
    if (absl::Status output = CheckOutput(node, i); !output.ok()) return output;
  }
  return absl::OkStatus();
}

// Expects that no number is negative.
absl::Status CheckSums(const GraphFile& graph) {
  Sum bytes, time, flops, moved;
  bytes.Add(graph.external_bytes());
  for (const Node& node : graph.node()) {
    bool fits = bytes.AddRounded(node.temporary_bytes(), graph.allocation_granule_bytes());
    for (const Output& output : node.output()) {
      fits = fits && bytes.AddRounded(output.bytes(), graph.allocation_granule_bytes());
    }
    if (!fits) return NodeError(node, "the bytes of the graph up to here exceed 63 bits");
    if (!time.Add(node.time_ns())) return NodeError(node, "the time_ns of the graph up to here exceed 63 bits");
    if (!flops.Add(node.flops())) return NodeError(node, "the flops of the graph up to here exceed 63 bits");
    if (!moved.Add(node.moved_bytes()))
      return NodeError(node, "the moved_bytes of the graph up to here exceed 63 bits");
  }
  if (bytes.total() == 0) {
    return Invalid(
        "no node has any bytes, so there is nothing to plan; capture the graph of a training step whose shapes are "
        "known");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateGraph(const GraphFile& graph) {
  if (absl::Status fields = CheckFileFields(graph); !fields.ok()) return fields;
  const absl::StatusOr<NodeIndex> index = IndexNodes(graph);
  if (!index.ok()) return index.status();
  std::vector<std::vector<int>> predecessors(graph.node_size());
  for (int i = 0; i < graph.node_size(); ++i) {
    if (absl::Status edges = CheckEdges(graph, graph.node(i), *index, &predecessors[i]); !edges.ok()) return edges;
    if (absl::Status fields = CheckNodeFields(graph.node(i), *index); !fields.ok()) return fields;
  }
  if (absl::Status order = CheckTopologicalOrder(graph, predecessors); !order.ok()) return order;
  return CheckSums(graph);
}

}  // namespace str::config
