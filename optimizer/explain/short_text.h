// Sizes and times in a few characters, for tables and sentences.
#ifndef STR_OPTIMIZER_EXPLAIN_SHORT_TEXT_H_
#define STR_OPTIMIZER_EXPLAIN_SHORT_TEXT_H_

#include <cstdint>
#include <string>

namespace str::optimizer {

// "64.0 MiB", "512 B".
std::string ShortBytes(int64_t bytes);

// "1.25 s", "12.3 ms", "4.0 us", "0 us"; a sign only if negative.
std::string ShortSeconds(double seconds);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_EXPLAIN_SHORT_TEXT_H_
