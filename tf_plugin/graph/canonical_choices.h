// File: canonical_choices.h
//
// Makes choices that TensorFlow's passes leave to chance, before those passes run. Without it, one script is a
// different graph in each process: its fingerprint differs, and its plan is refused.
//
// TensorFlow keeps up to eight edges of a node in the order of insertion, and more in an order that depends on their
// addresses. Passes visit nodes along edges, and may take the first partner that they find. The choices are those of
// oneDNN's layout pass, MklLayoutRewritePass, in phase 1 of POST_PARTITIONING:
//
//   open choice                                         settled by
//   Several Conv2DBackpropFilter and BiasAddGrad take   Pairs in the order of names. The first pair stays; each other
//   one gradient, because the outputs of convolutions   pair, the filters left over and the biases left over take an
//   were added: which filter is merged with which bias. Identity of the gradient.
//   MaxPoolGrad and MaxPool3DGrad become oneDNN's only  In a loop that leads from the gradient back to the forward op,
//   if MaxPool or MaxPool3D was visited before.         an Identity between both: they never do. Elsewhere the forward
//                                                       op is always visited before.
//   Conv2D between Pad and BiasAdd is merged with Pad   In a loop that leads from Conv2D back to Pad, an Identity
//   if that was visited before, else with BiasAdd.      between both: with BiasAdd. Elsewhere Pad is always visited
//                                                       before.
//
// Read and tried, without a choice: Conv2D with BiasAdd, and Pad with Conv2D or _FusedConv2D, are merged only if the
// former has no other consumer; gradients of Conv3D and of depthwise convolutions are not merged with biases; LRN stays
// TensorFlow's own; all else that the pass does to a node depends on that node alone.
//
// Hazards. The kernel that computes a bias gradient decides its last bits, so plain TensorFlow's own runs of a model
// with such a choice can differ in them; a settled graph is one of the possible ones. The pass also merges a filter and
// a bias that take different outputs of one node (as the gradient of tf.stack has them), which gives wrong bias
// gradients; pairs here take the same tensor.
#ifndef STR_TF_PLUGIN_GRAPH_CANONICAL_CHOICES_H_
#define STR_TF_PLUGIN_GRAPH_CANONICAL_CHOICES_H_

#include <memory>

#include "absl/status/status.h"
#include "tensorflow/core/graph/graph.h"

namespace str::graph {

// Phase of POST_PARTITIONING for SettleChoices: before every pass of TensorFlow.
inline constexpr int kSettlingPhase = 0;

// Leaves the graph alone where nothing is open, and where oneDNN is off. Idempotent. The nodes that it adds have
// kNodePrefix. Works on a copy that takes the place of `graph`: on an error that is as it was.
absl::Status SettleChoices(std::unique_ptr<tensorflow::Graph>& graph);

}  // namespace str::graph

#endif  // STR_TF_PLUGIN_GRAPH_CANONICAL_CHOICES_H_
