// File: messages.h
//
// What the plugin tells people: one line each on stderr, with a code that docs/messages.md explains.
//
//   STR-2001  a setting cannot be understood
//   STR-2002  a strategy file cannot be read
//   STR-2003  a strategy does not fit the graph
//   STR-2004  an action of a strategy was refused
//   STR-2005  a strategy swaps more than the host or the disk may take
//   STR-3001  a strategy was applied: what was done, predicted and measured
//   STR-3002  a graph was captured
//   STR-3003  a graph could not be captured
//   STR-3004  the disk tier lies in memory
#ifndef STR_TF_PLUGIN_MESSAGES_H_
#define STR_TF_PLUGIN_MESSAGES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace str {

// Prints "CODE text" unless STR_VERBOSE is below `level` (1: what everybody should see, 2: details).
void Say(absl::string_view code, absl::string_view text, int level = 1);

// The same line only once per process.
void SayOnce(absl::string_view code, absl::string_view text, int level = 1);

}  // namespace str

#endif  // STR_TF_PLUGIN_MESSAGES_H_
