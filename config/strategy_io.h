// Reads and writes strategy files (strategy.proto): protobuf text format with a comment header for people.
//
// What is read or written is also validated (strategy_validator.h). Whether it fits a graph is a question of its own:
// strategy_against_graph.h.
#ifndef STR_CONFIG_STRATEGY_IO_H_
#define STR_CONFIG_STRATEGY_IO_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/strategy.pb.h"

namespace str::config {

// Errors name the file, and the line and column or the step. STR's original INI form is refused as such.
absl::StatusOr<StrategyFile> ReadStrategy(const std::string& path);

// `source_name` stands for the file in messages.
absl::StatusOr<StrategyFile> ParseStrategy(absl::string_view text, absl::string_view source_name);

// Refuses a strategy that ReadStrategy would refuse; then nothing is written.
absl::Status WriteStrategy(const StrategyFile& strategy, const std::string& path);

std::string StrategyText(const StrategyFile& strategy);

}  // namespace str::config

#endif  // STR_CONFIG_STRATEGY_IO_H_
