// The rows of a file of ../shared/data/expected, one JSON object per line, for tests.
#ifndef STR_STRATEGIES_CHECKMATE_TESTING_ROWS_H_
#define STR_STRATEGIES_CHECKMATE_TESTING_ROWS_H_

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"

namespace str::strategies {

using ExpectedRow = google::protobuf::Map<std::string, google::protobuf::Value>;

// Those whose model starts with the name. Infinity, which is not JSON, becomes null. A line that cannot be read fails
// the test.
inline std::vector<ExpectedRow> ReadExpectedRows(const std::string& path, const std::string& model) {
  std::vector<ExpectedRow> rows;
  std::ifstream lines(path);
  std::string line;
  while (std::getline(lines, line)) {
    google::protobuf::Struct row;
    const auto status =
        google::protobuf::util::JsonStringToMessage(absl::StrReplaceAll(line, {{"Infinity", "null"}}), &row);
    EXPECT_TRUE(status.ok()) << path << ": " << status;
    if (status.ok() && row.fields().at("model").string_value().find(model) == 0) rows.push_back(row.fields());
  }
  return rows;
}

inline int64_t WholeNumber(const google::protobuf::Value& value) { return std::llround(value.number_value()); }

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_TESTING_ROWS_H_
