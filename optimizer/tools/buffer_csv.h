// Buffers to place as a CSV file, in MiniMalloc's format: a header id,lower,upper,size and a line for each buffer,
// which is held from time `lower` until just before `upper`.
#ifndef STR_OPTIMIZER_TOOLS_BUFFER_CSV_H_
#define STR_OPTIMIZER_TOOLS_BUFFER_CSV_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "optimizer/placement/timed_buffer.h"

namespace str::tools {

struct BufferRow {
  std::string id;
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t size_bytes = 0;
};

// `source_name` stands for the file in messages, which name the line. Buffers larger than `capacity_bytes` are refused;
// 0: any size. At least one buffer; ids are unique, upper is above lower, sizes are above 0.
absl::StatusOr<std::vector<BufferRow>> ParseBufferCsv(const std::string& text, const std::string& source_name,
                                                      int64_t capacity_bytes);

// The same file with a column `offset`.
std::string BufferCsv(const std::vector<BufferRow>& rows, const std::vector<int64_t>& offsets);

// For the placer: times become steps, one for each different time.
std::vector<optimizer::TimedBuffer> TimedBuffers(const std::vector<BufferRow>& rows);

// Whether all lie within `arena_bytes`, no two in one place at one time. Independent of how they were placed. Internal,
// naming the buffers.
absl::Status CheckOffsets(const std::vector<BufferRow>& rows, const std::vector<int64_t>& offsets, int64_t arena_bytes);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_BUFFER_CSV_H_
