#include "tf_plugin/rewrite/strategy_store.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "config/strategy_io.h"
#include "tf_plugin/messages.h"
#include "tf_plugin/settings.h"

namespace str::rewrite {
namespace {

std::vector<std::string> FilesAt(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.path().extension() == ".conf") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Strategies LoadStrategies(const std::string& path, bool must_exist) {
  Strategies strategies;
  std::error_code error;
  if (path.empty()) return strategies;
  if (!std::filesystem::exists(path, error)) {
    if (must_exist) strategies.error = absl::NotFoundError(absl::StrCat(path, ": no such file or folder"));
    return strategies;
  }
  for (const std::string& file : FilesAt(path)) {
    absl::StatusOr<config::StrategyFile> strategy = config::ReadStrategy(file);
    if (!strategy.ok()) {
      if (strategies.error.ok()) strategies.error = strategy.status();
      continue;
    }
    const std::string fingerprint = strategy->graph_fingerprint();
    strategies.by_fingerprint.emplace(
        fingerprint, Strategies::Entry{file, std::make_shared<const config::StrategyFile>(*std::move(strategy))});
  }
  return strategies;
}

const Strategies& ProcessStrategies() {
  static const Strategies* const strategies = [] {
    const Settings& settings = GetSettings();
    auto* const loaded = new Strategies(LoadStrategies(settings.strategy_path, settings.strategy_path_was_set));
    if (!loaded->error.ok()) {
      Say("STR-2002", absl::StrCat("strategy not used: ", loaded->error.message(),
                                   settings.strict ? "" : ". Training goes on without it."));
    }
    return loaded;
  }();
  return *strategies;
}

}  // namespace str::rewrite
