// The version of STR, as in CHANGELOG.md.
#ifndef STR_OPTIMIZER_TOOLS_VERSION_H_
#define STR_OPTIMIZER_TOOLS_VERSION_H_

namespace str::tools {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_VERSION_H_
