// Swaps: memory, host memory and time, worked out by hand. Times are in nanoseconds; a byte takes one to copy.
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::optimizer {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<int64_t>;

// x is needed by `a` and, after `b` and `c`, by `end`.
GraphBuilder Gap() {
  GraphBuilder b;
  b.Add("x", {}, {100}, 10);
  b.Add("a", {"x:0"}, {1}, 20);
  b.Add("b", {"a:0"}, {1}, 30);
  b.Add("c", {"b:0"}, {1}, 40);
  b.Add("end", {"c:0", "x:0"}, {1}, 50);
  return b;
}

absl::StatusOr<Verdict> JudgeText(GraphBuilder& builder, absl::string_view text, double latency_ns = 0) {
  const Graph graph = builder.Build();
  Costs costs = MeasuredCosts(builder.file());
  costs.copy_latency_seconds = latency_ns * 1e-9;
  return Judge(graph, costs, ParseProgram(graph, text));
}

Simulation Simulate(GraphBuilder& builder, absl::string_view text, double latency_ns = 0) {
  absl::StatusOr<Verdict> verdict = JudgeText(builder, text, latency_ns);
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return verdict.ok() ? verdict->simulation : Simulation();
}

int64_t Nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

TEST(SimulatorSwapTest, FreesAtTheWaitAndAllocatesAtTheSwapIn) {
  GraphBuilder b = Gap();
  const Simulation result = Simulate(b, "x out:x:0 a wait:x:0 b c in:x:0 end");
  // During the wait the buffer is still held.
  EXPECT_EQ(result.profile, Bytes({100, 100, 101, 101, 2, 2, 101, 102}));
  EXPECT_EQ(result.host_peak_bytes, 100);
}

TEST(SimulatorSwapTest, CopiesGoOnBesideComputing) {
  GraphBuilder b = Gap();
  // x ends at 10; the copy out runs 10-110. a 10-30. The wait lasts until 110. b 110-140, c 140-180.
  // The copy in is queued at 180 and arrives at 280; end 280-330.
  EXPECT_EQ(Nanoseconds(Simulate(b, "x out:x:0 a wait:x:0 b c in:x:0 end").seconds), 330);
  // A later wait hides more: a 10-30, b 30-60, c 60-100, wait until 110, in 110-210, end 210-260.
  EXPECT_EQ(Nanoseconds(Simulate(b, "x out:x:0 a b c wait:x:0 in:x:0 end").seconds), 260);
  // An earlier swap_in overlaps with computing: wait until 110, in 110-210; b 110-140, c 140-180; end 210-260.
  const Simulation early = Simulate(b, "x out:x:0 a wait:x:0 in:x:0 b c end");
  EXPECT_EQ(Nanoseconds(early.seconds), 260);
  EXPECT_EQ(Nanoseconds(early.timeline[1].start), 10);
  EXPECT_EQ(Nanoseconds(early.timeline[1].end), 110);
  EXPECT_EQ(Nanoseconds(early.timeline[4].end), 210);
  EXPECT_EQ(Nanoseconds(early.timeline[7].start), 210);
}

TEST(SimulatorSwapTest, EveryCopyHasItsLatency) {
  GraphBuilder b = Gap();
  EXPECT_EQ(Nanoseconds(Simulate(b, "x out:x:0 a b c wait:x:0 in:x:0 end", /*latency_ns=*/5).seconds), 270);
}

TEST(SimulatorSwapTest, ASwapInWaitsForItsHostCopyEvenWithoutAWait) {
  GraphBuilder b = Gap();
  // The swap_in is reached at 30, the copy out ends at 110, in 110-210; b 30-60, c 60-100, end 210-260.
  const Simulation result = Simulate(b, "x out:x:0 a in:x:0 b c wait:x:0 end");
  EXPECT_EQ(Nanoseconds(result.seconds), 260);
  // Both instances are held until the wait.
  EXPECT_EQ(result.profile, Bytes({100, 100, 101, 201, 202, 202, 201, 102}));
}

TEST(SimulatorSwapTest, CopiesOfOneDirectionQueueUp) {
  GraphBuilder b;
  b.Add("x", {}, {100}, 10);
  b.Add("y", {}, {50}, 10);
  b.Add("a", {}, {1}, 1000);
  b.Add("end", {"x:0", "y:0", "a:0"}, {1}, 5);
  const Simulation result = Simulate(b, "x out:x:0 y out:y:0 a wait:x:0 wait:y:0 in:y:0 in:x:0 end");
  // out x 10-110, out y from 20 on queued: 110-160. Both in after 1020: y 1020-1070, x 1070-1170.
  EXPECT_EQ(Nanoseconds(result.timeline[3].start), 110);
  EXPECT_EQ(Nanoseconds(result.timeline[3].end), 160);
  EXPECT_EQ(Nanoseconds(result.timeline[8].start), 1070);
  EXPECT_EQ(Nanoseconds(result.seconds), 1175);
  EXPECT_EQ(result.host_peak_bytes, 150);
}

TEST(SimulatorSwapTest, OneHostCopyServesSeveralSwapIns) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  b.Add("y", {}, {30});
  b.Add("a", {"x:0"}, {1});
  b.Add("b", {"a:0", "y:0"}, {1});
  b.Add("end", {"b:0", "x:0"}, {1});
  const Simulation result = Simulate(b, "x out:x:0 wait:x:0 y out:y:0 wait:y:0 in:x:0 a in:y:0 b in:x:0 end");
  EXPECT_EQ(result.profile, Bytes({100, 100, 100, 30, 30, 30, 100, 101, 31, 32, 101, 102}));
  EXPECT_EQ(result.host_peak_bytes, 130);
}

