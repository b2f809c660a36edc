// File: fetched_batch.h
//
// Fetching the batch is taken out of the step, so that its size is known before the step begins: with Keras' fit it is
// the step itself that asks the input pipeline for data, and an unknown batch size is known only then.
#ifndef STR_TF_PLUGIN_AUTOMATIC_FETCHED_BATCH_H_
#define STR_TF_PLUGIN_AUTOMATIC_FETCHED_BATCH_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tensorflow/core/graph/graph.h"

namespace str::automatic {

// A copy of `graph` with one more argument for each output of a node that fetches data and needs nothing but arguments;
// these nodes are left out.
absl::StatusOr<std::unique_ptr<tensorflow::Graph>> WithoutFetches(const tensorflow::Graph& graph);

// Puts those nodes of `graph` into `outer`, in the place of the arguments that stand for them.
absl::Status AddFetches(const tensorflow::Graph& graph, tensorflow::Graph& outer);

}  // namespace str::automatic

#endif  // STR_TF_PLUGIN_AUTOMATIC_FETCHED_BATCH_H_
