// Jobs on several threads.
#ifndef STR_OPTIMIZER_PARALLEL_RUN_PARALLEL_H_
#define STR_OPTIMIZER_PARALLEL_RUN_PARALLEL_H_

#include <functional>

namespace str::optimizer {

// Calls job(0), job(1), …, job(jobs - 1), each once, begun in this order, at most `threads` at the same time, this
// thread being one of them. Returns when all have ended.
void RunParallel(int jobs, int threads, const std::function<void(int)>& job);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_PARALLEL_RUN_PARALLEL_H_
