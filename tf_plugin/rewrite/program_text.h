// File: program_text.h
//
// Strategies for tests, one line per step: "run a", "rerun a", "swap_out a:0", "swap_out_disk a:0",
// "swap_out_wait a:0", "swap_in a:0".
#ifndef STR_TF_PLUGIN_REWRITE_PROGRAM_TEXT_H_
#define STR_TF_PLUGIN_REWRITE_PROGRAM_TEXT_H_

#include <string>
#include <vector>

#include "config/strategy.pb.h"
#include "tf_plugin/graph/graph_view.h"

namespace str::rewrite {

// A valid strategy for the graph of `view`; runs carry the graph's own types and shapes.
config::StrategyFile ProgramFor(const graph::GraphView& view, const std::vector<std::string>& steps);

// "run" of every node of the program, in the view's order.
std::vector<std::string> RunAll(const graph::GraphView& view);

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_PROGRAM_TEXT_H_
