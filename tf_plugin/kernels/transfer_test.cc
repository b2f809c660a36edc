#include "tf_plugin/kernels/transfer.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace str::kernels {
namespace {

TEST(TransferTest, CallbacksWaitForTheEnd) {
  Transfer transfer;
  std::string called;
  transfer.OnDone([&] { called += "a"; });
  transfer.OnDone([&] { called += "b"; });
  EXPECT_EQ(called, "");
  transfer.Finish();
  EXPECT_EQ(called, "ab");
}

TEST(TransferTest, AfterTheEndCallbacksRunAtOnce) {
  Transfer transfer;
  transfer.Finish();
  int called = 0;
  transfer.OnDone([&] { ++called; });
  transfer.OnDone([&] { ++called; });
  EXPECT_EQ(called, 2);
}

TEST(TransferTest, ACallbackMayAskAgain) {
  Transfer transfer;
  bool called = false;
  transfer.OnDone([&] { transfer.OnDone([&] { called = true; }); });
  transfer.Finish();
  EXPECT_TRUE(called);
}

TEST(TransferTest, CallbacksAreLetGoAfterTheyRan) {
  Transfer transfer;
  auto held = std::make_shared<int>(1);
  transfer.OnDone([held] {});
  EXPECT_EQ(held.use_count(), 2);
  transfer.Finish();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(TransferTest, EveryCallbackRunsOnceWhoeverIsFirst) {
  for (int round = 0; round < 200; ++round) {
    Transfer transfer;
    std::atomic<int> called = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([&] { transfer.OnDone([&] { ++called; }); });
    transfer.Finish();
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(called, 3);
  }
}

}  // namespace
}  // namespace str::kernels
