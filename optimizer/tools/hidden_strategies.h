// Strategies of one folder that are for the same graph: training uses only the first of them, by name of the file.
#ifndef STR_OPTIMIZER_TOOLS_HIDDEN_STRATEGIES_H_
#define STR_OPTIMIZER_TOOLS_HIDDEN_STRATEGIES_H_

#include <string>

namespace str::tools {

// Says on stderr if training would use another file of its folder instead of the strategy file `path`, which is for the
// graph with this fingerprint.
void SayIfHidden(const std::string& path, const std::string& fingerprint);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_HIDDEN_STRATEGIES_H_
