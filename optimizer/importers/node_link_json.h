// Node-link JSON, as networkx writes graphs. Two kinds of nodes are known:
//   training graphs   {"id": 0, "name": "conv1", "backward": false, "cost_cpu": 385, "cost_ram": 3288334336}
//                     with links {"source": 0, "target": 1}; ids count up in the order to run.
//   random layered    {"name": 0, "duration": 406, "out_cost": 960, "param_cost": 0} with links {"0": 0, "1": 2};
//                     "graph"."order" is the order to run. Nothing is backward, so everything may be recomputed.
// Costs have no unit in the file. Parameters ("param_cost" of nodes, "graph"."const_bytes" of all together, bytes) are
// always there.
#ifndef STR_OPTIMIZER_IMPORTERS_NODE_LINK_JSON_H_
#define STR_OPTIMIZER_IMPORTERS_NODE_LINK_JSON_H_

#include "absl/status/statusor.h"
#include "optimizer/importers/imported_graph.h"
#include "optimizer/importers/json_fields.h"

namespace str::optimizer {

bool IsNodeLinkJson(const JsonFields& file);
// `unit_seconds` is what a cost of 1 takes.
absl::StatusOr<ImportedGraph> ImportNodeLinkJson(const JsonFields& file, double unit_seconds);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_IMPORTERS_NODE_LINK_JSON_H_
