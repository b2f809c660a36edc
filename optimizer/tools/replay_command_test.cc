// str replay as users meet it.
#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/tools/cli_fixture.h"

namespace str::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ReplayCommandTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    log_ = Path("chain.log");
    std::string text = R"({"INSTRUCTION":"CONSTANT","NAME":"x0"}
{"INSTRUCTION":"MEMORY","NAME":"x0","MEMORY":"1"}
)";
    for (int i = 1; i <= 6; ++i) {
      absl::StrAppend(&text, R"({"INSTRUCTION":"CALL","NAME":"conv","ARGS":["x)", i - 1, R"("],"RESULT":["x)", i,
                      R"("],"TIME":"100"})", "\n", R"({"INSTRUCTION":"MEMORY","NAME":"x)", i, R"(","MEMORY":"10"})",
                      "\n", R"({"INSTRUCTION":"ALIAS","NAME":"x)", i, R"(","ALIAS":"-1"})", "\n");
    }
    // Backward: each takes the one before it and gives way to it.
    for (int i = 5; i >= 1; --i) {
      absl::StrAppend(&text, R"({"INSTRUCTION":"MUTATE","NAME":"grad_","ARGS":["x6","x)", i,
                      R"("],"MUTATE":[0],"TIME":"100"})", "\n", R"({"INSTRUCTION":"RELEASE","NAME":"x)", i, "\"}\n");
    }
    ASSERT_TRUE(config::WriteFileAtomically(log_, text).ok());
  }

  std::string log_;
};

TEST_F(ReplayCommandTest, ReplaysWithinABudget) {
  const Outcome all = Str(absl::StrCat("replay ", log_, " --budget=100% --json=-"));
  ASSERT_EQ(all.exit_code, 0) << all.err;
  // Six of 10 bytes, the constant, and one more while x6 is changed.
  EXPECT_THAT(all.out, AllOf(HasSubstr("\"status\": \"ok\""), HasSubstr("\"unlimited_peak_bytes\": 71"),
                             HasSubstr("\"budget_bytes\": 71"), HasSubstr("\"peak_bytes\": 71"),
                             HasSubstr("\"rematerializations\": 0"), HasSubstr("\"baseline\": 1100"),
                             HasSubstr("\"clock\": 1101"), HasSubstr("\"dtr_overhead\": 1.0009"),
                             HasSubstr("\"overhead\": 0.0009"), HasSubstr("\"heuristic\": \"h_DTR\"")));
  const Outcome half =
      Str(absl::StrCat("replay ", log_, " --budget=51 --heuristic=e*+stale+size --json=", Path("half.json")));
  EXPECT_EQ(half.exit_code, 0) << half.err;
  EXPECT_THAT(half.out, AllOf(HasSubstr("e*+size+stale, eager, budget 51 bytes"), HasSubstr("recomputed")));
  EXPECT_THAT(*config::ReadFile(Path("half.json")),
              AllOf(HasSubstr("\"overhead\": 0."), HasSubstr("\"dtr_overhead\": 1."), HasSubstr("\"evictions\": ")));
}

TEST_F(ReplayCommandTest, ThrashAndOutOfMemoryAreResults) {
  const Outcome memory = Str(absl::StrCat("replay ", log_, " --budget=21 --heuristic=h_LRU"));
  EXPECT_EQ(memory.exit_code, 2);
  EXPECT_THAT(memory.out, HasSubstr("out of memory: nothing is left to evict, and grad_ of line 21 does not fit"));
  const Outcome thrash =
      Str(absl::StrCat("replay ", log_, " --budget=41 --heuristic=h_LRU --thrash-limit=1.05 --json=-"));
  EXPECT_EQ(thrash.exit_code, 2);
  EXPECT_THAT(thrash.out, HasSubstr("\"status\": \"thrash\""));
}

TEST_F(ReplayCommandTest, BadInputIsRefusedWithAReason) {
  EXPECT_THAT(Str(absl::StrCat("replay ", log_, " --budget=50% --heuristic=best")).err,
              HasSubstr("there is no heuristic \"best\"; there are "));
  EXPECT_THAT(Str(absl::StrCat("replay ", log_, " --budget=lots")).err, HasSubstr("--budget"));
  EXPECT_THAT(Str(absl::StrCat("replay ", log_, " --budget=50% --thrash-limit=0.5")).err, HasSubstr("--thrash-limit"));
  EXPECT_THAT(Str(absl::StrCat("replay ", log_, " --budget=50% --dealloc=never")).err, HasSubstr("--dealloc"));
  const Outcome foreign = Str(absl::StrCat("replay ", graph_, " --budget=50%"));
  EXPECT_EQ(foreign.exit_code, 1);
  EXPECT_THAT(foreign.err, HasSubstr("random.graph: this is a graph file, not a log of DTR's simulator"));
  ASSERT_TRUE(config::WriteFileAtomically(Path("cut.log"), config::ReadFile(log_)->substr(0, 200)).ok());
  const Outcome cut = Str(absl::StrCat("replay ", Path("cut.log"), " --budget=50%"));
  EXPECT_EQ(cut.exit_code, 1);
  EXPECT_THAT(cut.err, HasSubstr("cut.log: line 4: no JSON object"));
  EXPECT_EQ(Str(absl::StrCat("replay ", Path("none.log"), " --budget=50%")).exit_code, 1);
}

}  // namespace
}  // namespace str::tools
