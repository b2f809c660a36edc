// File: program_rewriter.h
//
// Turns a strategy's program into graph nodes and edges.
//
// Every step becomes a node: a `run` is the node that is there, a `rerun` a clone of it, the copies are swap ops
// (kernels/swap_ops.h). Each takes the newest instance of its inputs, as in the simulator, and control edges tie all of
// them into one chain, without which the executor would run clones and swap-ins at once and nothing would be saved.
//
// Hazards. TensorFlow's common-subexpression elimination still runs afterwards and would merge a clone back into its
// original: every clone carries an attribute of its own. AddN sums in another order when another of its inputs is free
// to be taken over: the others are held until it is done. A step that cannot be done is refused with a reason; its
// users then take the instance before it, so that a refusal costs memory and never correctness.
#ifndef STR_TF_PLUGIN_REWRITE_PROGRAM_REWRITER_H_
#define STR_TF_PLUGIN_REWRITE_PROGRAM_REWRITER_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "config/strategy.pb.h"
#include "config/strategy_changes.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/graph/graph_view.h"

namespace str::rewrite {

using graph::kNodePrefix;
inline constexpr char kCloneAttr[] = "_str_clone";

struct RewriteResult {
  // Of the steps that were not refused.
  config::StrategyChanges changes;
  std::vector<std::string> refusals;
  // The graph's node of each program step, null where the step was refused.
  std::vector<tensorflow::Node*> nodes;
};

class ProgramRewriter {
 public:
  // `strategy` was matched to `view` (match.h), which is of `graph`. All outlive the rewriter.
  ProgramRewriter(const config::StrategyFile& strategy, const graph::GraphView& view, tensorflow::Graph& graph);

  // Changes the graph. On an error the graph is half-changed and must not be run.
  absl::Status Rewrite(RewriteResult& result);

 private:
  struct Instance {
    tensorflow::Node* node = nullptr;
    int output = 0;
    // A StrSwapIn whose StrSwapInWait is not there yet: it is put before the first user.
    bool pending = false;
  };
  using Tensor = std::pair<const tensorflow::Node*, int>;  // original node, output
  struct OpenSwap {
    tensorflow::Node* swap_out = nullptr;
    Instance source;
  };

  // Puts StrChainEnd behind everything.
  absl::Status EndChain();

  // Each returns the step's node, null if there is nothing to do; FailedPrecondition refuses the step.
  absl::StatusOr<tensorflow::Node*> AddStep(const config::Step& step);
  absl::StatusOr<tensorflow::Node*> AddRun(tensorflow::Node* node);
  absl::StatusOr<tensorflow::Node*> AddRerun(const tensorflow::Node& original);
  absl::StatusOr<tensorflow::Node*> AddSwapOut(const Tensor& tensor, bool disk);
  absl::StatusOr<tensorflow::Node*> AddSwapOutWait(const Tensor& tensor);
  absl::StatusOr<tensorflow::Node*> AddSwapIn(const Tensor& tensor);

  // Newest instances of a node's inputs, in the order in which they are to be attached.
  absl::StatusOr<std::vector<Instance>> TakeInputs(const tensorflow::Node& original);
  absl::Status HoldAddends(const tensorflow::Node& original, const std::vector<Instance>& inputs);
  // Newest instance, as the source of a data edge.
  absl::StatusOr<Instance> Take(const Tensor& tensor);
  absl::StatusOr<tensorflow::Node*> AddOwnNode(tensorflow::NodeDef definition, const tensorflow::Node& model);
  // Puts a node behind the one before it in the chain.
  void Chain(tensorflow::Node* node);
  absl::StatusOr<Tensor> FindTensor(const std::string& name) const;
  std::string OwnName(const std::string& kind, const std::string& name);

  const config::StrategyFile& strategy_;
  const graph::GraphView& view_;
  tensorflow::Graph& graph_;
  const int64_t host_pool_bytes_;
  std::map<std::string, tensorflow::Node*> nodes_;
  // By node id: the data inputs before anything was changed.
  std::vector<std::vector<Tensor>> inputs_;
  // Of the nodes that ran so far (graph/op_facts.h, SumsInOrderOfBuffers).
  std::map<const tensorflow::Node*, int> first_addend_;
  std::map<Tensor, Instance> newest_;
  std::map<Tensor, OpenSwap> swapped_out_;
  tensorflow::Node* last_ = nullptr;
  int own_nodes_ = 0;
};

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_PROGRAM_REWRITER_H_
