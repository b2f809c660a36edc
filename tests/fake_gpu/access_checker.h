// The race checker: which operation of which stream last touched each byte, and whether the next one is ordered after
// it.
//
// The check is on what was enqueued, not on how it happened to run: an access is a race if the clock of the operation
// does not know the conflicting one, even if this run's timing was lucky.
//
// Memory is a map of ranges of bytes with equal history; an access splits ranges where it begins and ends, a write
// makes one range of all that it covers. Not thread-safe: the driver holds its lock.
#ifndef STR_TESTS_FAKE_GPU_ACCESS_CHECKER_H_
#define STR_TESTS_FAKE_GPU_ACCESS_CHECKER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/fake_gpu/report.h"
#include "tests/fake_gpu/vector_clock.h"

namespace str::fake_gpu {

// Operation `count` of `stream`. `name` outlives the checker (see NameTable); null: there was none.
struct Operation {
  int stream = -1;
  int64_t count = 0;
  const std::string* name = nullptr;
};

struct Range {
  uintptr_t begin = 0;
  uint64_t bytes = 0;

  uintptr_t end() const { return begin + bytes; }
};

enum class MemoryKind { kDevice, kPinned };

class AccessChecker {
 public:
  explicit AccessChecker(Report* report) : report_(report) {}

  // New memory. In stream-ordered allocation, `by` is the operation before which nothing may use it.
  void Allocated(Range range, MemoryKind kind, Operation by = {});
  // Any later access is a use after free, until the range is allocated again. The host frees: all uses must be known to
  // have ended by `seen`.
  void FreedByHost(Range range, const VectorClock& seen);
  // Freed in the order of a stream: all uses must be ordered before `by`, whose clock is `clock`.
  void FreedByStream(Range range, Operation by, const VectorClock& clock);
  // The range is no memory of the device's or pinned any more.
  void Forget(Range range);

  // `clock` is that of the operation, which it includes.
  void Read(Range range, Operation by, const VectorClock& clock);
  void Write(Range range, Operation by, const VectorClock& clock);

  // Whether the memory at the address was freed and not allocated again.
  bool Freed(uintptr_t address) const;

  // Number of ranges with different history; for tests.
  size_t pieces() const { return pieces_.size(); }

 private:
  struct Piece {
    uintptr_t end = 0;
    MemoryKind kind = MemoryKind::kDevice;
    bool freed = false;
    Operation allocation;
    Operation write;
    // The last read of each stream since the write.
    std::vector<Operation> reads;
  };
  using Pieces = std::map<uintptr_t, Piece>;

  // Makes a piece begin at `address`, if one contains it.
  void Split(uintptr_t address);
  // The first piece in the range; all pieces in it lie wholly in it afterwards.
  Pieces::iterator Cut(Range range);
  // One line per kind and access is enough: `reported` says which kinds were.
  struct Reported {
    bool race = false, unwritten = false, freed = false;
  };
  void CheckAccess(const Piece& piece, uintptr_t begin, bool writes, Range range, Operation by,
                   const VectorClock& clock, Reported* reported);
  void MarkFreed(Range range);

  Report* const report_;
  Pieces pieces_;
};

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_ACCESS_CHECKER_H_
