#include "tf_plugin/device/marked_graph.h"

#include <unordered_map>
#include <utility>

#include "absl/synchronization/mutex.h"

namespace str::device {
namespace {

struct Observers {
  absl::Mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<GraphObserver>> by_graph ABSL_GUARDED_BY(mutex);
};

// Never destroyed: TensorFlow's threads may still run ops while the process exits.
Observers& AllObservers() {
  static Observers* const observers = new Observers;
  return *observers;
}

}  // namespace

void MarkNode(tensorflow::Node* node, const std::string& graph_name, int index) {
  node->AddAttr(kGraphAttr, graph_name);
  node->AddAttr(kIndexAttr, static_cast<int64_t>(index));
}

bool IsMarked(const tensorflow::Node& node) { return node.attrs().Find(kGraphAttr) != nullptr; }

bool IsMarked(const tensorflow::Graph& graph) {
  for (const tensorflow::Node* node : graph.op_nodes()) {
    if (IsMarked(*node)) return true;
  }
  return false;
}

Mark FindMark(const tensorflow::NodeDef& node) {
  const auto graph = node.attr().find(kGraphAttr);
  if (graph == node.attr().end()) return {};
  const auto index = node.attr().find(kIndexAttr);
  if (index == node.attr().end()) return {};
  return {FindObserver(graph->second.s()), static_cast<int>(index->second.i())};
}

void SetObserver(const std::string& graph_name, std::shared_ptr<GraphObserver> observer) {
  Observers& all = AllObservers();
  absl::MutexLock lock(&all.mutex);
  all.by_graph[graph_name] = std::move(observer);
}

void RemoveObserver(const std::string& graph_name) {
  Observers& all = AllObservers();
  // Destroyed outside of the lock.
  std::shared_ptr<GraphObserver> removed;
  absl::MutexLock lock(&all.mutex);
  const auto found = all.by_graph.find(graph_name);
  if (found == all.by_graph.end()) return;
  removed = std::move(found->second);
  all.by_graph.erase(found);
}

std::shared_ptr<GraphObserver> FindObserver(const std::string& graph_name) {
  Observers& all = AllObservers();
  absl::MutexLock lock(&all.mutex);
  const auto found = all.by_graph.find(graph_name);
  return found == all.by_graph.end() ? nullptr : found->second;
}

}  // namespace str::device
