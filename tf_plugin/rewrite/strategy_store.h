// File: strategy_store.h
//
// The strategies of this process, by the fingerprint of the graph that each is for. Read once, at first use.
#ifndef STR_TF_PLUGIN_REWRITE_STRATEGY_STORE_H_
#define STR_TF_PLUGIN_REWRITE_STRATEGY_STORE_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "config/strategy.pb.h"

namespace str::rewrite {

struct Strategies {
  struct Entry {
    std::string path;
    std::shared_ptr<const config::StrategyFile> strategy;
  };
  std::map<std::string, Entry> by_fingerprint;
  // The first file that could not be read; the others are used all the same.
  absl::Status error;
};

// `path` is a file, or a folder whose *.conf files are read. `must_exist`: a missing path is an error.
Strategies LoadStrategies(const std::string& path, bool must_exist);

// Those that the settings name. Problems were said once.
const Strategies& ProcessStrategies();

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_STRATEGY_STORE_H_
