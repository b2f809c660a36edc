#include "optimizer/importers/str_matrices.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"

namespace str::optimizer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StrMatricesTest : public ::testing::Test {
 protected:
  // a is made first and taken last; copies of 100 bytes take as long as one node.
  void SetUp() override {
    const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / absl::StrCat("str_matrices_", info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    GraphBuilder b;
    b.Add("a", {}, {100}, 100);
    b.Add("b", {"a:0"}, {100}, 100);
    b.Add("c", {"b:0"}, {100}, 100);
    b.Add("d", {"c:0"}, {100}, 100);
    b.Add("e", {"d:0", "a:0"}, {100}, 100);
    graph_.emplace(b.Build());
    costs_ = MeasuredCosts(b.file());
  }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(config::WriteFileAtomically(Path(name), text).ok());
  }

  absl::StatusOr<StrSolution> Read(const std::string& path) {
    const absl::StatusOr<StrFiles> files = FindStrFiles(path);
    if (!files.ok()) return files.status();
    return ReadStrSolution(*files, *graph_, costs_);
  }

  std::string Error(const std::string& path) { return std::string(Read(path).status().message()); }

  std::filesystem::path folder_;
  std::optional<Graph> graph_;
  Costs costs_;
};

constexpr char kOnce[] = "1 0 0 0 0\n0 1 0 0 0\n0 0 1 0 0\n0 0 0 1 0\n0 0 0 0 1\n";
constexpr char kNothing[] = "0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n";
constexpr char kAgain[] = "1 0 0 0 0\n0 1 0 0 0\n0 0 1 0 0\n0 0 0 1 0\n1 0 0 0 1\n";
constexpr char kOut[] = "0 0 0 0 0\n1 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n";
constexpr char kBack[] = "0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n1 0 0 0 0\n0 0 0 0 0\n";

TEST_F(StrMatricesTest, ComputesAgain) {
  Write("R", kAgain);
  const absl::StatusOr<StrSolution> solution = Read(Path(""));
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_THAT(solution->violations, IsEmpty());
  EXPECT_EQ(ProgramText(*graph_, solution->program), "a b c d again:a e");
  EXPECT_EQ(solution->published_peak_bytes, 300);
}

TEST_F(StrMatricesTest, CopiesOutAndBack) {
  Write("P", kOut);
  Write("Q", kBack);
  const absl::StatusOr<StrSolution> solution = Read(Path(""));
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_THAT(solution->violations, IsEmpty());
  EXPECT_EQ(ProgramText(*graph_, solution->program), "a out:a:0 b wait:a:0 c in:a:0 d e");
  // PrunedQ wins, and without a way back the value stays.
  Write("PrunedQ", kNothing);
  EXPECT_EQ(ProgramText(*graph_, Read(Path(""))->program), "a b c d e");
}

TEST_F(StrMatricesTest, SaysWhatDoesNotAgree) {
  Write("R", kOnce);
  Write("S", "0 0 0 0 0\n1 0 0 0 0\n0 1 0 0 0\n0 0 1 0 0\n1 0 0 1 0\n");
  absl::StatusOr<StrSolution> solution = Read(Path(""));
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_THAT(solution->violations, ElementsAre(AllOf(HasSubstr("stage 4: node 0 \"a\" is held"))));
  EXPECT_TRUE(Judge(*graph_, costs_, solution->program).ok());
  Write("S", "0 0 0 0 0\n1 0 0 0 0\n0 1 0 0 0\n0 0 1 0 0\n0 0 0 1 0\n");
  solution = Read(Path(""));
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_THAT(solution->violations, ElementsAre(HasSubstr("stage 4: node 4 \"e\" is computed, but its input \"a\"")));
  std::filesystem::remove(Path("S"));
  Write("P", kNothing);
  Write("Q", kBack);
  solution = Read(Path(""));
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_THAT(solution->violations,
              ElementsAre("stage 3: node 0 \"a\" comes back, but was not copied to the host before"));
}