TEST(SimulatorSwapTest, ASwappedInBufferIsTakenOverByItsLastTaker) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  b.Add("a", {}, {1});
  b.Add("relu", {"x:0", "a:0"}, {100})->mutable_output(0)->add_forwards_input(0);
  b.AddView("view", "relu:0", 100);
  EXPECT_EQ(Simulate(b, "x out:x:0 wait:x:0 a in:x:0 relu view").profile, Bytes({100, 100, 100, 1, 101, 101, 100}));
}

TEST(SimulatorSwapTest, AnOpenSwapOutKeepsABufferFromBeingTakenOver) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  b.Add("relu", {"x:0"}, {100})->mutable_output(0)->add_forwards_input(0);
  EXPECT_EQ(Simulate(b, "x out:x:0 relu wait:x:0").profile, Bytes({100, 100, 200, 100}));
}

TEST(SimulatorSwapTest, RefusesWhatIsNotThereAndNamesTheStep) {
  GraphBuilder b = Gap();
  EXPECT_THAT(JudgeText(b, "x out:x:0 a wait:x:0 b c end").status().message(),
              HasSubstr("step 7 (run \"end\"): takes \"x:0\", which was swapped out and not brought back"));
  EXPECT_THAT(JudgeText(b, "x a in:x:0 b c end").status().message(), HasSubstr("step 3 (swap_in \"x:0\")"));
  EXPECT_THAT(JudgeText(b, "x wait:x:0 a b c end").status().message(), HasSubstr("no swap_out of the tensor is open"));
  EXPECT_THAT(JudgeText(b, "out:x:0 x a b c end").status().message(), HasSubstr("step 1 (swap_out \"x:0\")"));
  EXPECT_THAT(JudgeText(b, "x out:x:0 out:x:0 a b c end").status().message(), HasSubstr("still open"));
}

// A byte takes 4 ns to write and 3 ns to read, after 5 ns.
Simulation SimulateWithDisk(GraphBuilder& builder, absl::string_view text) {
  const Graph graph = builder.Build();
  Costs costs = MeasuredCosts(builder.file());
  costs.disk_write_bytes_per_second = 1e9 / 4;
  costs.disk_read_bytes_per_second = 1e9 / 3;
  costs.disk_latency_seconds = 5e-9;
  absl::StatusOr<Verdict> verdict = Judge(graph, costs, ParseProgram(graph, text));
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return verdict.ok() ? verdict->simulation : Simulation();
}

TEST(SimulatorSwapTest, ADiskTakesLongerAndNoMoreDeviceMemory) {
  GraphBuilder b = Gap();
  // x ends at 10; out 10-415. a 10-30, b 30-60, c 60-100, wait until 415; in 415-720; end 720-770.
  const Simulation disk = SimulateWithDisk(b, "x disk:x:0 a b c wait:x:0 in:x:0 end");
  EXPECT_EQ(Nanoseconds(disk.seconds), 770);
  EXPECT_EQ(disk.host_peak_bytes, 0);
  EXPECT_EQ(disk.disk_peak_bytes, 100);
  const Simulation host = SimulateWithDisk(b, "x out:x:0 a b c wait:x:0 in:x:0 end");
  EXPECT_EQ(disk.profile, host.profile);
  EXPECT_EQ(host.host_peak_bytes, 100);
  EXPECT_EQ(host.disk_peak_bytes, 0);
}

TEST(SimulatorSwapTest, CopiesToTheDiskQueueUpWithThoseToTheHost) {
  GraphBuilder b;
  b.Add("x", {}, {100}, 10);
  b.Add("y", {}, {50}, 10);
  b.Add("a", {}, {1}, 1000);
  b.Add("end", {"x:0", "y:0", "a:0"}, {1}, 5);
  const Simulation result = SimulateWithDisk(b, "x disk:x:0 y out:y:0 a wait:x:0 wait:y:0 in:y:0 in:x:0 end");
  // out x 10-415, out y behind it: 415-465. Both in after 1020: y 1020-1070, x 1070-1375.
  EXPECT_EQ(Nanoseconds(result.timeline[3].start), 415);
  EXPECT_EQ(Nanoseconds(result.timeline[3].end), 465);
  EXPECT_EQ(Nanoseconds(result.seconds), 1380);
  EXPECT_EQ(result.host_peak_bytes, 50);
  EXPECT_EQ(result.disk_peak_bytes, 100);
}

TEST(SimulatorSwapTest, ADiskOfUnknownSpeedIsRefused) {
  GraphBuilder b = Gap();
  EXPECT_THAT(JudgeText(b, "x disk:x:0 a b c wait:x:0 in:x:0 end").status().message(), HasSubstr("has a disk"));
}

TEST(SimulatorSwapTest, UnknownRatesAreRefused) {
  GraphBuilder b = Gap();
  b.file().clear_copy_out_bytes_per_second();
  EXPECT_THAT(JudgeText(b, "x out:x:0 a b c wait:x:0 in:x:0 end").status().message(), HasSubstr("--device"));
  EXPECT_TRUE(JudgeText(b, "x a b c end").ok());
}

}  // namespace
}  // namespace str::optimizer
