#include "optimizer/importers/imported_graph.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "config/digest.h"
#include "config/graph_validator.h"

namespace str::optimizer {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;
// Far from where int64 ends, so that rounding cannot leave it.
constexpr double kLongestNanoseconds = 9e18;

}  // namespace

std::string ImportedFingerprint(const config::GraphFile& file) {
  config::Digest digest;
  for (const config::Node& node : file.node()) {
    digest.Add(node.name());
    for (const config::Output& output : node.output()) digest.Add(absl::StrCat(output.bytes()));
    for (const std::string& input : node.input()) digest.Add(input);
    digest.Add("");
  }
  return digest.Hex();
}

absl::StatusOr<config::GraphFile> MakeGraphFile(const ImportedGraph& graph) {
  config::GraphFile file;
  file.set_format_version(1);
  file.set_name(graph.name);
  file.set_steps_measured(1);
  file.set_external_bytes(graph.external_bytes);
  file.set_allocation_granule_bytes(1);
  file.set_copy_out_bytes_per_second(graph.copy_bytes_per_second);
  file.set_copy_in_bytes_per_second(graph.copy_bytes_per_second);
  for (const ImportedNode& from : graph.nodes) {
    config::Node* node = file.add_node();
    node->set_name(from.name);
    node->set_op("Imported");
    for (const int64_t input : from.inputs) node->add_input(absl::StrCat(graph.nodes[input].name, ":0"));
    config::Output* output = node->add_output();
    output->set_dtype("uint8");
    output->set_known_rank(true);
    output->add_dim(from.bytes);
    output->set_bytes(from.bytes);
    const double nanoseconds = from.seconds * kNanosecondsPerSecond;
    if (!(nanoseconds <= kLongestNanoseconds)) {
      return absl::InvalidArgumentError(
          absl::StrCat("node \"", from.name, "\": takes ", from.seconds, " s, which is too long to count"));
    }
    node->set_time_ns(std::llround(nanoseconds));
    if (!from.may_recompute) node->set_recompute(config::RECOMPUTE_NOT_WANTED);
  }
  file.set_fingerprint(ImportedFingerprint(file));
  if (absl::Status valid = config::ValidateGraph(file); !valid.ok()) return valid;
  return file;
}

}  // namespace str::optimizer
