#include "tf_plugin/rewrite/program_text.h"

#include <utility>

#include "absl/log/check.h"
#include "absl/log/log.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "config/in_program.h"
#include "config/strategy_validator.h"
#include "config/tensor_name.h"

namespace str::rewrite {
namespace {

void FillOutputs(const graph::GraphView& view, config::Step& step) {
  for (const tensorflow::Node* node : view.order) {
    if (node->name() != step.run()) continue;
    for (int i = 0; i < node->num_outputs(); ++i) {
      step.add_output(config::ShapeText(graph::DescribeOutput(*node, i, view.shapes)));
    }
  }
}

}  // namespace

config::StrategyFile ProgramFor(const graph::GraphView& view, const std::vector<std::string>& steps) {
  config::StrategyFile strategy;
  strategy.set_format_version(1);
  strategy.set_graph_name("test");
  strategy.set_graph_fingerprint(view.fingerprint);
  strategy.set_tensorflow_version("2.21.0");
  strategy.set_device("CPU:0");
  strategy.set_arena_bytes(int64_t{1} << 30);
  for (const std::string& text : steps) {
    const std::pair<std::string, std::string> words = absl::StrSplit(text, ' ');
    const auto& [action, target] = words;
    config::Step& step = *strategy.add_step();
    if (action == "run") {
      step.set_run(target);
      FillOutputs(view, step);
    } else if (action == "rerun") {
      step.set_rerun(target);
    } else if (action == "swap_out") {
      step.set_swap_out(target);
    } else if (action == "swap_out_disk") {
      step.set_swap_out(target);
      step.set_tier(config::TIER_DISK);
    } else if (action == "swap_out_wait") {
      step.set_swap_out_wait(target);
    } else if (action == "swap_in") {
      step.set_swap_in(target);
    } else {
      LOG(FATAL) << "no such action: " << text;
    }
  }
  CHECK_OK(config::ValidateStrategy(strategy));
  return strategy;
}

std::vector<std::string> RunAll(const graph::GraphView& view) {
  std::vector<std::string> steps;
  for (const tensorflow::Node* node : view.order) {
    if (config::InProgram(view.recompute[node->id()])) steps.push_back(absl::StrCat("run ", node->name()));
  }
  return steps;
}

}  // namespace str::rewrite
