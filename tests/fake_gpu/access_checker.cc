#include "tests/fake_gpu/access_checker.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace str::fake_gpu {
namespace {

std::string Describe(const Operation& operation) {
  return "stream " + std::to_string(operation.stream) + " operation " + std::to_string(operation.count) + " (" +
         (operation.name == nullptr ? "?" : *operation.name) + ")";
}

std::string Describe(Range range, uintptr_t at) {
  char text[96];
  std::snprintf(text, sizeof(text), "%#zx+%zu at byte %zu", static_cast<size_t>(range.begin),
                static_cast<size_t>(range.bytes), static_cast<size_t>(at - range.begin));
  return text;
}

bool Ordered(const Operation& before, const VectorClock& clock) {
  return before.name == nullptr || clock.Knows(before.stream, before.count);
}

}  // namespace

void AccessChecker::Split(uintptr_t address) {
  auto after = pieces_.upper_bound(address);
  if (after == pieces_.begin()) return;
  const auto piece = std::prev(after);
  if (piece->first == address || piece->second.end <= address) return;
  Piece second = piece->second;
  piece->second.end = address;
  pieces_.emplace_hint(after, address, std::move(second));
}

AccessChecker::Pieces::iterator AccessChecker::Cut(Range range) {
  Split(range.begin);
  Split(range.end());
  return pieces_.lower_bound(range.begin);
}

void AccessChecker::Allocated(Range range, MemoryKind kind, Operation by) {
  Forget(range);
  if (range.bytes == 0) return;
  Piece piece;
  piece.end = range.end();
  piece.kind = kind;
  piece.allocation = by;
  pieces_[range.begin] = std::move(piece);
}

void AccessChecker::Forget(Range range) {
  if (range.bytes == 0) return;
  const auto first = Cut(range);
  pieces_.erase(first, pieces_.lower_bound(range.end()));
}

void AccessChecker::MarkFreed(Range range) {
  if (range.bytes == 0) return;
  const auto first = Cut(range);
  if (first == pieces_.end() || first->first >= range.end()) return;
  Piece piece;
  piece.end = range.end();
  piece.kind = first->second.kind;
  piece.freed = true;
  auto next = pieces_.erase(first, pieces_.lower_bound(range.end()));
  // Freed neighbours become one piece: freed memory has no history, and there is much of it over a long run.
  uintptr_t begin = range.begin;
  if (next != pieces_.end() && next->first == piece.end && next->second.freed) {
    piece.end = next->second.end;
    next = pieces_.erase(next);
  }
  if (next != pieces_.begin()) {
    const auto previous = std::prev(next);
    if (previous->second.end == begin && previous->second.freed) {
      begin = previous->first;
      pieces_.erase(previous);
    }
  }
  pieces_[begin] = std::move(piece);
}

void AccessChecker::FreedByHost(Range range, const VectorClock& seen) {
  for (auto it = Cut(range); it != pieces_.end() && it->first < range.end(); ++it) {
    const Operation* running = Ordered(it->second.write, seen) ? nullptr : &it->second.write;
    for (const Operation& read : it->second.reads) {
      if (!Ordered(read, seen)) running = &read;
    }
    if (running != nullptr) {
      report_->Add(Problem::kUseAfterFree, "free of " + Describe(range, it->first) +
                                               ": the host has not seen the end of " + Describe(*running));
      break;
    }
  }
  MarkFreed(range);
}

void AccessChecker::FreedByStream(Range range, Operation by, const VectorClock& clock) {
  Reported reported;
  for (auto it = Cut(range); it != pieces_.end() && it->first < range.end(); ++it) {
    CheckAccess(it->second, it->first, /*writes=*/true, range, by, clock, &reported);
  }
  MarkFreed(range);
}

bool AccessChecker::Freed(uintptr_t address) const {
  const auto after = pieces_.upper_bound(address);
  if (after == pieces_.begin()) return false;
  const Piece& piece = std::prev(after)->second;
  return piece.freed && address < piece.end;
}

void AccessChecker::CheckAccess(const Piece& piece, uintptr_t begin, bool writes, Range range, Operation by,
                                const VectorClock& clock, Reported* reported) {
  const auto text = [&] { return Describe(by) + (writes ? " writes " : " reads ") + Describe(range, begin); };
  if (piece.freed) {
    if (!reported->freed) report_->Add(Problem::kUseAfterFree, text() + ", which was freed");
    reported->freed = true;
    return;
  }
  const auto race = [&](const Operation& other, const char* what) {
    if (!reported->race) {
      report_->Add(Problem::kRace, text() + " without an order after the " + what + " by " + Describe(other));
    }
    reported->race = true;
  };
  if (!Ordered(piece.allocation, clock)) race(piece.allocation, "allocation");
  if (!Ordered(piece.write, clock)) race(piece.write, "write");
  if (writes) {
    for (const Operation& read : piece.reads) {
      if (!Ordered(read, clock)) race(read, "read");
    }
  } else if (piece.write.name == nullptr && piece.kind == MemoryKind::kDevice) {
    if (!reported->unwritten) report_->Add(Problem::kUnwritten, text() + ", which nothing wrote");
    reported->unwritten = true;
  }
}

void AccessChecker::Read(Range range, Operation by, const VectorClock& clock) {
  if (range.bytes == 0) return;
  Reported reported;
  for (auto it = Cut(range); it != pieces_.end() && it->first < range.end(); ++it) {
    Piece& piece = it->second;
    CheckAccess(piece, it->first, /*writes=*/false, range, by, clock, &reported);
    const auto same = std::find_if(piece.reads.begin(), piece.reads.end(),
                                   [&](const Operation& read) { return read.stream == by.stream; });
    if (same == piece.reads.end()) {
      piece.reads.push_back(by);
    } else {
      *same = by;
    }
  }
}

void AccessChecker::Write(Range range, Operation by, const VectorClock& clock) {
  if (range.bytes == 0) return;
  Reported reported;
  const auto first = Cut(range);
  auto it = first;
  // Pieces of one allocation become one; what was freed, or allocated by another operation, stays apart.
  for (auto target = pieces_.end(); it != pieces_.end() && it->first < range.end();) {
    Piece& piece = it->second;
    CheckAccess(piece, it->first, /*writes=*/true, range, by, clock, &reported);
    piece.write = by;
    piece.reads.clear();
    if (target != pieces_.end() && target->second.end == it->first && target->second.freed == piece.freed &&
        target->second.kind == piece.kind && target->second.allocation.stream == piece.allocation.stream &&
        target->second.allocation.count == piece.allocation.count) {
      target->second.end = piece.end;
      it = pieces_.erase(it);
    } else {
      target = it++;
    }
  }
}

}  // namespace str::fake_gpu
