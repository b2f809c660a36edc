#include "optimizer/tools/interrupt.h"

#include <csignal>

namespace str::tools {
namespace {

std::atomic<bool> stop_requested(false);

}  // namespace

void StopOnInterrupt() {
  std::signal(SIGINT, [](int) {
    stop_requested.store(true);
    std::signal(SIGINT, SIG_DFL);
  });
}

const std::atomic<bool>& StopRequested() { return stop_requested; }

}  // namespace str::tools
