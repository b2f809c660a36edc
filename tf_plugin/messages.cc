#include "tf_plugin/messages.h"

#include <cstdio>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "tf_plugin/settings.h"

namespace str {

void Say(absl::string_view code, absl::string_view text, int level) {
  if (GetSettings().verbose < level) return;
  // One call, so that lines of several threads do not mix.
  std::fputs(absl::StrCat(code, " ", text, "\n").c_str(), stderr);
}

void SayOnce(absl::string_view code, absl::string_view text, int level) {
  static absl::Mutex* const mutex = new absl::Mutex;
  static std::set<std::string>* const said = new std::set<std::string>;
  {
    absl::MutexLock lock(mutex);
    if (!said->insert(absl::StrCat(code, " ", text)).second) return;
  }
  Say(code, text, level);
}

}  // namespace str
