// Graphs that nobody can plan: each is refused with what is wrong where, and nothing is written.
#include <filesystem>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/tools/cli_fixture.h"

namespace str::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BadInputTest : public CliTest {
 protected:
  // Of planning the text as a graph.
  Outcome Plan(const std::string& text, const std::string& options = "--budget=50%") {
    EXPECT_TRUE(config::WriteFileAtomically(Path("bad.graph"), text).ok());
    const Outcome outcome =
        Str(absl::StrCat("plan ", Path("bad.graph"), " ", options, " --output=", Path("plan.conf")));
    if (outcome.exit_code != 0) {
      EXPECT_FALSE(std::filesystem::exists(Path("plan.conf")));
    }
    return outcome;
  }

  // Exit code 1, and the message has all the parts.
  void ExpectRefused(const std::string& text, const std::vector<std::string>& parts) {
    for (const char* command : {"plan", "check"}) {
      ASSERT_TRUE(config::WriteFileAtomically(Path("bad.graph"), text).ok());
      const std::string options = std::string(command) == "plan" ? " --budget=50% --output=" + Path("plan.conf") : "";
      const Outcome outcome = Str(absl::StrCat(command, " ", Path("bad.graph"), options));
      EXPECT_EQ(outcome.exit_code, 1) << command << ": " << outcome.out;
      EXPECT_THAT(outcome.err, HasSubstr("bad.graph")) << command;
      for (const std::string& part : parts) EXPECT_THAT(outcome.err, HasSubstr(part)) << command;
    }
    EXPECT_FALSE(std::filesystem::exists(Path("plan.conf")));
  }

  static std::string Graph(const std::string& nodes) {
    return absl::StrCat(
        "format_version: 1\nallocation_granule_bytes: 64\nsteps_measured: 1\n"
        "copy_out_bytes_per_second: 1000\ncopy_in_bytes_per_second: 1000\n",
        nodes);
  }
};

constexpr char kNode[] = R"(node { name: "x" op: "Relu" time_ns: 5 output { bytes: 64 } })";

TEST_F(BadInputTest, EmptyFiles) {
  ExpectRefused("", {"empty"});
  ExpectRefused("  \n\t\n", {"empty"});
  ExpectRefused(Graph(""), {"no nodes"});
}

TEST_F(BadInputTest, Cycles) {
  ExpectRefused(Graph(R"(
      node { name: "a" op: "Relu" input: "b:0" output { bytes: 64 } }
      node { name: "b" op: "Relu" input: "a:0" output { bytes: 64 } })"),
                {"cycle", "\"a\"", "\"b\""});
  ExpectRefused(Graph(R"(node { name: "a" op: "Relu" control: "a" output { bytes: 64 } })"), {"cycle", "\"a\""});
}

TEST_F(BadInputTest, SizesAndTimes) {
  const std::pair<const char*, const char*> cases[] = {
      {"bytes: -1", "negative"},
      {"bytes: 9223372036854775807", "63 bits"},
      {"bytes: 99999999999999999999", "bad.graph:"},
      {"bytes: 1e6", "bad.graph:"},
  };
  for (const auto& [bytes, reason] : cases) {
    ExpectRefused(Graph(absl::StrReplaceAll(kNode, {{"bytes: 64", bytes}})), {reason});
  }
  ExpectRefused(Graph(absl::StrReplaceAll(kNode, {{"time_ns: 5", "time_ns: -5"}})), {"\"x\"", "time_ns is negative"});
  ExpectRefused(Graph(absl::StrReplaceAll(kNode, {{"time_ns: 5", "time_ns: nan"}})), {"bad.graph:"});
  ExpectRefused(Graph(absl::StrCat(kNode, R"(node { name: "y" op: "Relu" temporary_bytes: 9223372036854775800 })")),
                {"\"y\"", "63 bits"});
}

TEST_F(BadInputTest, JsonGraphs) {
  const auto json = [](const std::string& cost, const std::string& ram) {
    return absl::StrCat(
        R"({"graph": {}, "links": [], "nodes": [{"id": 0, "name": "a", "backward": false, "cost_cpu": )", cost,
        R"(, "cost_ram": )", ram, "}]}");
  };
  ExpectRefused(json("NaN", "10"), {});
  ExpectRefused(json("1e400", "10"), {});
  ExpectRefused(json("-1", "10"), {"cost_cpu"});
  ExpectRefused(json("1", "-10"), {"cost_ram"});
  ExpectRefused(json("1", "1e30"), {"cost_ram"});
  ExpectRefused("{", {});
  ExpectRefused("{}", {});
}

