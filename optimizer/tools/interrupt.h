// Ctrl-C: the first one asks for an early end with what there is, a second one ends the process.
#ifndef STR_OPTIMIZER_TOOLS_INTERRUPT_H_
#define STR_OPTIMIZER_TOOLS_INTERRUPT_H_

#include <atomic>

namespace str::tools {

void StopOnInterrupt();

// Set by the first Ctrl-C after StopOnInterrupt().
const std::atomic<bool>& StopRequested();

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_INTERRUPT_H_
