#include "tf_plugin/automatic/first_addend.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "tf_plugin/graph/op_facts.h"

namespace str::automatic {
namespace {

// One output of a node.
struct Value {
  int node = 0;
  int output = 0;
};

class Graph {
 public:
  explicit Graph(const config::GraphFile& file) : file_(file), users_(file.node_size()) {
    for (int i = 0; i < file.node_size(); ++i) index_[file.node(i).name()] = i;
    for (int i = 0; i < file.node_size(); ++i) {
      for (const std::string& input : file.node(i).input()) users_[ValueOf(input).node].push_back(i);
      for (const std::string& control : file.node(i).control()) users_[index_.at(control)].push_back(i);
    }
    for (std::vector<int>& users : users_) {
      std::sort(users.begin(), users.end());
      users.erase(std::unique(users.begin(), users.end()), users.end());
    }
  }

  int FirstAddend(int sum) const {
    const std::vector<bool> after = After(sum);
    for (int k = 0; k < file_.node(sum).input_size(); ++k) {
      if (IsFree(Owner(ValueOf(file_.node(sum).input(k))), sum, after)) return k;
    }
    return 0;
  }

 private:
  Value ValueOf(const std::string& tensor) const {
    const size_t colon = tensor.rfind(':');
    Value value;
    value.node = index_.at(absl::string_view(tensor).substr(0, colon));
    if (!absl::SimpleAtoi(absl::string_view(tensor).substr(colon + 1), &value.output)) value.output = 0;
    return value;
  }

  const config::Output& OutputOf(const Value& value) const { return file_.node(value.node).output(value.output); }

  // Through views to what made the buffer.
  Value Owner(Value value) const {
    while (OutputOf(value).view_of_input_plus1() > 0) {
      value = ValueOf(file_.node(value.node).input(OutputOf(value).view_of_input_plus1() - 1));
    }
    return value;
  }

  // By node: needs the result of `node`.
  std::vector<bool> After(int node) const {
    std::vector<bool> after(file_.node_size(), false);
    std::vector<int> open = {node};
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      for (int user : users_[at]) {
        if (after[user]) continue;
        after[user] = true;
        open.push_back(user);
      }
    }
    return after;
  }

  // `sum` alone holds the buffer when it runs.
  bool IsFree(const Value& owner, int sum, const std::vector<bool>& after) const {
    if (OutputOf(owner).external()) return false;
    int uses_by_sum = 0;
    std::vector<Value> open = {owner};
    while (!open.empty()) {
      const Value value = open.back();
      open.pop_back();
      for (int user : users_[value.node]) {
        const config::Node& node = file_.node(user);
        for (int k = 0; k < node.input_size(); ++k) {
          const Value input = ValueOf(node.input(k));
          if (input.node != value.node || input.output != value.output) continue;
          if (user == sum) ++uses_by_sum;
          if (after[user] || node.recompute() == config::RECOMPUTE_EXTERNAL) return false;
          for (int o = 0; o < node.output_size(); ++o) {
            if (node.output(o).view_of_input_plus1() == k + 1) open.push_back({user, o});
          }
        }
      }
    }
    return uses_by_sum == 1;
  }

  const config::GraphFile& file_;
  absl::flat_hash_map<absl::string_view, int> index_;
  std::vector<std::vector<int>> users_;
};

}  // namespace

void PredictFirstAddends(config::GraphFile& graph) {
  const Graph view(graph);
  std::vector<std::pair<int, int>> found;
  for (int i = 0; i < graph.node_size(); ++i) {
    if (graph::SumsInOrderOfBuffers(graph.node(i).op(), graph.node(i).input_size())) {
      found.emplace_back(i, view.FirstAddend(i));
    }
  }
  for (const auto& [node, first] : found) {
    graph.mutable_node(node)->set_first_addend(first);
    if (graph.node(node).output_size() == 0) continue;
    config::Output& sum = *graph.mutable_node(node)->mutable_output(0);
    sum.clear_forwards_input();
    sum.add_forwards_input(first);
  }
}

}  // namespace str::automatic
