// A short digest of texts, the same on every machine (FNV-1a, 64 bits): tells different contents apart, proves nothing.
#ifndef STR_CONFIG_DIGEST_H_
#define STR_CONFIG_DIGEST_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace str::config {

class Digest {
 public:
  // "ab", "c" is not the same as "a", "bc".
  void Add(absl::string_view text);
  // 16 digits.
  std::string Hex() const;

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace str::config

#endif  // STR_CONFIG_DIGEST_H_
