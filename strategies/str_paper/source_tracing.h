// STR's rounding of its relaxed model: recursive source tracing. Only what the relaxed solution holds entirely stays
// held; then each held value is traced back, stage by stage, to where it comes from: held before, computed, brought
// back by a copy that the relaxed solution starts at least in part while nothing else uses that direction, or held one
// stage longer if there is room. What cannot be traced is not held, and so computed again where it is needed.
#ifndef STR_STRATEGIES_STR_PAPER_SOURCE_TRACING_H_
#define STR_STRATEGIES_STR_PAPER_SOURCE_TRACING_H_

#include <cstdint>
#include <vector>

#include "strategies/staged/staged_graph.h"
#include "strategies/staged/staged_model.h"
#include "strategies/str_paper/swap_columns.h"
#include "strategies/str_paper/swap_program.h"

namespace str::strategies {

// `values` is a solution of the relaxed model.
SwapSchedule TraceSources(const StagedGraph& graph, const SwapTables& tables, const StagedModel& model,
                          const SwapColumns& columns, const std::vector<double>& values, int64_t budget_bytes);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_PAPER_SOURCE_TRACING_H_
