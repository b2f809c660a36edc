#include "strategies/str_paper/swap_program.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace str::strategies {
namespace {

using optimizer::Action;
using optimizer::Program;

class Writer {
 public:
  Writer(const optimizer::Graph& graph, const StagedGraph& staged, const SwapTables& tables,
         const SwapSchedule& schedule)
      : graph_(graph), staged_(staged), tables_(tables), schedule_(schedule), at_start_(staged.size()) {
    FindCopiesBack();
    computed_ = LeastComputed(staged_, schedule_.held, &restored_);
    for (int i = 0; i < staged_.size(); ++i) FindCopyOut(i);
  }

  Program Write() {
    Program program;
    for (int stage = 0; stage < staged_.size(); ++stage) {
      // First what makes room.
      std::stable_sort(at_start_[stage].begin(), at_start_[stage].end(),
                       [](const Copy& a, const Copy& b) { return Rank(a.action) < Rank(b.action); });
      for (const Copy& copy : at_start_[stage]) Emit(copy, &program);
      for (int i = 0; i <= stage; ++i) {
        if (!computed_(stage, i)) continue;
        AddSteps(graph_, staged_.node(i), i == stage, &program);
        for (const auto& [use, copy] : after_) {
          if (use == std::make_pair(stage, i)) Emit(copy, &program);
        }
      }
    }
    return WithoutUntaken(graph_, program);
  }

 private:
  struct Copy {
    Action action = Action::kSwapOut;
    int position = 0;
  };

  static int Rank(Action action) { return action == Action::kSwapOutWait ? 0 : action == Action::kSwapOut ? 1 : 2; }

  void Emit(const Copy& copy, Program* program) const {
    for (const optimizer::TensorId tensor : staged_.node(copy.position).tensors) {
      program->push_back(optimizer::Step{copy.action, tensor});
    }
  }

  void FindCopiesBack() {
    const int size = staged_.size();
    first_back_.assign(size, size);
    restored_ = StageMatrix(size);
    for (int i = 0; i < size; ++i) {
      for (int stage = i + 1; stage < size; ++stage) {
        if (!schedule_.in(stage, i)) continue;
        const int finish = tables_.in.Finish(stage, i);
        const bool useful = finish != SwapTable::kNever && finish + 1 < size && schedule_.held(finish + 1, i) &&
                            !schedule_.held(finish, i) && !restored_(finish, i) && CopyOutBefore(i, stage);
        if (!useful) continue;
        restored_.Set(finish, i, true);
        at_start_[stage].push_back({Action::kSwapIn, i});
        first_back_[i] = std::min(first_back_[i], stage);
      }
    }
  }

  bool CopyOutBefore(int position, int before) const {
    for (int stage = position + 1; stage < before; ++stage) {
      if (schedule_.out(stage, position)) return true;
    }
    return false;
  }

  void FindCopyOut(int position) {
    if (first_back_[position] == staged_.size()) return;
    int start = position + 1;
    while (!schedule_.out(start, position)) ++start;
    const int finish = tables_.out.Finish(start, position);
    at_start_[start].push_back({Action::kSwapOut, position});
    int drop = start + 1;
    while (drop < first_back_[position] && schedule_.held(drop, position)) ++drop;
    // The last use before the drop.
    std::pair<int, int> use = {-1, -1};
    for (int stage = position; stage < drop; ++stage) {
      for (const int consumer : staged_.node(position).consumers) {
        if (consumer <= stage && computed_(stage, consumer)) use = {stage, consumer};
      }
    }
    // In the stage in which its copy finishes the model lets a value go after its last use, and so does the program,
    // even if it has to wait there.
    if (use.first >= std::max(finish, start)) {
      after_.push_back({use, {Action::kSwapOutWait, position}});
    } else {
      at_start_[std::max(start + 1, std::min(finish + 1, drop))].push_back({Action::kSwapOutWait, position});
    }
  }

  const optimizer::Graph& graph_;
  const StagedGraph& staged_;
  const SwapTables& tables_;
  const SwapSchedule& schedule_;
  StageMatrix computed_, restored_;
  std::vector<int> first_back_;
  std::vector<std::vector<Copy>> at_start_;
  // After the compute of a stage and position.
  std::vector<std::pair<std::pair<int, int>, Copy>> after_;
};

}  // namespace

Program SwapProgram(const optimizer::Graph& graph, const StagedGraph& staged, const SwapTables& tables,
                    const SwapSchedule& schedule) {
  return Writer(graph, staged, tables, schedule).Write();
}

}  // namespace str::strategies
