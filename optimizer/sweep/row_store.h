// The rows of a sweep in one JSON file, written anew after each row: a sweep that was interrupted goes on where it
// stopped when it is started again.
//
// {
//   "command": "compare",          what the sweep is about, all of it text
//   "rows": [
//     {"point": "str@50%", ...},   one row a line, each with the name of its point
//   ]
// }
#ifndef STR_OPTIMIZER_SWEEP_ROW_STORE_H_
#define STR_OPTIMIZER_SWEEP_ROW_STORE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/struct.pb.h"
#include "optimizer/tools/json.h"

namespace str::tools {

class RowStore {
 public:
  using Header = std::vector<std::pair<std::string, std::string>>;

  // An empty file name: in memory only, nothing is read or written; "-" likewise, for who prints Contents().
  RowStore(std::string file, Header header) : file_(std::move(file)), header_(std::move(header)) {}

  // Takes over the rows of the file, if there is one. Refuses a file that is no sweep or one about something else:
  // nothing that took hours is overwritten by mistake.
  // Of two differences the one that comes first in the header is named.
  absl::Status Resume();

  // Leaves the rows of the file alone: the first new row replaces them. Refuses a file that is no sweep.
  absl::Status StartAnew() const;

  bool Has(absl::string_view point) const { return Find(point) != nullptr; }
  // Null if there is none.
  const google::protobuf::Struct* Find(absl::string_view point) const;
  // `row` without its point, which is put first. Writes the file.
  absl::Status Add(absl::string_view point, const JsonObject& row);
  std::string Contents() const;
  size_t size() const { return rows_.size(); }

 private:
  struct Row {
    std::string text, point;
    google::protobuf::Struct fields;
  };

  bool InFile() const { return !file_.empty() && file_ != "-"; }
  absl::Status Keep(std::string text);
  absl::Status Foreign(absl::string_view why) const;
  absl::Status AnotherSweep(absl::string_view name, absl::string_view found, absl::string_view wanted) const;
  // The text of the file and its fields; NotFound if there is none.
  absl::StatusOr<std::pair<std::string, google::protobuf::Struct>> ReadSweep() const;

  std::string file_;
  Header header_;
  std::vector<Row> rows_;
};

}  // namespace str::tools

#endif  // STR_OPTIMIZER_SWEEP_ROW_STORE_H_
