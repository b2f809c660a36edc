#include "config/digest.h"

#include "absl/strings/str_format.h"

namespace str::config {
namespace {

constexpr uint64_t kPrime = 0x100000001b3;

}  // namespace

void Digest::Add(absl::string_view text) {
  for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * kPrime;
  // Ends the text, as a zero byte would.
  hash_ *= kPrime;
}

std::string Digest::Hex() const { return absl::StrFormat("%016x", hash_); }

}  // namespace str::config
