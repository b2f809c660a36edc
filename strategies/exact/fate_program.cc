#include "strategies/exact/fate_program.h"

#include <algorithm>
#include <utility>

namespace str::strategies {
namespace {

using optimizer::Action;
using optimizer::Graph;
using optimizer::kNone;
using optimizer::LeanMixFate;
using optimizer::NodeId;
using optimizer::Program;
using optimizer::TensorId;

bool Has(const std::vector<int>& positions, int position) {
  return std::binary_search(positions.begin(), positions.end(), position);
}

class Maker {
 public:
  Maker(const Graph& graph, const std::vector<NodeId>& order, const std::vector<LeanMixFate>& fates, int last,
        SlotOrder slot_order)
      : graph_(graph),
        order_(order),
        fates_(fates),
        last_(last),
        slot_order_(slot_order),
        fate_of_(graph.tensor_count(), kNone),
        generation_(fates.size(), 0),
        there_(fates.size(), 0),
        copying_(fates.size(), 0),
        copied_before_(fates.size(), 0),
        view_generation_(graph.tensor_count(), 0) {
    for (size_t id = 0; id < fates.size(); ++id) fate_of_[fates[id].root] = static_cast<int>(id);
    for (TensorId id = 0; id < graph.tensor_count(); ++id) {
      const TensorId base = graph.tensor(id).view_of;
      if (base != kNone) fate_of_[id] = fate_of_[base];
    }
  }

  Program Make() {
    for (int position = 0; position < static_cast<int>(order_.size()); ++position) {
      BeginSlot(position);
      const NodeId node = order_[position];
      Provide(node);
      EndSlot(position);
      Emit(node, Action::kRun);
      EndRun(position);
    }
    return std::move(program_);
  }

 private:
  // What was not kept is gone. What is made again is made in the order of the first runs; after the window, when it is
  // needed.
  void BeginSlot(int position) {
    if (position > last_ + 1) return;
    for (size_t id = 0; id < fates_.size(); ++id) {
      if (!Has(fates_[id].kept, position - 1)) there_[id] = 0;
    }
    if (position == last_ + 1) {
      FetchAfterWindow();
      return;
    }
    for (size_t id = 0; id < fates_.size(); ++id) {
      if (Has(fates_[id].fetched, position) && !Has(fates_[id].under_way, position - 1)) Fetch(static_cast<int>(id));
      if (Has(fates_[id].fetched, position)) there_[id] = 1;
    }
    if (slot_order_ == SlotOrder::kOpFirst) Provide(order_[position]);
    std::vector<NodeId> again;
    for (int earlier = 0; earlier < position; ++earlier) {
      const optimizer::Node& node = graph_.node(order_[earlier]);
      for (TensorId tensor = node.first_tensor; tensor < node.first_tensor + node.outputs; ++tensor) {
        const int id = fate_of_[tensor];
        const bool rerun = id != kNone && fates_[id].root == tensor && Has(fates_[id].rerun, position);
        if (rerun && !there_[id] && (again.empty() || again.back() != order_[earlier])) {
          again.push_back(order_[earlier]);
        }
      }
    }
    if (slot_order_ == SlotOrder::kLatestFirst) std::reverse(again.begin(), again.end());
    for (const NodeId node : again) {
      if (AllThere(node)) continue;
      Provide(node);
      Emit(node, Action::kRerun);
    }
  }

  // Whether nothing that the node makes is missing.
  bool AllThere(NodeId id) const {
    const optimizer::Node& node = graph_.node(id);
    for (TensorId tensor = node.first_tensor; tensor < node.first_tensor + node.outputs; ++tensor) {
      const int fate = fate_of_[tensor];
      if (fate != kNone && fates_[fate].root == tensor && !there_[fate]) return false;
    }
    return true;
  }

  void FetchAfterWindow() {
    std::vector<std::pair<int, int>> by_use;
    for (size_t id = 0; id < fates_.size(); ++id) {
      if (!Has(fates_[id].fetched, last_ + 1) || Has(fates_[id].under_way, last_)) continue;
      by_use.push_back({FirstUseAfterWindow(fates_[id].root), static_cast<int>(id)});
    }
    std::sort(by_use.begin(), by_use.end());
    for (const auto& [use, id] : by_use) Fetch(id);
    for (size_t id = 0; id < fates_.size(); ++id) {
      if (Has(fates_[id].fetched, last_ + 1)) there_[id] = 1;
    }
  }

  int FirstUseAfterWindow(TensorId root) const {
    for (int position = last_ + 1; position < static_cast<int>(order_.size()); ++position) {
      for (const TensorId input : graph_.inputs(order_[position])) {
        if (fate_of_[input] == fate_of_[root]) return position;
      }
    }
    return static_cast<int>(order_.size());
  }

