// File: marked_graph.h
//
// How the device knows which op of which graph it runs: the pass marks nodes with two attributes, and registers an
// observer under the graph's name. Attributes survive TensorFlow's round trip through a function; node pointers do not.
#ifndef STR_TF_PLUGIN_DEVICE_MARKED_GRAPH_H_
#define STR_TF_PLUGIN_DEVICE_MARKED_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/synchronization/mutex.h"
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/device/current_op.h"

namespace str::device {

inline constexpr char kGraphAttr[] = "_str_graph";
inline constexpr char kIndexAttr[] = "_str_index";

// Told about every op of its graph. Thread-safe. Calls come on the op's thread, for an asynchronous op the second one
// on the thread that completes it.
class GraphObserver {
 public:
  virtual ~GraphObserver() = default;
  // If not null, held while an op runs, from before Starting until after Finished: ops then run one at a time, and each
  // one's time is its own. Not for asynchronous ops, which may wait for others.
  virtual absl::Mutex* OneAtATime() { return nullptr; }
  // Whether Finished needs to know how long the op took by itself, where finding out delays the ops behind it.
  virtual bool WantsTimes() const { return false; }
  // Sets in `op` how its memory is counted.
  virtual void Starting(int index, tensorflow::OpKernelContext& context, OpRecord& op) = 0;
  virtual void Finished(int index, tensorflow::OpKernelContext& context, const OpRecord& op, int64_t elapsed_ns) = 0;
  // An op of the graph failed before it was started: the step is lost.
  virtual void StepFailed() {}
};

struct Mark {
  std::shared_ptr<GraphObserver> observer;  // null: not a marked node
  int index = 0;
};

void MarkNode(tensorflow::Node* node, const std::string& graph_name, int index);
bool IsMarked(const tensorflow::Node& node);
// Captured or rewritten already: some node of it is marked.
bool IsMarked(const tensorflow::Graph& graph);
Mark FindMark(const tensorflow::NodeDef& node);

// A later observer of the same name replaces the earlier one.
void SetObserver(const std::string& graph_name, std::shared_ptr<GraphObserver> observer);
void RemoveObserver(const std::string& graph_name);
// Null if there is none.
std::shared_ptr<GraphObserver> FindObserver(const std::string& graph_name);

}  // namespace str::device

#endif  // STR_TF_PLUGIN_DEVICE_MARKED_GRAPH_H_
