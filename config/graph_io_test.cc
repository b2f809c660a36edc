#include "config/graph_io.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/status_testing.h"
#include "config/test_examples.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

using ::google::protobuf::util::MessageDifferencer;

TEST(GraphIoTest, WrittenAndReadBack) {
  const std::string path = ::testing::TempDir() + "/new/example.graph";
  EXPECT_OK(WriteGraph(ExampleGraph(), path));
  const absl::StatusOr<GraphFile> graph = ReadGraph(path);
  EXPECT_OK(graph.status());
  EXPECT_TRUE(MessageDifferencer::Equals(*graph, ExampleGraph()));
}

TEST(GraphIoTest, HeaderForPeople) {
  const std::string text = GraphText(ExampleGraph());
  EXPECT_TRUE(absl::StrContains(text, "# Graph: train_step, 9 nodes, fingerprint 0123456789abcdef")) << text;
  EXPECT_TRUE(absl::StrContains(text, "# Measured over 3 steps; peak: 4.00 KiB (4096 bytes)")) << text;
  GraphFile graph = ExampleGraph();
  graph.set_steps_measured(0);
  EXPECT_TRUE(absl::StrContains(GraphText(graph), "# Nothing was run"));
}

TEST(GraphIoTest, ANameCannotEndTheHeader) {
  GraphFile graph = ExampleGraph();
  graph.set_name("x\nformat_version: 7\r\nname");
  const absl::StatusOr<GraphFile> read = ParseGraph(GraphText(graph), "text");
  EXPECT_OK(read.status());
  EXPECT_EQ(read->name(), graph.name());
}

TEST(GraphIoTest, ErrorsNameTheFile) {
  EXPECT_TRUE(IsError(ReadGraph("/no/such.graph").status(), absl::StatusCode::kNotFound, "/no/such.graph"));
  const std::string path = ::testing::TempDir() + "/bad.graph";
  EXPECT_OK(WriteFileAtomically(path, "format_version: 1\nnode { name: 3 }\n"));
  EXPECT_TRUE(IsInvalid(ReadGraph(path).status(), path + ":2:14: "));
  EXPECT_OK(WriteFileAtomically(path, "format_version: 9\n"));
  EXPECT_TRUE(IsInvalid(ReadGraph(path).status(), path + ": format_version is 9"));
}

TEST(GraphIoTest, InvalidGraphIsNotWritten) {
  const std::string path = ::testing::TempDir() + "/kept.graph";
  EXPECT_OK(WriteFileAtomically(path, "before"));
  EXPECT_TRUE(IsInvalid(WriteGraph(GraphFile(), path), "graph not written to " + path));
  EXPECT_EQ(*ReadFile(path), "before");
}

TEST(GraphIoTest, TruncatedFileIsRefused) {
  const std::string text = GraphText(ExampleGraph());
  EXPECT_TRUE(IsInvalid(ParseGraph(text.substr(0, text.size() - 2), "cut").status(),
                        "got: the end of the file: is it cut off?"));
  EXPECT_TRUE(IsInvalid(ParseGraph(text.substr(0, text.rfind("\nnode {") + 1), "cut").status(),
                        "cut: node_count is 9, but there are 8 nodes"));
  const size_t whole = text.find_last_not_of('\n') + 1;
  for (size_t size = text.find("format_version"); size < whole; ++size) {
    EXPECT_FALSE(ParseGraph(text.substr(0, size), "cut").ok()) << text.substr(0, size);
  }
}

// 5,000 nodes, each with an edge to the one before and one far back. The runner's own timeout is the only limit here.
TEST(GraphIoTest, LargeGraph) {
  GraphFile graph = ExampleGraph();
  for (int i = 0; i < 5000; ++i) {
    Node* node = graph.add_node();
    node->set_name(absl::StrCat("model/block_", i, "/conv/Conv2D"));
    node->set_op("Conv2D");
    node->add_input(i == 0 ? "a:0" : absl::StrCat("model/block_", i - 1, "/conv/Conv2D:0"));
    node->add_input(i == 0 ? "a:0" : absl::StrCat("model/block_", (i - 1) / 2, "/conv/Conv2D:0"));
    *node->add_output() = graph.node(3).output(0);
  }
  const absl::StatusOr<GraphFile> read = ParseGraph(GraphText(graph), "large");
  EXPECT_OK(read.status());
  EXPECT_EQ(read->node_size(), graph.node_size());
}

}  // namespace
}  // namespace str::config
