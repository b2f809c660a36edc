// Which nodes of a graph a program runs. Arguments, constants, results and control flow TensorFlow runs by itself.
#ifndef STR_CONFIG_IN_PROGRAM_H_
#define STR_CONFIG_IN_PROGRAM_H_

#include "config/graph.pb.h"

namespace str::config {

inline bool InProgram(Recompute recompute) {
  return recompute != RECOMPUTE_EXTERNAL && recompute != RECOMPUTE_CONTROL_FLOW;
}

}  // namespace str::config

#endif  // STR_CONFIG_IN_PROGRAM_H_
