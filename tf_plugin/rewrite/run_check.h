// File: run_check.h
//
// Did every node of a program run, once, and in the program's order? Cheap enough for every step.
//
// Some nodes need not be seen: TensorFlow does not compute constants and handles, and it folds nodes whose inputs are
// all constant, and shapes that are known, when it builds the executor. MayBeFolded says which.
#ifndef STR_TF_PLUGIN_REWRITE_RUN_CHECK_H_
#define STR_TF_PLUGIN_REWRITE_RUN_CHECK_H_

#include <string>
#include <vector>

#include "tensorflow/core/graph/graph.h"

namespace str::rewrite {

// By node id. `graph` is the graph that TensorFlow gets, with all control edges.
std::vector<bool> MayBeFolded(const tensorflow::Graph& graph);

// The nodes of a program, by program step.
struct ProgramNode {
  enum Need { kNone, kMayRun, kMustRun };
  // Name of the node in the graph; empty where the step has none.
  std::string name;
  Need need = kNone;
};

// `nodes`: of the program's steps, null where a step has none.
std::vector<ProgramNode> ProgramNodes(const std::vector<tensorflow::Node*>& nodes, const tensorflow::Graph& graph);

// Not thread-safe: the owner locks. One object per step.
class RunCheck {
 public:
  explicit RunCheck(const std::vector<ProgramNode>& nodes) : nodes_(nodes), runs_(nodes.size(), 0) {}

  void Starting(int index);

  // A node that ran again or out of order; empty if there was none. Not known if several calls ran at once.
  const std::string& Noted() const { return noted_; }
  // What went wrong, with the node's name, once `calls` calls have ended, of which none failed; empty if nothing did.
  // Of several calls that ran at once only the number of runs is known.
  std::string Problem(int calls = 1) const;
  int nodes_run() const { return nodes_run_; }

 private:
  const std::vector<ProgramNode>& nodes_;
  std::vector<int> runs_;
  int last_started_ = -1;
  int nodes_run_ = 0;
  std::string noted_;
};

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_RUN_CHECK_H_
