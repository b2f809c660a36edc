// File: plan_cache.h
//
// Graphs and plans of earlier runs, in ~/.str/cache: a second run of a script starts at once.
//
// Several processes may use it at the same time: a file appears under its name complete or not at all. The oldest files
// go when there are too many.
#ifndef STR_TF_PLUGIN_AUTOMATIC_PLAN_CACHE_H_
#define STR_TF_PLUGIN_AUTOMATIC_PLAN_CACHE_H_

#include <cstdint>
#include <string>

namespace str::automatic {

// Where the cache is: STR_CACHE_DIR, else ~/.str/cache, else, without a home, a folder of the user's own under the
// temporary directory.
std::string CacheDirectory();

// What a plan is for.
struct PlanKey {
  std::string fingerprint;
  std::string device;
  int64_t budget_bytes = 0;
  // What else the planner was told.
  std::string options;
};

// The names of the files, without a folder.
std::string GraphFileName(const PlanKey& key);
std::string StrategyFileName(const PlanKey& key);

// Removes the files that were used least recently, until there are at most `most_files`. Files of others, which were
// not written by STR, stay.
void Prune(const std::string& directory, int most_files);
// For Prune: the file was used.
void Touch(const std::string& path);

}  // namespace str::automatic

#endif  // STR_TF_PLUGIN_AUTOMATIC_PLAN_CACHE_H_
