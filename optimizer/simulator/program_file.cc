#include "optimizer/simulator/program_file.h"

#include "absl/strings/str_cat.h"
#include "config/step_text.h"
#include "config/tensor_name.h"

namespace str::optimizer {
namespace {

absl::StatusOr<Step> StepFromFile(const Graph& graph, const config::Step& from) {
  const absl::string_view target = config::StepTarget(from);
  Step step;
  switch (from.action_case()) {
    case config::Step::kRun:
      step.action = Action::kRun;
      break;
    case config::Step::kRerun:
      step.action = Action::kRerun;
      break;
    case config::Step::kSwapOut:
      step.action = Action::kSwapOut;
      step.tier = from.tier() == config::TIER_DISK ? Tier::kDisk : Tier::kHost;
      break;
    case config::Step::kSwapOutWait:
      step.action = Action::kSwapOutWait;
      break;
    case config::Step::kSwapIn:
      step.action = Action::kSwapIn;
      break;
    case config::Step::ACTION_NOT_SET:
      return absl::InvalidArgumentError("has no action");
  }
  if (Computes(step.action)) {
    step.id = graph.FindNode(target);
    if (step.id == kNone) return absl::InvalidArgumentError("the graph has no such node");
    return step;
  }
  const absl::StatusOr<config::TensorName> name = config::ParseTensorName(target);
  if (!name.ok()) return name.status();
  const NodeId node = graph.FindNode(name->node);
  if (node == kNone || name->output >= graph.node(node).outputs) {
    return absl::InvalidArgumentError("the graph has no such tensor");
  }
  step.id = graph.node(node).first_tensor + name->output;
  return step;
}

}  // namespace

absl::StatusOr<Program> ProgramFromStrategy(const Graph& graph, const config::StrategyFile& strategy) {
  Program program;
  program.reserve(strategy.step_size());
  for (int i = 0; i < strategy.step_size(); ++i) {
    const absl::StatusOr<Step> step = StepFromFile(graph, strategy.step(i));
    if (!step.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(config::StepText(strategy, i), ": ", step.status().message()));
    }
    program.push_back(*step);
  }
  return program;
}

void WriteSteps(const config::GraphFile& file, const Graph& graph, const Program& program,
                config::StrategyFile* strategy) {
  strategy->clear_step();
  strategy->mutable_step()->Reserve(static_cast<int>(program.size()));
  for (const Step& from : program) {
    config::Step* step = strategy->add_step();
    switch (from.action) {
      case Action::kRun:
        step->set_run(graph.name(from.id));
        for (const config::Output& output : file.node(from.id).output()) step->add_output(config::ShapeText(output));
        step->set_first_addend(file.node(from.id).first_addend());
        break;
      case Action::kRerun:
        step->set_rerun(graph.name(from.id));
        break;
      case Action::kSwapOut:
        step->set_swap_out(graph.TensorName(from.id));
        step->set_tier(from.tier == Tier::kDisk ? config::TIER_DISK : config::TIER_HOST);
        break;
      case Action::kSwapOutWait:
        step->set_swap_out_wait(graph.TensorName(from.id));
        break;
      case Action::kSwapIn:
        step->set_swap_in(graph.TensorName(from.id));
        break;
    }
  }
}

}  // namespace str::optimizer