TEST_F(BadInputTest, OpsOfUnknownWorkAreRefusedByName) {
  const std::string graph =
      absl::StrReplaceAll(Graph(R"(node { name: "x" op: "Relu" flops: 100 moved_bytes: 100 output { bytes: 64 } }
               node { name: "mystery" op: "NobodyKnows" input: "x:0" output { bytes: 64 } })"),
                          {{"steps_measured: 1", "steps_measured: 0"}});
  const Outcome outcome = Plan(graph, "--budget=50% --device=t4");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("\"mystery\" (NobodyKnows)"), HasSubstr("time is unknown")));
}

TEST_F(BadInputTest, Budgets) {
  const std::string text = Graph(kNode);
  const Outcome small = Plan(text, "--budget=1");
  EXPECT_EQ(small.exit_code, 2) << small.err;
  EXPECT_THAT(small.err, AllOf(HasSubstr("STR-1001"), HasSubstr("smallest feasible budget")));
  for (const char* budget : {"--budget=-1", "--budget=nan", "--budget=99999999999GiB", "--budget="}) {
    const Outcome outcome = Plan(text, budget);
    EXPECT_EQ(outcome.exit_code, 1) << budget << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("--budget")) << budget;
  }
}

TEST_F(BadInputTest, ABudgetOfNothingIsRefusedEverywhere) {
  for (const char* nothing : {"0", "0GiB", "0%"}) {
    const std::string output = " --output=" + Path("plan.conf");
    for (const std::string& command :
         {absl::StrCat("plan ", graph_, output, " --budget=", nothing),
          absl::StrCat("compare ", graph_, " --strategies=keep-all --budgets=80%,", nothing),
          absl::StrCat("max-batch ", graph_, " --batch=8 --strategy=keep-all --budget=", nothing)}) {
      const Outcome outcome = Str(command);
      EXPECT_EQ(outcome.exit_code, 1) << command << ": " << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr("--budget")) << command;
      EXPECT_THAT(outcome.out, IsEmpty()) << command;
    }
  }
  EXPECT_THAT(Str(absl::StrCat("compare ", graph_, " --budgets=0")).err,
              HasSubstr("--budgets: \"0\" leaves no memory"));
}

TEST_F(BadInputTest, FilesOfAnotherKindAreCalledByTheirName) {
  const std::string plan = Path("plan.conf");
  ASSERT_EQ(Str(absl::StrCat("plan ", graph_, " --budget=100% --output=", plan)).exit_code, 0);
  const std::string device = "config/devices/t4-16gb.conf";
  const std::string elsewhere = " --output=" + Path("other.conf");
  const std::pair<std::string, std::string> cases[] = {
      {absl::StrCat("plan ", plan, " --budget=60%", elsewhere), "plan.conf: this is a strategy file, not a graph file"},
      {absl::StrCat("plan ", device, " --budget=60%", elsewhere), "this is a device file, not a graph file"},
      {absl::StrCat("simulate ", plan, " ", graph_), "this is a strategy file, not a graph file; training with"},
      {absl::StrCat("explain ", plan, " ", graph_), "the graph comes first"},
      {absl::StrCat("simulate ", graph_, " ", graph_),
       "random.graph: this is a graph file, not a strategy file; str plan"},
      {absl::StrCat("simulate ", graph_, " ", device), "this is a device file, not a strategy file"},
      {absl::StrCat("compare ", plan), "this is a strategy file, not a graph file"},
      {absl::StrCat("max-batch ", plan, " --batch=8 --budget=1GiB"), "this is a strategy file, not a graph file"},
      {absl::StrCat("import ", plan, elsewhere), "this is a strategy file, not a graph file"},
      {absl::StrCat("replay ", graph_, " --budget=50%"), "this is a graph file, not a log of DTR's simulator"},
      {absl::StrCat("plan ", graph_, " --budget=60% --device=", plan, elsewhere),
       "this is a strategy file, not a device file; str devices lists"},
  };
  for (const auto& [arguments, reason] : cases) {
    const Outcome outcome = Str(arguments);
    EXPECT_EQ(outcome.exit_code, 1) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(reason)) << arguments;
  }
  EXPECT_FALSE(std::filesystem::exists(Path("other.conf")));
}

TEST_F(BadInputTest, CutOffFilesAreNoticed) {
  const std::string plan = Path("plan.conf"), cut = Path("cut.conf");
  ASSERT_EQ(Str(absl::StrCat("plan ", graph_, " --budget=100% --output=", plan)).exit_code, 0);
  const std::string strategy = *config::ReadFile(plan), graph = *config::ReadFile(graph_);
  const std::pair<std::string, std::string> cases[] = {
      {strategy.substr(0, strategy.rfind("\nstep {") + 1), "steps: the file is cut off"},
      {strategy.substr(0, strategy.size() - 4), "the end of the file: is it cut off?"},
      {strategy.substr(0, strategy.find("\nstep {") + 1), "no steps; is the file cut off?"},
      {graph.substr(0, graph.rfind("\nnode {") + 1), "nodes: the file is cut off"},
      {graph.substr(0, graph.rfind("\nnode {") + 8), "the end of the file: is it cut off?"},
  };
  for (const auto& [text, reason] : cases) {
    ASSERT_TRUE(config::WriteFileAtomically(cut, text).ok());
    const Outcome outcome = Str(absl::StrCat("check ", cut));
    EXPECT_EQ(outcome.exit_code, 1) << reason << ": " << outcome.out;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("cut.conf:"), HasSubstr(reason)));
  }
}

