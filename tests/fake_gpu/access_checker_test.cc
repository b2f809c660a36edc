#include "tests/fake_gpu/access_checker.h"

#include <cstdio>
#include <string>

#include "gtest/gtest.h"

namespace str::fake_gpu {
namespace {

constexpr Range kMemory{0x10000, 4096};

// Two streams over one allocation. Waits() is what an event between them does.
class AccessCheckerTest : public testing::Test {
 protected:
  struct Queue {
    int id;
    VectorClock clock;
    int64_t count = 0;
  };

  AccessCheckerTest() { checker_.Allocated(kMemory, MemoryKind::kDevice); }

  Operation Tick(Queue* queue) {
    queue->clock.Set(queue->id, ++queue->count);
    return {queue->id, queue->count, &name_};
  }
  void Write(Queue* queue, Range range) { checker_.Write(range, Tick(queue), queue->clock); }
  void Read(Queue* queue, Range range) { checker_.Read(range, Tick(queue), queue->clock); }
  static void Waits(Queue* queue, const Queue& other) { queue->clock.Join(other.clock); }

  int64_t Count(const char* name) const { return report_.Get(name); }
  void ExpectNoProblem() const {
    for (const char* const name : {"races", "unwritten", "after_free"}) EXPECT_EQ(Count(name), 0) << name;
  }

  const std::string name_ = "test";
  Report report_{nullptr};
  AccessChecker checker_{&report_};
  Queue a_{0, {}}, b_{1, {}};
};

TEST_F(AccessCheckerTest, ReadOfAnotherStreamsWriteNeedsAnOrder) {
  Write(&a_, kMemory);
  Read(&b_, kMemory);
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(AccessCheckerTest, ReadAfterAWaitIsFine) {
  Write(&a_, kMemory);
  Waits(&b_, a_);
  Read(&b_, kMemory);
  ExpectNoProblem();
}

TEST_F(AccessCheckerTest, WriteOverAnotherStreamsReadNeedsAnOrder) {
  Write(&a_, kMemory);
  Waits(&b_, a_);
  Read(&b_, kMemory);
  Write(&a_, kMemory);
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(AccessCheckerTest, WriteOverAReadThatEndedIsFine) {
  Write(&a_, kMemory);
  Waits(&b_, a_);
  Read(&b_, kMemory);
  Waits(&a_, b_);
  Write(&a_, kMemory);
  ExpectNoProblem();
}

TEST_F(AccessCheckerTest, AWaitBeforeTheWriteDoesNotOrderIt) {
  Waits(&b_, a_);
  Write(&a_, kMemory);
  Read(&b_, kMemory);
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(AccessCheckerTest, TwoWritesNeedAnOrder) {
  Write(&a_, kMemory);
  Write(&b_, kMemory);
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(AccessCheckerTest, ReadsSideBySideAreFine) {
  Write(&a_, kMemory);
  Waits(&b_, a_);
  Read(&a_, kMemory);
  Read(&b_, kMemory);
  ExpectNoProblem();
}

TEST_F(AccessCheckerTest, OnlyBytesInCommonConflict) {
  Write(&a_, {0x10000, 100});
  Write(&b_, {0x10000 + 100, 100});
  ExpectNoProblem();
  Write(&b_, {0x10000 + 99, 1});
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(AccessCheckerTest, ReadOfUnwrittenBytesIsReported) {
  Write(&a_, {0x10000, 100});
  Read(&a_, {0x10000, 100});
  ExpectNoProblem();
  Read(&a_, {0x10000, 101});
  EXPECT_EQ(Count("unwritten"), 1);
}

TEST_F(AccessCheckerTest, PinnedMemoryIsWrittenByTheHostUnseen) {
  checker_.Allocated({0x90000, 64}, MemoryKind::kPinned);
  Read(&a_, {0x90000, 64});
  ExpectNoProblem();
}

TEST_F(AccessCheckerTest, NewMemoryIsUnwrittenAgain) {
  Write(&a_, kMemory);
  checker_.FreedByHost(kMemory, a_.clock);
  checker_.Allocated(kMemory, MemoryKind::kDevice);
  ExpectNoProblem();
  Read(&a_, kMemory);
  EXPECT_EQ(Count("unwritten"), 1);
}

TEST_F(AccessCheckerTest, UseAfterFreeIsReported) {
  Write(&a_, kMemory);
  checker_.FreedByHost(kMemory, a_.clock);
  ExpectNoProblem();
  EXPECT_TRUE(checker_.Freed(0x10000 + 4095));
  EXPECT_FALSE(checker_.Freed(0x10000 + 4096));
  Read(&a_, {0x10000 + 8, 8});
  EXPECT_EQ(Count("after_free"), 1);
}

TEST_F(AccessCheckerTest, FreeingWhatTheHostHasNotSeenEndIsReported) {
  Write(&a_, kMemory);
  checker_.FreedByHost(kMemory, VectorClock());
  EXPECT_EQ(Count("after_free"), 1);
}

TEST_F(AccessCheckerTest, FreeInAStreamsOrderNeedsTheOrderOfAllUses) {
  Write(&a_, kMemory);
  Waits(&b_, a_);
  Read(&b_, kMemory);
  checker_.FreedByStream(kMemory, Tick(&a_), a_.clock);
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(AccessCheckerTest, FreeInAStreamsOrderAfterTheLastUseIsFine) {
  Write(&a_, kMemory);
  Waits(&b_, a_);
  Read(&b_, kMemory);
  Waits(&a_, b_);
  checker_.FreedByStream(kMemory, Tick(&a_), a_.clock);
  ExpectNoProblem();
}

TEST_F(AccessCheckerTest, StreamOrderedAllocationIsOnlyUsableAfterIt) {
  checker_.Allocated({0x20000, 64}, MemoryKind::kDevice, Tick(&a_));
  Write(&a_, {0x20000, 64});
  ExpectNoProblem();
  checker_.Allocated({0x30000, 64}, MemoryKind::kDevice, Tick(&a_));
  Write(&b_, {0x30000, 64});
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(AccessCheckerTest, OneAccessReportsARaceOnce) {
  for (int i = 0; i < 8; ++i) Write(&a_, {0x10000 + static_cast<uintptr_t>(i) * 8, 8});
  Write(&b_, kMemory);
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(AccessCheckerTest, PiecesDoNotPileUp) {
  for (int i = 0; i < 1000; ++i) {
    Write(&a_, {0x10000 + static_cast<uintptr_t>(i) % 64 * 8, 8});
    Write(&a_, kMemory);
  }
  EXPECT_EQ(checker_.pieces(), 1);
  for (uintptr_t i = 0; i < 1000; ++i) {
    const Range range{0x100000 + i * 512, 512};
    checker_.Allocated(range, MemoryKind::kDevice);
    Write(&a_, range);
    checker_.FreedByHost(range, a_.clock);
  }
  EXPECT_EQ(checker_.pieces(), 2);
  ExpectNoProblem();
}

}  // namespace
}  // namespace str::fake_gpu