  // Before the op runs: copies out of what does not stay are waited for, and fetches begin that go on beside it.
  void EndSlot(int position) {
    if (position > last_) return;
    for (size_t id = 0; id < fates_.size(); ++id) {
      const bool goes =
          copying_[id] && !Has(fates_[id].kept, position) && !Takes(order_[position], static_cast<int>(id));
      if (goes) Wait(static_cast<int>(id));
    }
    for (size_t id = 0; id < fates_.size(); ++id) {
      const std::vector<int>& under_way = fates_[id].under_way;
      const bool begins =
          Has(under_way, position) && (!Has(under_way, position - 1) || Has(fates_[id].fetched, position));
      if (begins && copied_before_[id] && Arrives(fates_[id], position)) {
        Fetch(static_cast<int>(id));
      }
    }
  }

  // Whether a fetch that goes on during the op ever arrives.
  bool Arrives(const LeanMixFate& fate, int position) const {
    int next = position + 1;
    while (next <= last_ && !Has(fate.fetched, next) && Has(fate.under_way, next)) ++next;
    return Has(fate.fetched, next);
  }

  void EndRun(int position) {
    const optimizer::Node& node = graph_.node(order_[position]);
    for (TensorId tensor = node.first_tensor; tensor < node.first_tensor + node.outputs; ++tensor) {
      const int id = fate_of_[tensor];
      if (id == kNone || fates_[id].root != tensor || fates_[id].fetched.empty()) continue;
      program_.push_back({Action::kSwapOut, tensor});
      copying_[id] = copied_before_[id] = 1;
    }
    if (position > last_) return;
    for (size_t id = 0; id < fates_.size(); ++id) {
      if (copying_[id] && !Has(fates_[id].kept, position) && graph_.tensor(fates_[id].root).node != order_[position]) {
        Wait(static_cast<int>(id));
      }
    }
  }

  bool Takes(NodeId node, int id) const {
    const absl::Span<const TensorId> inputs = graph_.inputs(node);
    return std::any_of(inputs.begin(), inputs.end(), [&](TensorId input) { return fate_of_[input] == id; });
  }

  void Wait(int id) {
    program_.push_back({Action::kSwapOutWait, fates_[id].root});
    copying_[id] = 0;
  }

  void Fetch(int id) {
    if (copying_[id]) Wait(id);
    program_.push_back({Action::kSwapIn, fates_[id].root});
    ++generation_[id];
  }

  // Makes sure that all inputs of the node are there, and views of what is there.
  void Provide(NodeId node) {
    for (const TensorId input : graph_.inputs(node)) {
      const int id = fate_of_[input];
      if (id == kNone) continue;
      const NodeId producer = graph_.tensor(fates_[id].root).node;
      if (!there_[id] && graph_.node(producer).MayRerun()) {
        Provide(producer);
        if (!there_[id]) Emit(producer, Action::kRerun);
      }
      if (input == fates_[id].root || view_generation_[input] == generation_[id]) continue;
      const NodeId view = graph_.tensor(input).node;
      Provide(view);
      Emit(view, Action::kRerun);
    }
  }

  void Emit(NodeId id, Action action) {
    program_.push_back({action, id});
    const optimizer::Node& node = graph_.node(id);
    for (TensorId tensor = node.first_tensor; tensor < node.first_tensor + node.outputs; ++tensor) {
      const int fate = fate_of_[tensor];
      if (fate == kNone) continue;
      if (fates_[fate].root == tensor) {
        ++generation_[fate];
        there_[fate] = 1;
      } else {
        view_generation_[tensor] = generation_[fate];
      }
    }
  }

  const Graph& graph_;
  const std::vector<NodeId>& order_;
  const std::vector<LeanMixFate>& fates_;
  const int last_;
  const SlotOrder slot_order_;
  // By tensor: whose view or root it is.
  std::vector<int> fate_of_;
  // By fate: how often it was made or fetched; whether it is there; whether a copy out is open, and whether there was
  // one.
  std::vector<int> generation_;
  std::vector<char> there_, copying_, copied_before_;
  // By tensor: of which generation it is a view.
  std::vector<int> view_generation_;
  Program program_;
};

}  // namespace

Program MakeProgram(const Graph& graph, const std::vector<NodeId>& order, const std::vector<LeanMixFate>& fates,
                    int last, SlotOrder slot_order) {
  return Maker(graph, order, fates, last, slot_order).Make();
}

}  // namespace str::strategies
