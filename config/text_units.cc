#include "config/text_units.h"

#include <cmath>
#include <limits>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace str::config {
namespace {

struct Unit {
  const char* name;
  int64_t bytes;
};

constexpr int64_t kKi = 1024;
constexpr Unit kBinaryUnits[] = {{"KiB", kKi}, {"MiB", kKi* kKi}, {"GiB", kKi* kKi* kKi}, {"TiB", kKi* kKi* kKi* kKi}};
constexpr Unit kDecimalUnits[] = {{"B", 1},
                                  {"KB", 1000},
                                  {"MB", 1000 * 1000},
                                  {"GB", 1000 * 1000 * 1000},
                                  {"TB", int64_t{1000} * 1000 * 1000 * 1000}};

// More digits behind the point than this cannot matter: a TiB has 13 digits.
constexpr size_t kMaxFractionDigits = 18;

absl::Status BadSize(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("size \"", text, "\" ", why,
                                                 "; write it as 6GiB, 500MiB, 1.5GiB, 22000MB or plain bytes (KB, MB, "
                                                 "GB, TB are powers of 1000; KiB, MiB, GiB, TiB powers of 1024)"));
}

// 0 if there is no such unit.
int64_t UnitBytes(absl::string_view name) {
  if (name.empty()) return 1;
  for (const Unit& unit : kBinaryUnits) {
    if (absl::EqualsIgnoreCase(name, unit.name)) return unit.bytes;
  }
  for (const Unit& unit : kDecimalUnits) {
    if (absl::EqualsIgnoreCase(name, unit.name)) return unit.bytes;
  }
  return 0;
}

absl::string_view TakeDigits(absl::string_view* text) {
  size_t count = 0;
  while (count < text->size() && absl::ascii_isdigit((*text)[count])) ++count;
  const absl::string_view digits = text->substr(0, count);
  text->remove_prefix(count);
  return digits;
}

}  // namespace

absl::StatusOr<int64_t> ParseBytes(absl::string_view text) {
  absl::string_view rest = absl::StripAsciiWhitespace(text);
  if (rest.empty()) return BadSize(text, "is empty");
  if (rest[0] == '-') return BadSize(text, "is negative");
  const absl::string_view whole = TakeDigits(&rest);
  absl::string_view fraction;
  bool has_point = false;
  if (!rest.empty() && rest[0] == '.') {
    has_point = true;
    rest.remove_prefix(1);
    fraction = TakeDigits(&rest);
  }
  if (whole.empty() || (has_point && fraction.empty()) || fraction.size() > kMaxFractionDigits) {
    return BadSize(text, "is not a size");
  }
  const int64_t unit = UnitBytes(absl::StripLeadingAsciiWhitespace(rest));
  if (unit == 0) return BadSize(text, absl::StrCat("has the unknown unit \"", rest, "\""));
  if (has_point && unit == 1) return BadSize(text, "is a fraction of bytes");

  uint64_t whole_number = 0;
  if (!absl::SimpleAtoi(whole, &whole_number)) return BadSize(text, "is too large");
  uint64_t fraction_number = 0;
  absl::uint128 fraction_scale = 1;
  for (const char digit : fraction) {
    fraction_number = fraction_number * 10 + (digit - '0');
    fraction_scale *= 10;
  }
  const absl::uint128 bytes =
      absl::uint128(whole_number) * unit + absl::uint128(fraction_number) * unit / fraction_scale;
  if (bytes > std::numeric_limits<int64_t>::max()) return BadSize(text, "is too large");
  return static_cast<int64_t>(bytes);
}

absl::StatusOr<absl::Duration> ParseDurationText(absl::string_view text) {
  absl::Duration duration;
  const absl::string_view stripped = absl::StripAsciiWhitespace(text);
  const char* why = nullptr;
  if (stripped.empty()) {
    why = "is empty";
  } else if (!absl::ParseDuration(stripped, &duration) || duration == absl::InfiniteDuration()) {
    why = "is not a duration";
  } else if (duration < absl::ZeroDuration()) {
    why = "is negative";
  }
  if (why == nullptr) return duration;
  return absl::InvalidArgumentError(
      absl::StrCat("duration \"", text, "\" ", why, "; write it as 30s, 10m, 1h30m or 250ms"));
}

std::string FormatBytes(int64_t bytes) {
  const std::string exact = absl::StrCat(bytes, bytes == 1 || bytes == -1 ? " byte" : " bytes");
  const double size = std::abs(static_cast<double>(bytes));
  if (size < kKi) return exact;
  const Unit* unit = &kBinaryUnits[0];
  // 1023.995 and more would print as 1024.00.
  while (size / unit->bytes >= 1023.995 && unit != std::end(kBinaryUnits) - 1) ++unit;
  return absl::StrFormat("%.2f %s (%s)", static_cast<double>(bytes) / unit->bytes, unit->name, exact);
}

}  // namespace str::config
