// File: partitions.h
//
// A step over several devices. TensorFlow splits its graph into one partition per device, and ties them by pairs of
// Send and Recv: what one device sends, another receives. Pairs on one device copy between its own memory and the
// host's.
//
// A plan is for one partition, but an order that is good for one alone can wait for itself through another: a Recv that
// comes early in the order may get what the other device makes out of a Send that comes late. So all questions of order
// are asked of the union: all partitions, and an edge from each Send to its Recv.
#ifndef STR_TF_PLUGIN_GRAPH_PARTITIONS_H_
#define STR_TF_PLUGIN_GRAPH_PARTITIONS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/graph/static_shapes.h"

namespace str::graph {

// By the device's full name. Sorted, so that everything made of it is the same in every process.
using Partitions = std::map<std::string, const tensorflow::Graph*>;

// What one partition has to know of the others.
struct Surroundings {
  // Names of nodes (first, second) of the partition: the second gets something that the first sent, directly or
  // through other devices.
  std::vector<std::pair<std::string, std::string>> order;
  // As far as the senders know them.
  ReceivedShapes received;
  // Name of a Recv whose sender may not run in some step; empty if there is none. Whatever is tied behind it might not
  // run either.
  std::string may_get_nothing;
};

Surroundings SurroundingsOf(const Partitions& partitions, const std::string& device);

// FailedPrecondition, naming a node, if the union has a cycle: then the step would wait for itself for ever.
absl::Status VerifyUnion(const Partitions& partitions);

}  // namespace str::graph

#endif  // STR_TF_PLUGIN_GRAPH_PARTITIONS_H_