TEST_F(StrMatricesTest, ReadsTheIni) {
  Write("data/R-approx", kAgain);
  Write("data/P", kOut);
  Write("data/Q", kBack);
  Write("names", "input\na\nb\nc\n");
  Write("none.conf", "[solution]\nstrategy=none\n");
  EXPECT_EQ(ProgramText(*graph_, Read(Path("none.conf"))->program), "a b c d e");
  Write("recompute.conf",
        "; how\r\n[Solution]\r\nstrategy = recompute\r\ntags=names\r\n[recompute]\r\nr=data/R-approx\r\n");
  EXPECT_EQ(ProgramText(*graph_, Read(Path("recompute.conf"))->program), "a b c d again:a e");
  Write("swap.conf", "[solution]\nstrategy=swap\n[swap]\np=data/P\nq=data/Q\n");
  EXPECT_EQ(ProgramText(*graph_, Read(Path("swap.conf"))->program), "a out:a:0 b wait:a:0 c in:a:0 d e");
  // S from beside R counts.
  Write("data/S-approx", "0 0 0 0 0\n1 0 0 0 0\n0 1 0 0 0\n0 0 1 0 0\n0 0 0 0 0\n");
  EXPECT_THAT(Read(Path("recompute.conf"))->violations, ElementsAre(HasSubstr("its input \"d\"")));

  Write("bad.conf", "[solution]\nstrategy=both\n");
  EXPECT_THAT(Error(Path("bad.conf")), HasSubstr("bad.conf: strategy=both"));
  Write("bad.conf", "[solution]\nstrategy\n");
  EXPECT_THAT(Error(Path("bad.conf")), HasSubstr("bad.conf:2: \"strategy\""));
  Write("bad.conf", "[solution]\nstrategy=recompute\n");
  EXPECT_THAT(Error(Path("bad.conf")), HasSubstr("chen-sqrt"));
  Write("bad.conf", "[solution]\nstrategy=hybrid\n[hybrid]\nr=data/R-approx\np=data/P\n");
  EXPECT_THAT(Error(Path("bad.conf")), HasSubstr("q="));
  Write("bad.conf", "[solution]\nstrategy=swap\n[swap]\np=data/P\nq=data/nothing\n");
  EXPECT_THAT(Error(Path("bad.conf")), HasSubstr("data/nothing"));
}

TEST_F(StrMatricesTest, DamagedFilesAreRefused) {
  EXPECT_THAT(Error(Path("")), HasSubstr("neither a file R nor a file P"));
  Write("P", kOut);
  EXPECT_THAT(Error(Path("")), HasSubstr("no file Q"));
  Write("Q", "0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n2 0 0 0 0\n0 0 0 0 0\n");
  EXPECT_THAT(Error(Path("")), HasSubstr("Q:4: number 1 is \"2\""));
  Write("Q", "0 0 0 0 0\n0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n");
  EXPECT_THAT(Error(Path("")), HasSubstr("Q:2: has 4 numbers"));
  Write("Q", "0 0 0 0 0\n\n0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n");
  EXPECT_THAT(Error(Path("")), HasSubstr("Q:2: has 0 numbers"));
  Write("Q", "0 0 0 0 0\n0 0 0 0 0\n");
  EXPECT_THAT(Error(Path("")), HasSubstr("Q: has 2 rows, but the graph has 5 nodes"));
  Write("Q", kOnce);
  EXPECT_THAT(Error(Path("")), HasSubstr("Q:1: number 1 is 1"));
  Write("Q", kBack);
  Write("layer_names", "a\nb\nx\n");
  EXPECT_THAT(Error(Path("")), EndsWith("layer_names:3: \"x\" is not node 2 of the graph, which is \"c\""));
  Write("layer_names", "a\nb\nc\nd\ne\nf\n");
  EXPECT_THAT(Error(Path("")), EndsWith("layer_names:6: \"f\" is not node 5 of the graph"));
  Write("layer_names", "a\n");
  costs_.copy_in_bytes_per_second = 0;
  EXPECT_EQ(Read(Path("")).status().code(), absl::StatusCode::kFailedPrecondition);
}

// STR's published solution for VGG16, made for copies of 10 GB/s without latency.
TEST_F(StrMatricesTest, ReadsThePublishedSolution) {
  const std::string path = SharedData("checkmate_graphs/vgg16_b256.json"), files = SharedData("str/vgg16_b256/R");
  if (path.empty() || files.empty()) GTEST_SKIP() << kNoSharedData;
  const config::GraphFile file = *ReadAnyGraph(path, absl::Microseconds(100));
  graph_.emplace(*Graph::FromFile(file));
  costs_ = MeasuredCosts(file);
  costs_.copy_in_bytes_per_second = costs_.copy_out_bytes_per_second = 1e10;
  const absl::StatusOr<StrSolution> solution = Read(std::filesystem::path(files).parent_path().string());
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_THAT(solution->violations, IsEmpty());
  EXPECT_EQ(solution->published_peak_bytes, 15208546304);
  const absl::StatusOr<Verdict> verdict = Judge(*graph_, costs_, solution->program);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->counts.swapped_tensors, 13);
  EXPECT_EQ(verdict->counts.recomputed_nodes, 0);
  EXPECT_LE(verdict->peak_bytes(), solution->published_peak_bytes);
}

}  // namespace
}  // namespace str::optimizer
