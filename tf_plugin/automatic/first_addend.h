// File: first_addend.h
//
// With which input an AddN of three or more starts to sum, where nobody has seen it run.
//
// TensorFlow starts with the first input whose buffer nobody else holds. Others hold it while an op that needs the sum
// waits for the same buffer, and where it is no buffer of the step; ops that do not need the sum have run before, as
// they were ready earlier.
#ifndef STR_TF_PLUGIN_AUTOMATIC_FIRST_ADDEND_H_
#define STR_TF_PLUGIN_AUTOMATIC_FIRST_ADDEND_H_

#include "config/graph.pb.h"

namespace str::automatic {

void PredictFirstAddends(config::GraphFile& graph);

}  // namespace str::automatic

#endif  // STR_TF_PLUGIN_AUTOMATIC_FIRST_ADDEND_H_
