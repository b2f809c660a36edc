// Plain JSON of a training step, a list of nodes in order:
//   {"name": "vgg16", "const_bytes": 1814431200, "pcie": 12e9, "nodes": [
//     {"name": "conv1", "cost": 0.0053, "bytes": 3288334336, "deps": [], "is_backward": false}, ...]}
// Costs are seconds, "deps" indices of earlier nodes, "pcie" bytes per second each way. Optional: "name", "pcie".
#ifndef STR_OPTIMIZER_IMPORTERS_PLAIN_JSON_H_
#define STR_OPTIMIZER_IMPORTERS_PLAIN_JSON_H_

#include "absl/status/statusor.h"
#include "optimizer/importers/imported_graph.h"
#include "optimizer/importers/json_fields.h"

namespace str::optimizer {

bool IsPlainJson(const JsonFields& file);
absl::StatusOr<ImportedGraph> ImportPlainJson(const JsonFields& file);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_IMPORTERS_PLAIN_JSON_H_
