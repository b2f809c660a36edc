#include "tf_plugin/capture/capture_files.h"

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/graph_io.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str::capture {
namespace {

config::GraphFile Graph(const std::string& name, const std::string& fingerprint, int64_t peak_bytes) {
  config::GraphFile graph;
  graph.set_format_version(1);
  graph.set_name(name);
  graph.set_fingerprint(fingerprint);
  graph.set_device("CPU:0");
  graph.set_steps_measured(3);
  graph.set_allocation_granule_bytes(256);
  graph.set_measured_peak_bytes(peak_bytes);
  config::Node& node = *graph.add_node();
  node.set_name("x");
  node.set_op("Neg");
  node.add_output()->set_bytes(256);
  return graph;
}

// Each test has a folder of its own: what was seen in one is remembered for the process.
class CaptureFilesTest : public ::testing::Test {
 protected:
  CaptureFilesTest()
      : folder_(
            absl::StrCat(::testing::TempDir(), "/", ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
  }

  std::string Write(const config::GraphFile& graph) {
    const absl::StatusOr<std::string> path = WriteCapture(graph, folder_);
    EXPECT_TRUE(path.ok()) << path.status();
    return path.ok() ? std::filesystem::path(*path).filename().string() : "";
  }

  std::string Index() { return config::ReadFile(folder_ + "/index.json").value_or("no index"); }

  const std::string folder_;
};

TEST_F(CaptureFilesTest, AGraphGoesToAFileOfItsNameAndFingerprint) {
  const config::GraphFile graph = Graph("step", "00000000000000aa", 100);
  EXPECT_EQ(Write(graph), "step-00000000000000aa.graph");
  const absl::StatusOr<config::GraphFile> read = config::ReadGraph(folder_ + "/step-00000000000000aa.graph");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->SerializeAsString(), graph.SerializeAsString());
}

TEST_F(CaptureFilesTest, TheIndexIsAListWithTheFieldsOfTheContract) {
  Write(Graph("step", "00000000000000aa", 100));
  EXPECT_EQ(Index(),
            "[\n  {\"file\": \"step-00000000000000aa.graph\", \"fingerprint\": \"00000000000000aa\", \"nodes\": 1, "
            "\"device\": \"CPU:0\", \"peak_bytes\": 100, \"measured_peak_bytes\": 100, \"steps_measured\": 3}\n]\n");
}

TEST_F(CaptureFilesTest, TheLargestPeakComesFirst) {
  Write(Graph("small", "00000000000000aa", 100));
  Write(Graph("large", "00000000000000bb", 300));
  Write(Graph("middle", "00000000000000cc", 200));
  const std::string index = Index();
  EXPECT_LT(index.find("large-"), index.find("middle-"));
  EXPECT_LT(index.find("middle-"), index.find("small-"));
}

TEST_F(CaptureFilesTest, AGraphThatIsMeasuredAgainIsReplaced) {
  Write(Graph("step", "00000000000000aa", 100));
  Write(Graph("step", "00000000000000aa", 250));
  const std::string index = Index();
  EXPECT_EQ(index.find("step-"), index.rfind("step-"));
  EXPECT_TRUE(absl::StrContains(index, "\"peak_bytes\": 250"));
}

TEST_F(CaptureFilesTest, GraphsOfEarlierProcessesStayListed) {
  EXPECT_OK(config::WriteGraph(Graph("earlier", "00000000000000bb", 300), folder_ + "/earlier.graph"));
  Write(Graph("step", "00000000000000aa", 100));
  const std::string index = Index();
  EXPECT_LT(index.find("\"earlier.graph\""), index.find("\"step-"));
  EXPECT_TRUE(absl::StrContains(index, "00000000000000bb"));
}

TEST_F(CaptureFilesTest, GraphsOfProcessesBesideThisOneAreListedToo) {
  Write(Graph("step", "00000000000000aa", 100));
  EXPECT_OK(config::WriteGraph(Graph("beside", "00000000000000bb", 300), folder_ + "/beside.graph"));
  Write(Graph("step", "00000000000000aa", 150));
  EXPECT_TRUE(absl::StrContains(Index(), "beside.graph"));
}

TEST_F(CaptureFilesTest, WhatIsNoLongerThereIsNotListed) {
  Write(Graph("gone", "00000000000000bb", 300));
  std::filesystem::remove(folder_ + "/gone-00000000000000bb.graph");
  Write(Graph("step", "00000000000000aa", 100));
  EXPECT_FALSE(absl::StrContains(Index(), "gone"));
}

TEST_F(CaptureFilesTest, WhatIsNoGraphIsNotListed) {
  EXPECT_OK(config::WriteFileAtomically(folder_ + "/damaged.graph", "no graph at all"));
  EXPECT_OK(config::WriteFileAtomically(folder_ + "/notes.txt", "hello"));
  Write(Graph("step", "00000000000000aa", 100));
  EXPECT_FALSE(absl::StrContains(Index(), "damaged"));
  EXPECT_FALSE(absl::StrContains(Index(), "notes"));
}

TEST_F(CaptureFilesTest, NamesAreMadeFitForFilesAndJson) {
  EXPECT_EQ(Write(Graph("../a b/\"c\"\\:*?é", "00000000000000aa", 100)), ".._a_b__c_______-00000000000000aa.graph");
  EXPECT_FALSE(absl::StrContains(Index(), "\\")) << Index();
}

TEST_F(CaptureFilesTest, ForeignNamesAreEscapedInTheIndex) {
  config::GraphFile foreign = Graph("x", "00000000000000bb", 300);
  foreign.set_device("a\"b\\c\n");
  EXPECT_OK(config::WriteGraph(foreign, folder_ + "/say \"hi\".graph"));
  Write(Graph("step", "00000000000000aa", 100));
  EXPECT_TRUE(absl::StrContains(Index(), "\"say \\\"hi\\\".graph\"")) << Index();
  EXPECT_TRUE(absl::StrContains(Index(), "\"a\\\"b\\\\c\\n\"")) << Index();
}

TEST_F(CaptureFilesTest, AFolderThatCannotBeMadeIsAnError) {
  EXPECT_OK(config::WriteFileAtomically(folder_, "a file where the folder would be"));
  const absl::StatusOr<std::string> path = WriteCapture(Graph("step", "00000000000000aa", 1), folder_);
  ASSERT_FALSE(path.ok());
  EXPECT_TRUE(absl::StrContains(path.status().message(), folder_)) << path.status();
}

}  // namespace
}  // namespace str::capture
