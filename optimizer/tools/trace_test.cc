#include "optimizer/tools/trace.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TraceTest, HasThreeLanesAndTheMemory) {
  optimizer::GraphBuilder b;
  b.Add("x", {}, {1000}, 1000);
  b.Add("a", {"x:0"}, {1}, 500);
  b.Add("end", {"a:0", "x:0"}, {1}, 2000);
  const optimizer::Graph graph = b.Build();
  const optimizer::Program program = optimizer::ParseProgram(graph, "x out:x:0 a wait:x:0 in:x:0 end");
  const absl::StatusOr<optimizer::Verdict> verdict =
      optimizer::Judge(graph, optimizer::MeasuredCosts(b.file()), program);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  const std::string trace = TraceJson(graph, program, *verdict);
  for (const char* lane : {"compute", "copies out", "copies in"}) EXPECT_THAT(trace, HasSubstr(lane));
  // x runs 0-1 us, its copy out 1-2, a 1-1.5, the wait 1.5-2, the copy in 2-3, end 3-5.
  EXPECT_THAT(trace, HasSubstr(R"("name": "x", "cat": "run", "pid": 1, "tid": 1, "ts": 0, "dur": 1,)"));
  EXPECT_THAT(trace, HasSubstr(R"("name": "x:0", "cat": "swap_out", "pid": 1, "tid": 2, "ts": 1, "dur": 1,)"));
  EXPECT_THAT(trace, HasSubstr(R"("name": "wait for x:0", "cat": "swap_out_wait")"));
  EXPECT_THAT(trace, HasSubstr(R"("name": "x:0", "cat": "swap_in", "pid": 1, "tid": 3, "ts": 2, "dur": 1)"));
  EXPECT_THAT(trace, HasSubstr(R"({"ph": "C", "name": "memory", "pid": 1, "ts": 0, "args": {"bytes": 1000}})"));
  EXPECT_THAT(trace, Not(HasSubstr("null")));
}

}  // namespace
}  // namespace str::tools
