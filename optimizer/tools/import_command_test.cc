// str import as users meet it.
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/graph_io.h"
#include "config/strategy_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/shared_data.h"
#include "optimizer/tools/cli_fixture.h"

namespace str::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ImportCommandTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    Write("chain.json", R"({"graph": {}, "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2},
        {"source": 0, "target": 2}], "nodes": [
        {"id": 0, "name": "a", "backward": false, "cost_cpu": 2, "cost_ram": 1000},
        {"id": 1, "name": "b", "backward": false, "cost_cpu": 3, "cost_ram": 1000},
        {"id": 2, "name": "d_b", "backward": true, "cost_cpu": 5, "cost_ram": 10}]})");
  }

  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(config::WriteFileAtomically(Path(name), text).ok());
  }

  Outcome Import(const std::string& file, const std::string& flags) {
    return Str(absl::StrCat("import ", file, " --output=", Path("output"), " ", flags));
  }
};

TEST_F(ImportCommandTest, WritesGraphs) {
  const Outcome import = Import(Path("chain.json"), "--cost-unit=1s");
  ASSERT_EQ(import.exit_code, 0) << import.err;
  EXPECT_THAT(import.out, HasSubstr("graph of 3 nodes"));
  const absl::StatusOr<config::GraphFile> graph = config::ReadGraph(Path("output"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->node_size(), 3);
  const Outcome plan =
      Str(absl::StrCat("plan ", Path("output"), " --budget=100% --strategy=keep-all --json=- --output=", Path("plan")));
  EXPECT_THAT(plan.out, HasSubstr("\"baseline_seconds\": 10,"));
}

TEST_F(ImportCommandTest, WritesStrategies) {
  Write("solution/R", "1 0 0\n0 1 0\n1 0 1\n");
  Write("solution.conf", "[solution]\nstrategy=recompute\n[recompute]\nr=solution/R\n");
  for (const char* file : {"solution", "solution.conf"}) {
    const Outcome import = Import(Path(file), absl::StrCat("--graph=", Path("chain.json")));
    ASSERT_EQ(import.exit_code, 0) << import.err;
    EXPECT_THAT(import.out, AllOf(HasSubstr("peak"), HasSubstr("violations"), HasSubstr("written to")));
    EXPECT_EQ(Str(absl::StrCat("simulate ", Path("chain.json"), " ", Path("output"))).exit_code, 0);
    EXPECT_EQ(config::ReadStrategy(Path("output"))->planner(), "str-matrices");
    std::filesystem::remove(Path("output"));
  }
}

TEST_F(ImportCommandTest, SaysWhatCannotBeFollowed) {
  Write("solution/R", "1 0 0\n0 1 0\n0 0 1\n");
  Write("solution/S", "0 0 0\n1 0 0\n0 1 0\n");
  const Outcome import = Import(Path("solution"), absl::StrCat("--graph=", Path("chain.json")));
  ASSERT_EQ(import.exit_code, 0) << import.err;
  EXPECT_THAT(import.err, AllOf(HasSubstr("in 1 places"), HasSubstr("stage 2: node 2 \"d_b\"")));
}

TEST_F(ImportCommandTest, BadInputWritesNothing) {
  Write("solution/R", "1 0 0\n0 7 0\n1 0 1\n");
  const std::string graph = absl::StrCat("--graph=", Path("chain.json"));
  const std::pair<std::string, std::string> cases[] = {
      {Path("solution"), graph},
      {Path("solution"), ""},
      {Path("solution"), absl::StrCat(graph, " --format=graph")},
      {Path("chain.json"), graph},
      {Path("chain.json"), absl::StrCat(graph, " --format=str-matrices")},
      {Path("nothing"), ""},
  };
  for (const auto& [file, flags] : cases) {
    SCOPED_TRACE(absl::StrCat(file, " ", flags));
    const Outcome import = Import(file, flags);
    EXPECT_EQ(import.exit_code, 1);
    EXPECT_THAT(import.err, HasSubstr("str: "));
    EXPECT_FALSE(std::filesystem::exists(Path("output")));
  }
  EXPECT_THAT(Import(Path("solution"), graph).err, HasSubstr("solution/R:2: number 2 is \"7\""));
}

TEST_F(ImportCommandTest, ImportsThePublishedSolution) {
  const std::string graph = optimizer::SharedData("checkmate_graphs/vgg16_b256.json"),
                    files = optimizer::SharedData("str/vgg16_b256/R");
  if (graph.empty() || files.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  Write("device.conf", R"(format_version: 1
name: "as in STR's model"
memory_bytes: 17179869184
flops_per_second { value: 1e13 source: "none" }
memory_bytes_per_second { value: 3e11 source: "none" }
copy_out_bytes_per_second { value: 1e10 source: "STR's model" }
copy_in_bytes_per_second { value: 1e10 source: "STR's model" }
)");
  const std::string device = absl::StrCat(" --device=", Path("device.conf"));
  const Outcome import =
      Import(std::filesystem::path(files).parent_path().string(), absl::StrCat("--graph=", graph, device));
  ASSERT_EQ(import.exit_code, 0) << import.err;
  EXPECT_THAT(import.out, AllOf(HasSubstr("violations             0\n"), HasSubstr("15208546304")));
  const Outcome simulate = Str(absl::StrCat("simulate ", graph, " ", Path("output"), device, " --json=-"));
  ASSERT_EQ(simulate.exit_code, 0) << simulate.err;
  EXPECT_THAT(simulate.out, AllOf(HasSubstr("\"recomputed_nodes\": 0"), HasSubstr("\"status\": \"feasible\"")));
}

}  // namespace
}  // namespace str::tools
