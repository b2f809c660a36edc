// Data sets that are not part of the project: ../shared/data beside the project's root, where there is one.
#ifndef STR_OPTIMIZER_TESTING_SHARED_DATA_H_
#define STR_OPTIMIZER_TESTING_SHARED_DATA_H_

#include <string>

#include "absl/strings/string_view.h"

namespace str::optimizer {

// The path of "planning_graphs/unet_b32.json" and the like. Empty if there is no such file: then skip the test with
// kNoSharedData.
std::string SharedData(absl::string_view name);

inline constexpr char kNoSharedData[] = "skipped: no ../shared/data";

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_TESTING_SHARED_DATA_H_
