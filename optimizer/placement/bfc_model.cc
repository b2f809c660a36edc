#include "optimizer/placement/bfc_model.h"

#include <algorithm>
#include <iterator>

namespace str::optimizer {
namespace {

// A chunk that would leave more than this unused is split even if it is not twice as large.
constexpr int64_t kMostUnusedBytes = int64_t{128} << 20;

int64_t Rounded(int64_t bytes) {
  return (std::max<int64_t>(bytes, 1) + kBfcGranuleBytes - 1) / kBfcGranuleBytes * kBfcGranuleBytes;
}

}  // namespace

BfcModel::BfcModel(int64_t region_bytes) {
  const int64_t bytes = region_bytes / kBfcGranuleBytes * kBfcGranuleBytes;
  if (bytes > 0) AddFree(0, bytes);
}

// Bin b holds chunks of at least 256 << b bytes.
int BfcModel::BinOf(int64_t bytes) {
  int bin = 0;
  for (int64_t units = bytes / kBfcGranuleBytes; units > 1 && bin < kBins - 1; units /= 2) ++bin;
  return bin;
}

void BfcModel::AddFree(int64_t offset, int64_t bytes) {
  chunks_[offset] = {bytes, false};
  bins_[BinOf(bytes)].insert({bytes, offset});
}

void BfcModel::RemoveFree(int64_t offset, int64_t bytes) {
  bins_[BinOf(bytes)].erase({bytes, offset});
  chunks_.erase(offset);
}

std::optional<int64_t> BfcModel::Allocate(int64_t bytes) {
  const int64_t wanted = Rounded(bytes);
  for (int bin = BinOf(wanted); bin < kBins; ++bin) {
    const auto found = bins_[bin].lower_bound({wanted, 0});
    if (found == bins_[bin].end()) continue;
    const auto [chunk_bytes, offset] = *found;
    RemoveFree(offset, chunk_bytes);
    int64_t taken = chunk_bytes;
    if (chunk_bytes >= 2 * wanted || chunk_bytes - wanted >= kMostUnusedBytes) {
      taken = wanted;
      AddFree(offset + wanted, chunk_bytes - wanted);
    }
    chunks_[offset] = {taken, true};
    highest_end_ = std::max(highest_end_, offset + taken);
    return offset;
  }
  return std::nullopt;
}

void BfcModel::Free(int64_t offset) {
  auto chunk = chunks_.find(offset);
  int64_t begin = offset, end = offset + chunk->second.bytes;
  const auto next = std::next(chunk);
  if (chunk != chunks_.begin()) {
    const auto previous = std::prev(chunk);
    if (!previous->second.in_use) begin = previous->first;
  }
  if (next != chunks_.end() && !next->second.in_use) {
    end = next->first + next->second.bytes;
    RemoveFree(next->first, next->second.bytes);
  }
  chunks_.erase(offset);
  if (begin != offset) RemoveFree(begin, offset - begin);
  AddFree(begin, end - begin);
}

int BfcModel::free_chunks() const {
  int count = 0;
  for (const auto& bin : bins_) count += static_cast<int>(bin.size());
  return count;
}

}  // namespace str::optimizer
