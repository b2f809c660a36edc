#include "tf_plugin/kernels/copy_engine.h"

#include <functional>
#include <memory>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"
#include "tf_plugin/kernels/host_pool.h"

namespace str::kernels {
namespace {

std::shared_ptr<Transfer> Enqueue(Direction direction, std::function<void()> copy) {
  auto transfer = std::make_shared<Transfer>();
  CopyEngine::Get().Enqueue(
      direction,
      [copy = std::move(copy)] {
        copy();
        return absl::OkStatus();
      },
      transfer);
  return transfer;
}

void WaitFor(Transfer& transfer) {
  absl::Notification done;
  transfer.OnDone([&](const absl::Status&) { done.Notify(); });
  done.WaitForNotification();
}

TEST(CopyEngineTest, EachLaneWorksInOrder) {
  for (const Direction direction : {Direction::kOut, Direction::kIn}) {
    std::vector<int> order;
    std::shared_ptr<Transfer> last;
    for (int i = 0; i < 200; ++i) last = Enqueue(direction, [&order, i] { order.push_back(i); });
    WaitFor(*last);
    ASSERT_EQ(order.size(), 200);
    for (int i = 0; i < 200; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(CopyEngineTest, ACopyDoesNotStartBeforeTheOneBeforeItEnded) {
  absl::Notification release;
  bool first_ended = false;
  const auto first = Enqueue(Direction::kOut, [&] {
    release.WaitForNotification();
    first_ended = true;
  });
  bool in_order = false;
  const auto second = Enqueue(Direction::kOut, [&] { in_order = first_ended; });
  release.Notify();
  WaitFor(*second);
  EXPECT_TRUE(in_order);
}

TEST(CopyEngineTest, TheLanesDoNotWaitForEachOther) {
  // Each copy ends only after the other has begun: one thread for both would never end.
  absl::Notification out_began;
  absl::Notification in_began;
  const auto out = Enqueue(Direction::kOut, [&] {
    out_began.Notify();
    in_began.WaitForNotification();
  });
  const auto in = Enqueue(Direction::kIn, [&] {
    in_began.Notify();
    out_began.WaitForNotification();
  });
  WaitFor(*out);
  WaitFor(*in);
}

TEST(CopyEngineTest, WhatTheCopyHeldIsGoneBeforeAnybodyHearsOfItsEnd) {
  absl::Notification release;
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  const auto transfer = Enqueue(Direction::kOut, [held = std::move(held), &release] { release.WaitForNotification(); });
  bool gone = false;
  absl::Notification done;
  transfer->OnDone([&](const absl::Status&) {
    gone = watch.expired();
    done.Notify();
  });
  EXPECT_FALSE(watch.expired()) << "while the copy runs";
  release.Notify();
  done.WaitForNotification();
  EXPECT_TRUE(gone);
}

TEST(CopyEngineTest, ACallbackMayQueueTheNextCopy) {
  absl::Notification done;
  const auto first = Enqueue(Direction::kOut, [] {});
  first->OnDone([&](const absl::Status&) {
    Enqueue(Direction::kOut, [] {})->OnDone([&](const absl::Status&) { done.Notify(); });
  });
  done.WaitForNotification();
}

TEST(CopyEngineTest, AFailedCopyIsHeardOfAndTheNextOneRuns) {
  auto failed = std::make_shared<Transfer>();
  CopyEngine::Get().Enqueue(
      Direction::kIn, [] { return absl::ResourceExhaustedError("full"); }, failed);
  bool ran = false;
  const auto next = Enqueue(Direction::kIn, [&] { ran = true; });
  WaitFor(*next);
  EXPECT_TRUE(ran);
  absl::Status heard;
  failed->OnDone([&](const absl::Status& status) { heard = status; });
  EXPECT_EQ(heard, absl::ResourceExhaustedError("full"));
}

}  // namespace
}  // namespace str::kernels
