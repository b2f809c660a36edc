// File: training_graph.h
//
// One step of training of two layers, small enough to write programs for by hand.
#ifndef STR_TF_PLUGIN_TESTING_TRAINING_GRAPH_H_
#define STR_TF_PLUGIN_TESTING_TRAINING_GRAPH_H_

#include <string>
#include <vector>

#include "tf_plugin/testing/graph_builder.h"

namespace str::testing {

// Its nodes, with handles "v1" and "v2" of the weights and constants "x", "target" and "rate":
//   forward   w1 w2 (reads), h = x w1, r = Relu(h), y = r w2, e = y - target
//   backward  g2 = r' e, dr = e w2', dh = ReluGrad(dr, r), g1 = x' dh
//   update    d1 = g1 rate, d2 = g2 rate, u1, u2
// `x` is [rows, width], the weights are [width, width] and [width, width / 4].
void BuildTraining(GraphBuilder& b, int rows = 16, int width = 16);

// Besides the step, and no part of it: "start1", "start2" set the weights, "weights1", "weights2" read them.
void AddWeights(GraphBuilder& b, int width = 16);

// "run" of each node in the order above, handles first.
std::vector<std::string> TrainingProgram();

}  // namespace str::testing

#endif  // STR_TF_PLUGIN_TESTING_TRAINING_GRAPH_H_
