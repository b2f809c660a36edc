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

TEST_F(BadInputTest, ABudgetOfNothingIsInfeasible) {
  const std::string text = Graph(kNode);
  for (const char* budget : {"--budget=0", "--budget=0GiB", "--budget=1"}) {
    const Outcome outcome = Plan(text, budget);
    EXPECT_EQ(outcome.exit_code, 2) << budget << ": " << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("STR-1001"), HasSubstr("smallest feasible budget")));
  }
  for (const char* budget : {"--budget=0%", "--budget=-1", "--budget=nan", "--budget=99999999999GiB", "--budget="}) {
    const Outcome outcome = Plan(text, budget);
    EXPECT_EQ(outcome.exit_code, 1) << budget << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("--budget")) << budget;
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
