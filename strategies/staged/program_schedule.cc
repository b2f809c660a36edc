#include "strategies/staged/program_schedule.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace str::strategies {
namespace {

using optimizer::Action;
using optimizer::Graph;
using optimizer::Program;

// Follows the program step by step.
class Reader {
 public:
  Reader(const Graph& graph, const StagedGraph& staged, const Program& program)
      : graph_(graph), staged_(staged), program_(program), made_in_(staged.size(), 0), viewed_(staged.size()) {
    schedule_.computed = StageMatrix(staged.size());
    schedule_.held = StageMatrix(staged.size());
    position_of_.assign(graph.node_count(), optimizer::kNone);
    for (int i = 0; i < staged.size(); ++i) position_of_[staged.node(i).nodes.front()] = i;
  }

  absl::StatusOr<Schedule> Read() {
    int stage = 0;
    for (size_t i = 0; i < program_.size(); ++i) {
      if (!optimizer::Computes(program_[i].action)) return Refused(i, "copies a tensor");
      if (stage == staged_.size()) return Refused(i, "comes after the last first run");
      const int position = position_of_[program_[i].id];
      if (schedule_.computed(stage, position)) {
        return Refused(i, absl::StrCat("is the second time before the first run of \"",
                                       graph_.name(staged_.node(stage).nodes.front()), "\""));
      }
      Compute(stage, position);
      if (program_[i].action == Action::kRun) ++stage;
    }
    return std::move(schedule_);
  }

 private:
  absl::Status Refused(size_t step, absl::string_view reason) const {
    return absl::InvalidArgumentError(absl::StrCat(optimizer::StepName(graph_, program_, static_cast<int>(step)), " ",
                                                   reason, ", which a schedule in stages does not know"));
  }

  void Compute(int stage, int position) {
    const StagedNode& node = staged_.node(position);
    for (const int input : node.inputs) {
      Hold(input, made_in_[input], stage);
      // A view may be of an older instance than the newest.
      for (const auto& [base, base_made_in] : viewed_[input]) Hold(base, base_made_in, stage);
    }
    schedule_.computed.Set(stage, position, true);
    made_in_[position] = stage;
    viewed_[position].clear();
    for (const int base : node.viewed) viewed_[position].emplace_back(base, made_in_[base]);
    if (node.held && stage == position) Hold(position, stage, staged_.size() - 1);
  }

  // From the end of one stage to the start of another.
  void Hold(int position, int from_stage, int to_stage) {
    for (int stage = from_stage + 1; stage <= to_stage; ++stage) schedule_.held.Set(stage, position, true);
  }

  const Graph& graph_;
  const StagedGraph& staged_;
  const Program& program_;
  Schedule schedule_;
  std::vector<int> position_of_;
  // By position: the stage of its newest instance, and of what that is a view of.
  std::vector<int> made_in_;
  std::vector<std::vector<std::pair<int, int>>> viewed_;
};

}  // namespace

absl::StatusOr<Schedule> ScheduleOfProgram(const Graph& graph, const StagedGraph& staged, const Program& program) {
  return Reader(graph, staged, program).Read();
}

}  // namespace str::strategies
