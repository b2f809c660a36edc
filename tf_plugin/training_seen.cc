#include "tf_plugin/training_seen.h"

#include <atomic>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "tf_plugin/messages.h"

namespace str {
namespace {

std::atomic<bool> seen = false;
const std::string* asked_for = nullptr;

void SayIfNoneSeen() {
  if (seen) return;
  Say("STR-3011",
      absl::StrCat(*asked_for,
                   " had no effect: no training step ran as a graph in this process. A step is planned where it runs in "
                   "Keras' fit, a tf.function or a session; an eager loop has no graph: put its step into a "
                   "tf.function. Nor has a step that XLA compiles by itself: leave jit_compile=True out"));
}

}  // namespace

void NoteTrainingStep() { seen = true; }

void SayAtExitIfNoneSeen(const std::string& asked) {
  asked_for = new std::string(asked);
  std::atexit(SayIfNoneSeen);
}

}  // namespace str
