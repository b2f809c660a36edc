// What `str plan` writes: a strategy file (--format=str), or a schedule of mksch (--format=mksch) for graphs of its
// own.
#ifndef STR_OPTIMIZER_TOOLS_PLAN_FORMAT_H_
#define STR_OPTIMIZER_TOOLS_PLAN_FORMAT_H_

#include <string>

#include "absl/status/status.h"
#include "optimizer/simulator/program.h"

namespace str::tools {

inline constexpr char kStrFormat[] = "str";
inline constexpr char kMkschFormat[] = "mksch";

// Before anything is planned: InvalidArgument if the graph or the output is not one for mksch's format.
absl::Status CheckMkschFormat(const std::string& graph_path, const std::string& output);

// `program` is one of the graph in the file `graph_path`.
absl::Status WriteMkschSchedule(const std::string& graph_path, const optimizer::Program& program,
                                const std::string& output);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_PLAN_FORMAT_H_
