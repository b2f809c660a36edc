#include "optimizer/tools/hidden_strategies.h"

#include <cstdio>
#include <filesystem>

#include "absl/status/statusor.h"
#include "config/strategy_io.h"

namespace str::tools {

namespace fs = std::filesystem;

void SayIfHidden(const std::string& path, const std::string& fingerprint) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(path).parent_path(), error)) {
    if (entry.path().extension() != ".conf" || entry.path().filename() >= fs::path(path).filename()) continue;
    const absl::StatusOr<config::StrategyFile> other = config::ReadStrategy(entry.path().string());
    if (!other.ok() || other->graph_fingerprint() != fingerprint) continue;
    std::fprintf(stderr, "str: %s is for the same graph, and training uses it instead of %s; remove one of them\n",
                 entry.path().c_str(), path.c_str());
  }
}

}  // namespace str::tools
