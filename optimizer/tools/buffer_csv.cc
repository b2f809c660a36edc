#include "optimizer/tools/buffer_csv.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_map>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace str::tools {
namespace {

constexpr char kHeader[] = "id,lower,upper,size";

std::vector<absl::string_view> Fields(absl::string_view line) {
  std::vector<absl::string_view> fields = absl::StrSplit(line, ',');
  for (absl::string_view& field : fields) field = absl::StripAsciiWhitespace(field);
  return fields;
}

absl::StatusOr<BufferRow> ParseRow(absl::string_view line) {
  const std::vector<absl::string_view> fields = Fields(line);
  if (fields.size() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("has ", fields.size(), " fields, not the 4 of \"", kHeader, "\""));
  }
  BufferRow row;
  row.id = std::string(fields[0]);
  if (row.id.empty()) return absl::InvalidArgumentError("the id is empty");
  struct Number {
    const char* name;
    int64_t* value;
  };
  const Number numbers[] = {{"lower", &row.lower}, {"upper", &row.upper}, {"size", &row.size_bytes}};
  for (size_t i = 0; i < std::size(numbers); ++i) {
    if (!absl::SimpleAtoi(fields[i + 1], numbers[i].value)) {
      return absl::InvalidArgumentError(
          absl::StrCat(numbers[i].name, " \"", fields[i + 1], "\" is not a whole number of 64 bits"));
    }
  }
  if (row.upper <= row.lower) {
    return absl::InvalidArgumentError(absl::StrCat("upper ", row.upper, " is not above lower ", row.lower));
  }
  if (row.size_bytes <= 0) return absl::InvalidArgumentError(absl::StrCat("size ", row.size_bytes, " is not above 0"));
  return row;
}

}  // namespace

absl::StatusOr<std::vector<BufferRow>> ParseBufferCsv(const std::string& text, const std::string& source_name,
                                                      int64_t capacity_bytes) {
  if (absl::StripAsciiWhitespace(text).empty()) {
    return absl::InvalidArgumentError(absl::StrCat(source_name, ": the file is empty"));
  }
  std::vector<BufferRow> rows;
  std::unordered_map<std::string, int> line_of_id;
  int64_t total_bytes = 0;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    const auto wrong = [&](absl::string_view why) {
      return absl::InvalidArgumentError(absl::StrCat(source_name, ": line ", number, ": ", why));
    };
    if (number == 1) {
      if (Fields(line) == Fields(kHeader)) continue;
      return wrong(absl::StrCat("the header must be \"", kHeader, "\""));
    }
    if (line.empty()) continue;
    absl::StatusOr<BufferRow> row = ParseRow(line);
    if (!row.ok()) return wrong(row.status().message());
    if (capacity_bytes > 0 && row->size_bytes > capacity_bytes) {
      return wrong(absl::StrCat("size ", row->size_bytes, " is above the capacity of ", capacity_bytes, " bytes"));
    }
    const auto [first, is_new] = line_of_id.insert({row->id, number});
    if (!is_new) return wrong(absl::StrCat("id \"", row->id, "\" is also that of line ", first->second));
    if (row->size_bytes > std::numeric_limits<int64_t>::max() / 4 - total_bytes) {
      return wrong("all sizes together are above 2^61 bytes");
    }
    total_bytes += row->size_bytes;
    rows.push_back(*std::move(row));
  }
  if (rows.empty()) return absl::InvalidArgumentError(absl::StrCat(source_name, ": has a header but no buffers"));
  return rows;
}

std::string BufferCsv(const std::vector<BufferRow>& rows, const std::vector<int64_t>& offsets) {
  std::string text = absl::StrCat(kHeader, ",offset\n");
  for (size_t i = 0; i < rows.size(); ++i) {
    absl::StrAppend(&text, rows[i].id, ",", rows[i].lower, ",", rows[i].upper, ",", rows[i].size_bytes, ",", offsets[i],
                    "\n");
  }
  return text;
}

std::vector<optimizer::TimedBuffer> TimedBuffers(const std::vector<BufferRow>& rows) {
  std::vector<int64_t> times;
  for (const BufferRow& row : rows) {
    times.push_back(row.lower);
    times.push_back(row.upper);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto step = [&](int64_t time) {
    return static_cast<int32_t>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
  };
  std::vector<optimizer::TimedBuffer> buffers;
  for (const BufferRow& row : rows) buffers.push_back({step(row.lower), step(row.upper) - 1, row.size_bytes});
  return buffers;
}

absl::Status CheckOffsets(const std::vector<BufferRow>& rows, const std::vector<int64_t>& offsets,
                          int64_t arena_bytes) {
  if (offsets.size() != rows.size()) return absl::InternalError("not every buffer has an offset");
  // What is held at the time, by offset. At one time, what ends there goes before what begins.
  std::map<int64_t, size_t> held;
  struct Event {
    int64_t time;
    bool begins;
    size_t row;
  };
  std::vector<Event> events;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (offsets[i] < 0 || offsets[i] > arena_bytes - rows[i].size_bytes) {
      return absl::InternalError(absl::StrCat("buffer ", rows[i].id, " lies outside of the arena"));
    }
    events.push_back({rows[i].lower, true, i});
    events.push_back({rows[i].upper, false, i});
  }
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.time != b.time ? a.time < b.time : a.begins < b.begins; });
  for (const Event& event : events) {
    const int64_t offset = offsets[event.row];
    if (!event.begins) {
      held.erase(offset);
      continue;
    }
    const auto above = held.lower_bound(offset);
    const bool meets_above = above != held.end() && above->first < offset + rows[event.row].size_bytes;
    const auto below = above == held.begin() ? held.end() : std::prev(above);
    const bool meets_below = below != held.end() && below->first + rows[below->second].size_bytes > offset;
    if (meets_above || meets_below) {
      const size_t other = meets_above ? above->second : below->second;
      return absl::InternalError(
          absl::StrCat("buffers ", rows[event.row].id, " and ", rows[other].id, " lie in one place at one time"));
    }
    held[offset] = event.row;
  }
  return absl::OkStatus();
}

}  // namespace str::tools
