// str plan FOLDER, run as a user would.
#include <filesystem>

#include "absl/strings/str_format.h"
#include "config/strategy_io.h"
#include "gmock/gmock.h"
#include "optimizer/tools/cli_fixture.h"

namespace str::tools {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

class PlanFolderTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    fs::create_directories(Path("captured"));
    Write("small", 4, 8);
    Write("large", 5, 12);
  }

  void Write(const std::string& name, uint64_t seed, int layers) {
    config::GraphFile graph = optimizer::RandomTrainingGraph({.seed = seed, .layers = layers});
    graph.set_name(name);
    graph.set_fingerprint(absl::StrFormat("%016x", seed));
    ASSERT_TRUE(config::WriteGraph(graph, Path(absl::StrCat("captured/", name, ".graph"))).ok());
  }

  Outcome Plan(const std::string& options) const { return Str(absl::StrCat("plan ", Path("captured"), " ", options)); }
};

TEST_F(PlanFolderTest, EveryGraphGetsAStrategy) {
  fs::create_directories(Path("plans"));
  const Outcome outcome = Plan(absl::StrCat("--budget=80% --output=", Path("plans"), " --json=", Path("plans.json")));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(ContainsRegex("(optimal|feasible) .* large\n"), ContainsRegex(" small\n"),
                                 HasSubstr("2 of 2 strategies written to")));
  for (const char* name : {"small", "large"}) {
    const absl::StatusOr<config::StrategyFile> strategy =
        config::ReadStrategy(Path(absl::StrCat("plans/", name, ".conf")));
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    EXPECT_EQ(strategy->graph_name(), name);
  }
  EXPECT_THAT(*config::ReadFile(Path("plans.json")),
              AllOf(HasSubstr("\"command\": \"plan\""), HasSubstr("large.graph\""), HasSubstr("small.conf\""),
                    HasSubstr("\"fingerprint\": \"0000000000000004\"")));
}

TEST_F(PlanFolderTest, TheDefaultIsWhereTrainingLooks) {
  EXPECT_EQ(Plan("--budget=100%").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "home" / ".str" / "small.conf"));
  EXPECT_TRUE(fs::exists(folder_ / "home" / ".str" / "large.conf"));
  // strategy.conf comes after small.conf, so that training would not use it.
  const Outcome single = Str(absl::StrCat("plan ", Path("captured/small.graph"), " --budget=100%"));
  EXPECT_EQ(single.exit_code, 0);
  EXPECT_THAT(single.err, AllOf(HasSubstr("small.conf is for the same graph"), Not(HasSubstr("large.conf is"))));
}

TEST_F(PlanFolderTest, AnInfeasibleGraphIsNamedAndTheOthersAreWritten) {
  fs::create_directories(Path("plans"));
  const absl::StatusOr<config::GraphFile> large = config::ReadGraph(Path("captured/large.graph"));
  ASSERT_TRUE(large.ok());
  // What is always there is more than the budget.
  config::GraphFile huge = *large;
  huge.set_name("huge");
  huge.set_external_bytes(int64_t{1} << 40);
  ASSERT_TRUE(config::WriteGraph(huge, Path("captured/huge.graph")).ok());
  const Outcome outcome = Plan(absl::StrCat("--budget=100GiB --output=", Path("plans")));
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("STR-1001"), HasSubstr("huge: no plan was written"),
                                 Not(HasSubstr("small: no plan was written"))));
  EXPECT_THAT(outcome.out, AllOf(ContainsRegex("infeasible .* huge\n"), HasSubstr("2 of 3 strategies written to")));
  EXPECT_TRUE(fs::exists(Path("plans/small.conf")));
  EXPECT_TRUE(fs::exists(Path("plans/large.conf")));
  EXPECT_FALSE(fs::exists(Path("plans/huge.conf")));
}

TEST_F(PlanFolderTest, ABrokenGraphIsTheWorst) {
  ASSERT_TRUE(config::WriteFileAtomically(Path("captured/broken.graph"), "no graph").ok());
  const Outcome outcome = Plan("--budget=100%");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("broken: "), HasSubstr("2 of 3 strategies written to")));
}

TEST_F(PlanFolderTest, WrongUsageIsToldBeforeAnythingIsPlanned) {
  EXPECT_THAT(Plan("--budget=80% --output=" + Path("missing")).err, HasSubstr("there is no folder"));
  EXPECT_THAT(Plan("--budget=80% --strategy=none").err, HasSubstr("--strategy: there is no \"none\""));
  EXPECT_THAT(Plan("--budget=80% --format=mksch").err, HasSubstr("--format"));
  fs::create_directories(Path("empty"));
  const Outcome empty = Str(absl::StrCat("plan ", Path("empty"), " --budget=80%"));
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_THAT(empty.err, HasSubstr("holds no *.graph file"));
}

}  // namespace
}  // namespace str::tools
