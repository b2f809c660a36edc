// A model of TensorFlow's allocator for accelerators, "best fit with coalescing" (BFC), over one region of fixed size,
// as it is without allow_growth.
//
// Requests are rounded up to 256 bytes. Free chunks are kept in bins by size; a request takes the smallest free chunk
// that is large enough, of equal ones that with the lowest address. A chunk is split if it is twice as large as the
// request or more than 128 MiB larger; otherwise all of it is handed out. A freed chunk is joined with free neighbours.
#ifndef STR_OPTIMIZER_PLACEMENT_BFC_MODEL_H_
#define STR_OPTIMIZER_PLACEMENT_BFC_MODEL_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace str::optimizer {

inline constexpr int64_t kBfcGranuleBytes = 256;

class BfcModel {
 public:
  explicit BfcModel(int64_t region_bytes);

  // The offset of the chunk; nothing if no free chunk is large enough. A request of 0 bytes takes a granule.
  std::optional<int64_t> Allocate(int64_t bytes);
  // `offset` was returned by Allocate and not freed since.
  void Free(int64_t offset);

  // The highest end of a chunk that was ever handed out.
  int64_t highest_end() const { return highest_end_; }
  int free_chunks() const;

 private:
  static constexpr int kBins = 21;
  struct Chunk {
    int64_t bytes = 0;
    bool in_use = false;
  };
  static int BinOf(int64_t bytes);
  void AddFree(int64_t offset, int64_t bytes);
  void RemoveFree(int64_t offset, int64_t bytes);

  // By offset; they cover the region.
  std::map<int64_t, Chunk> chunks_;
  // Free chunks, as (bytes, offset).
  std::array<std::set<std::pair<int64_t, int64_t>>, kBins> bins_;
  int64_t highest_end_ = 0;
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_PLACEMENT_BFC_MODEL_H_
