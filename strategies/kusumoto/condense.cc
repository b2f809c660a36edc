#include "strategies/kusumoto/condense.h"

#include <set>
#include <utility>

namespace str::strategies::kusumoto {
namespace {

class Fuser {
 public:
  explicit Fuser(const std::vector<Fusable>& items) : groups_(items.size()), group_of_(items.size()) {
    for (int i = 0; i < size(); ++i) {
      group_of_[i] = i;
      groups_[i].bytes = items[i].bytes;
      groups_[i].items = {i};
      for (const int input : items[i].inputs) {
        groups_[i].inputs.insert(input);
        groups_[input].consumers.insert(i);
      }
    }
    left_ = size();
  }

  int size() const { return static_cast<int>(groups_.size()); }
  int left() const { return left_; }

  void JoinEmpty() {
    for (int i = 0; i < size(); ++i) {
      const Group& group = groups_[i];
      if (group.bytes > 0 || group.items.empty()) continue;
      if (group.inputs.size() == 1) {
        Fuse(*group.inputs.begin(), i);
      } else if (group.consumers.size() == 1) {
        Fuse(*group.consumers.begin(), i);
      }
    }
  }

  // False if no two can be fused.
  bool FuseSmallest() {
    int64_t fewest = -1;
    std::pair<int, int> best;
    for (int i = 0; i < size(); ++i) {
      const Group& group = groups_[i];
      if (group.items.empty()) continue;
      const auto consider = [&](int other) {
        const int64_t bytes = group.bytes + groups_[other].bytes;
        if (fewest < 0 || bytes < fewest) {
          fewest = bytes;
          best = {other, i};
        }
      };
      // Only so there is no second way between the two, which would become a cycle.
      if (group.inputs.size() == 1) consider(*group.inputs.begin());
      if (group.consumers.size() == 1) consider(*group.consumers.begin());
    }
    if (fewest < 0) return false;
    Fuse(best.first, best.second);
    return true;
  }

  std::vector<int> Numbered() const {
    std::vector<int> number(size(), -1), waits(size(), 0), ready, result(size());
    for (int i = size() - 1; i >= 0; --i) {
      if (groups_[i].items.empty()) continue;
      waits[i] = static_cast<int>(groups_[i].inputs.size());
      if (waits[i] == 0) ready.push_back(i);
    }
    for (int next = 0; !ready.empty(); ++next) {
      const int group = ready.back();
      ready.pop_back();
      number[group] = next;
      for (const int consumer : groups_[group].consumers) {
        if (--waits[consumer] == 0) ready.push_back(consumer);
      }
    }
    for (int i = 0; i < size(); ++i) result[i] = number[group_of_[i]];
    return result;
  }

 private:
  struct Group {
    int64_t bytes = 0;
    // Empty: fused into another.
    std::vector<int> items;
    std::set<int> inputs, consumers;
  };

  void Fuse(int into, int from) {
    Group& to = groups_[into];
    Group gone = std::move(groups_[from]);
    groups_[from] = Group();
    for (const int item : gone.items) group_of_[item] = into;
    to.items.insert(to.items.end(), gone.items.begin(), gone.items.end());
    to.bytes += gone.bytes;
    for (const int input : gone.inputs) {
      groups_[input].consumers.erase(from);
      if (input == into) continue;
      groups_[input].consumers.insert(into);
      to.inputs.insert(input);
    }
    for (const int consumer : gone.consumers) {
      groups_[consumer].inputs.erase(from);
      if (consumer == into) continue;
      groups_[consumer].inputs.insert(into);
      to.consumers.insert(consumer);
    }
    --left_;
  }

  std::vector<Group> groups_;
  std::vector<int> group_of_;
  int left_ = 0;
};

}  // namespace

std::vector<int> Condense(const std::vector<Fusable>& items, int most) {
  Fuser fuser(items);
  fuser.JoinEmpty();
  while (fuser.left() > most && fuser.FuseSmallest()) {
  }
  return fuser.Numbered();
}

}  // namespace str::strategies::kusumoto
