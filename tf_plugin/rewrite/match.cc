#include "tf_plugin/rewrite/match.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "config/in_program.h"
#include "config/tensor_name.h"
#include "tensorflow/c/c_api.h"
#include "tf_plugin/rewrite/small_differences.h"

namespace str::rewrite {
namespace {

using tensorflow::Node;

// Describes a node that only one of the two has, or that differs between them.
std::string Difference(const Node& node, absl::string_view what) {
  return absl::StrCat("node '", node.name(), "' ", what, ProbablePass(node.name(), node.type_string()));
}

// Empty if programs and nodes agree: then only edges can differ.
std::string FirstDifference(const config::StrategyFile& strategy, const graph::GraphView& view) {
  absl::flat_hash_map<std::string, const Node*> nodes;
  for (const Node* node : view.order) nodes[node->name()] = node;
  // Names first: a node that is missing says more than a shape that differs.
  absl::flat_hash_set<std::string> planned;
  for (const config::Step& step : strategy.step()) {
    if (step.action_case() != config::Step::kRun) continue;
    planned.insert(step.run());
    if (!nodes.contains(step.run())) {
      return absl::StrCat("node '", step.run(), "' is not in this graph", ProbablePass(step.run(), /*op=*/""));
    }
  }
  for (const config::Step& step : strategy.step()) {
    if (step.action_case() != config::Step::kRun) continue;
    const Node& node = *nodes.at(step.run());
    if (view.recompute[node.id()] == config::RECOMPUTE_CONTROL_FLOW) {
      return absl::StrCat("node '", node.name(), "' is part of a loop or conditional, which a program leaves alone");
    }
    if (node.num_outputs() != step.output_size()) {
      return Difference(node, absl::StrCat("has ", node.num_outputs(), " outputs, not ", step.output_size()));
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      const std::string here = config::ShapeText(graph::DescribeOutput(node, i, view.shapes));
      if (here != step.output(i)) {
        return absl::StrCat("node '", node.name(), "' output ", i, " is ", step.output(i), " in the strategy, ", here,
                            " here");
      }
    }
  }
  for (const Node* node : view.order) {
    if (config::InProgram(view.recompute[node->id()]) && !planned.contains(node->name())) {
      return Difference(*node, "is not in the strategy");
    }
  }
  return "";
}

}  // namespace

absl::Status MatchStrategy(const config::StrategyFile& strategy, const graph::GraphView& view) {
  if (strategy.tensorflow_version() != TF_Version()) {
    return absl::FailedPreconditionError(
        absl::StrCat("made for TensorFlow ", strategy.tensorflow_version(), ", this is TensorFlow ", TF_Version()));
  }
  const std::string difference = FirstDifference(strategy, view);
  if (strategy.graph_fingerprint() == view.fingerprint) {
    if (difference.empty()) return absl::OkStatus();
    // The right graph, but not the whole program: a damaged file.
    return absl::FailedPreconditionError(absl::StrCat("incomplete or changed by hand: ", difference));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "made for fingerprint ", strategy.graph_fingerprint(), ", this graph is ", view.fingerprint,
      "; first difference: ", difference.empty() ? "an operation, or the edges between nodes" : difference));
}

}  // namespace str::rewrite