TEST_F(BadInputTest, MoreFilesThanACommandTakes) {
  const std::string other = Path("other.graph");
  std::filesystem::copy_file(graph_, other);
  const std::string both = absl::StrCat(graph_, " ", other);
  const std::string named = absl::StrCat(graph_, ", ", other);
  const Outcome plan = Str(absl::StrCat("plan ", both, " --budget=60% --output=", Path("plan.conf")));
  EXPECT_EQ(plan.exit_code, 1);
  EXPECT_EQ(plan.err, absl::StrCat("str: plan takes one GRAPH, but 2 arguments were given: ", named,
                                   "; run str plan once for each\n"));
  for (const char* command : {"simulate", "explain"}) {
    const Outcome outcome = Str(absl::StrCat(command, " ", both, " plan.conf"));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr(absl::StrCat(" takes one GRAPH and one STRATEGY, but 3 arguments were given: ",
                                                    named, ", plan.conf; run str ", command, " once for each")));
  }
  const Outcome compare = Str(absl::StrCat("compare ", both, " --strategies=keep-all --budgets=100%"));
  EXPECT_EQ(compare.exit_code, 1);
  EXPECT_THAT(compare.err, AllOf(HasSubstr(absl::StrCat(graph_, " and ", other, " both hold a graph called")),
                                 HasSubstr("run str compare once for each")));
}

TEST_F(BadInputTest, AnOutputFolderThatIsNotThereIsSaidBeforeTheWork) {
  const std::string missing = Path("missing/file");
  const std::string plan = Path("plan.conf");
  ASSERT_EQ(Str(absl::StrCat("plan ", graph_, " --budget=100% --output=", plan)).exit_code, 0);
  for (const std::string& command : {
           absl::StrCat("plan ", graph_, " --budget=80% --output=", missing),
           absl::StrCat("plan ", graph_, " --budget=80% --output=", plan, " --json=", missing),
           absl::StrCat("simulate ", graph_, " ", plan, " --json=", missing),
           absl::StrCat("simulate ", graph_, " ", plan, " --trace=", missing),
           absl::StrCat("explain ", graph_, " ", plan, " --json=", missing),
           absl::StrCat("compare ", graph_, " --json=", missing),
           absl::StrCat("max-batch ", graph_, " --batch=8 --budget=1GiB --json=", missing),
           absl::StrCat("import ", graph_, " --output=", missing),
           absl::StrCat("replay ", graph_, " --budget=50% --json=", missing),
           absl::StrCat("calibrate --output=", missing),
       }) {
    const Outcome outcome = Str(command);
    EXPECT_EQ(outcome.exit_code, 1) << command;
    EXPECT_THAT(outcome.err, HasSubstr(absl::StrCat(": there is no folder \"", Path("missing"), "\""))) << command;
    EXPECT_THAT(outcome.out, IsEmpty()) << command;
    EXPECT_FALSE(std::filesystem::exists(Path("missing"))) << command;
  }
}

TEST_F(BadInputTest, DamagedGraphsNeverCrash) {
  const std::string text = *config::ReadFile(graph_);
  std::mt19937 random(20);
  for (int i = 0; i < 60; ++i) {
    std::string damaged = text;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int c = 0; c < changes; ++c) {
      const size_t at = random() % damaged.size();
      switch (random() % 4) {
        case 0:
          damaged[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          damaged.erase(at, 1 + random() % 40);
          break;
        case 2:
          damaged.insert(at, damaged.substr(random() % damaged.size(), 1 + random() % 40));
          break;
        default:
          // A digit more makes numbers of every size.
          damaged.insert(at, std::string(1 + random() % 12, '9'));
      }
    }
    const Outcome outcome = Plan(damaged, "--budget=70% --strategy=keep-all");
    EXPECT_THAT(outcome.exit_code, ::testing::AnyOf(0, 1, 2)) << "change " << i << ": " << outcome.err;
    if (outcome.exit_code == 1) {
      EXPECT_THAT(outcome.err, HasSubstr("bad.graph")) << i;
    }
    std::filesystem::remove(Path("plan.conf"));
  }
}

}  // namespace
}  // namespace str::tools
