// A captured graph as planners and the judge see it: integer ids instead of names, flat arrays, resolved variables.
//
// Ids are indices: node ids follow the captured execution order, the tensors of a node follow each other.
// Units: bytes. `rounded_bytes` is what the allocator hands out, a multiple of the graph's granule.
// Immutable after FromFile; safe to share between threads.
#ifndef STR_OPTIMIZER_GRAPH_GRAPH_H_
#define STR_OPTIMIZER_GRAPH_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "config/graph.pb.h"

namespace str::optimizer {

using NodeId = int32_t;
using TensorId = int32_t;
inline constexpr int32_t kNone = -1;

struct Node {
  // Not in the program: arguments, constants, results and control flow. TensorFlow runs them by itself.
  bool in_program = true;
  config::Recompute recompute = config::RECOMPUTE_ALLOWED;
  config::VariableUse variable_use = config::VARIABLE_NONE;
  // Index into Graph::variable_bytes(), or kNone.
  int32_t variable = kNone;
  // The node's outputs are the tensors [first_tensor, first_tensor + outputs).
  TensorId first_tensor = 0;
  int32_t outputs = 0;
  // Rounded.
  int64_t temporary_bytes = 0;

  bool MayRerun() const { return in_program && recompute == config::RECOMPUTE_ALLOWED; }
};

struct Tensor {
  NodeId node = kNone;
  int64_t bytes = 0;
  int64_t rounded_bytes = 0;
  // The tensor whose buffer this one always shares, or kNone.
  TensorId view_of = kNone;
  // The tensor that owns the buffer: itself unless it is a view.
  TensorId root = kNone;
  // Shares the buffer of its node's variable.
  bool reads_variable = false;
  // Counts in the graph's external bytes, never freed during the step.
  bool external = false;
  // Edges to nodes outside the program: they hold the first instance to the end of the step.
  int32_t outside_uses = 0;
};

class Graph {
 public:
  // `file` need not have passed the validator: what cannot be resolved is InvalidArgument naming the node.
  static absl::StatusOr<Graph> FromFile(const config::GraphFile& file);

  int node_count() const { return static_cast<int>(nodes_.size()); }
  int tensor_count() const { return static_cast<int>(tensors_.size()); }
  const Node& node(NodeId id) const { return nodes_[id]; }
  const Tensor& tensor(TensorId id) const { return tensors_[id]; }

  // Data inputs in order, a tensor as often as the node takes it.
  absl::Span<const TensorId> inputs(NodeId id) const { return inputs_.Row(id); }
  // Nodes that must have run before, without those that `inputs` implies.
  absl::Span<const NodeId> controls(NodeId id) const { return controls_.Row(id); }
  // One entry per edge, in captured order.
  absl::Span<const NodeId> consumers(TensorId id) const { return consumers_.Row(id); }
  // Positions in inputs(node) whose buffer the kernel takes over if it may, in the order in which it tries them.
  absl::Span<const int32_t> forwards(TensorId id) const { return forwards_.Row(id); }

  int variable_count() const { return static_cast<int>(variable_bytes_.size()); }
  // Rounded; 0 where neither a read nor a value tells.
  int64_t variable_bytes(int32_t variable) const { return variable_bytes_[variable]; }

  int64_t external_bytes() const { return external_bytes_; }
  int64_t Round(int64_t bytes) const { return (bytes + granule_ - 1) / granule_ * granule_; }
  // How many nodes a program runs.
  int program_nodes() const { return program_nodes_; }

  const std::string& name(NodeId id) const { return names_[id]; }
  const std::string& op(NodeId id) const { return ops_[id]; }
  // "conv1/Conv2D:0".
  std::string TensorName(TensorId id) const;
  // kNone if there is none of that name.
  NodeId FindNode(absl::string_view name) const;

 private:
  // Variable-length rows in one array.
  struct Rows {
    std::vector<int32_t> values;
    std::vector<int32_t> begin = {0};
    void EndRow() { begin.push_back(static_cast<int32_t>(values.size())); }
    absl::Span<const int32_t> Row(int32_t row) const {
      return absl::MakeConstSpan(values.data() + begin[row], begin[row + 1] - begin[row]);
    }
  };

  Graph() = default;
  absl::Status AddNodes(const config::GraphFile& file);
  absl::Status AddEdges(const config::GraphFile& file);
  void AddConsumers();
  void SizeVariables();

  std::vector<Node> nodes_;
  std::vector<Tensor> tensors_;
  Rows inputs_, controls_, consumers_, forwards_;
  std::vector<int64_t> variable_bytes_;
  std::vector<std::string> names_, ops_;
  // Node ids in the order of their names.
  std::vector<NodeId> by_name_;
  int64_t external_bytes_ = 0;
  int64_t granule_ = 1;
  int program_nodes_ = 0;
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_GRAPH_GRAPH_H_
