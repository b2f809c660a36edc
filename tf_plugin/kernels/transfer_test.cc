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
  transfer.OnDone([&](const absl::Status&) { called += "a"; });
  transfer.OnDone([&](const absl::Status&) { called += "b"; });
  EXPECT_EQ(called, "");
  transfer.Finish(absl::OkStatus());
  EXPECT_EQ(called, "ab");
}

TEST(TransferTest, AfterTheEndCallbacksRunAtOnce) {
  Transfer transfer;
  transfer.Finish(absl::OkStatus());
  int called = 0;
  transfer.OnDone([&](const absl::Status&) { ++called; });
  transfer.OnDone([&](const absl::Status&) { ++called; });
  EXPECT_EQ(called, 2);
}

TEST(TransferTest, EveryCallbackHearsHowItEnded) {
  Transfer transfer;
  std::vector<absl::Status> heard;
  transfer.OnDone([&](const absl::Status& status) { heard.push_back(status); });
  transfer.Finish(absl::ResourceExhaustedError("full"));
  transfer.OnDone([&](const absl::Status& status) { heard.push_back(status); });
  EXPECT_EQ(heard, std::vector<absl::Status>(2, absl::ResourceExhaustedError("full")));
}

TEST(TransferTest, ACallbackMayAskAgain) {
  Transfer transfer;
  bool called = false;
  transfer.OnDone([&](const absl::Status&) { transfer.OnDone([&](const absl::Status&) { called = true; }); });
  transfer.Finish(absl::OkStatus());
  EXPECT_TRUE(called);
}

TEST(TransferTest, CallbacksAreLetGoAfterTheyRan) {
  Transfer transfer;
  auto held = std::make_shared<int>(1);
  transfer.OnDone([held](const absl::Status&) {});
  EXPECT_EQ(held.use_count(), 2);
  transfer.Finish(absl::OkStatus());
  EXPECT_EQ(held.use_count(), 1);
}

TEST(TransferTest, EveryCallbackRunsOnceWhoeverIsFirst) {
  for (int round = 0; round < 200; ++round) {
    Transfer transfer;
    std::atomic<int> called = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([&] { transfer.OnDone([&](const absl::Status&) { ++called; }); });
    transfer.Finish(absl::OkStatus());
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(called, 3);
  }
}

}  // namespace
}  // namespace str::kernels
