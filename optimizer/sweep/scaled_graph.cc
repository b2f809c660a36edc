#include "optimizer/sweep/scaled_graph.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace str::tools {
namespace {

using config::GraphFile;
using config::Node;

// Beyond it doubles are no whole numbers any more.
constexpr double kMostValue = 9007199254740992;

// Scales one quantity at a time.
class Scale {
 public:
  Scale(const std::vector<GraphAtBatch>& graphs, int64_t batch) : batch_(static_cast<double>(batch)) {
    first_ = static_cast<double>(graphs[0].batch);
    second_ = graphs.size() > 1 ? static_cast<double>(graphs[1].batch) : 0;
  }

  // The quantity in the first graph, and in the second if there is one.
  int64_t operator()(int64_t in_first, int64_t in_second) {
    const double a = static_cast<double>(in_first), b = static_cast<double>(in_second);
    const double scaled = second_ == 0 ? a * batch_ / first_ : a + (b - a) * (batch_ - first_) / (second_ - first_);
    if (scaled > kMostValue) too_large_ = true;
    return too_large_ ? 0 : std::max<int64_t>(0, std::llround(scaled));
  }

  bool too_large() const { return too_large_; }

 private:
  double batch_ = 0, first_ = 0, second_ = 0;
  bool too_large_ = false;
};

absl::Status Differs(const std::vector<GraphAtBatch>& graphs, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(graphs[1].source_name, ": is not the same model as ", graphs[0].source_name, ": ", what));
}

}  // namespace

absl::Status CheckScalable(const std::vector<GraphAtBatch>& graphs) {
  for (const GraphAtBatch& graph : graphs) {
    if (graph.batch <= 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(graph.source_name, ": a batch of ", graph.batch, " cannot be scaled"));
    }
  }
  if (graphs.size() == 1) return absl::OkStatus();
  const GraphFile &a = graphs[0].file, &b = graphs[1].file;
  if (graphs[0].batch == graphs[1].batch) return Differs(graphs, "both have the same batch size, so nothing follows");
  if (a.node_size() != b.node_size()) {
    return Differs(graphs, absl::StrCat("it has ", b.node_size(), " nodes, not ", a.node_size()));
  }
  for (int i = 0; i < a.node_size(); ++i) {
    const Node &node = a.node(i), &other = b.node(i);
    const bool same =
        node.name() == other.name() && node.op() == other.op() &&
        std::equal(node.input().begin(), node.input().end(), other.input().begin(), other.input().end()) &&
        node.output_size() == other.output_size();
    if (!same)
      return Differs(graphs, absl::StrCat("node ", i, " is \"", other.name(), "\", not \"", node.name(), "\""));
  }
  return absl::OkStatus();
}

absl::StatusOr<GraphFile> ScaleToBatch(const std::vector<GraphAtBatch>& graphs, int64_t batch) {
  const GraphFile& other = graphs.back().file;
  GraphFile file = graphs[0].file;
  Scale scale(graphs, batch);
  // Parameters are in it, and the batch itself.
  if (graphs.size() > 1) file.set_external_bytes(scale(file.external_bytes(), other.external_bytes()));
  file.set_measured_peak_bytes(0);
  for (int i = 0; i < file.node_size(); ++i) {
    Node& node = *file.mutable_node(i);
    const Node& twin = other.node(i);
    node.set_temporary_bytes(scale(node.temporary_bytes(), twin.temporary_bytes()));
    node.set_time_ns(scale(node.time_ns(), twin.time_ns()));
    node.set_flops(scale(node.flops(), twin.flops()));
    node.set_moved_bytes(scale(node.moved_bytes(), twin.moved_bytes()));
    for (int k = 0; k < node.output_size(); ++k) {
      config::Output& output = *node.mutable_output(k);
      output.set_bytes(scale(output.bytes(), twin.output(k).bytes()));
      output.clear_dim();
      output.clear_known_rank();
    }
    if (scale.too_large()) {
      return absl::OutOfRangeError(
          absl::StrCat(graphs[0].source_name, ": node \"", node.name(), "\" gets too large at batch ", batch));
    }
  }
  return file;
}

}  // namespace str::tools
