#include "optimizer/importers/graph_reader.h"

#include "config/graph_io.h"
#include "config/status_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"

namespace str::optimizer {
namespace {

using config::IsInvalid;

absl::StatusOr<config::GraphFile> Parse(absl::string_view text) {
  return ParseAnyGraph(text, "some.file", kDefaultCostUnit);
}

TEST(GraphReaderTest, ReadsOurOwnFormat) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  const absl::StatusOr<config::GraphFile> file = Parse(config::GraphText(b.file()));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->node(0).name(), "x");
}

TEST(GraphReaderTest, RecognisesJson) {
  EXPECT_TRUE(LooksLikeJson("\n  {\"nodes\": []}"));
  EXPECT_FALSE(LooksLikeJson("node { name: \"x\" }"));
  EXPECT_FALSE(LooksLikeJson(""));
}

TEST(GraphReaderTest, RefusesOtherJsonByName) {
  EXPECT_TRUE(IsInvalid(Parse("{}").status(), "some.file: JSON, but no graph that STR knows"));
  EXPECT_TRUE(IsInvalid(Parse("{\"nodes\": 3, \"links\": []}").status(), "\"nodes\" is not a list"));
  EXPECT_TRUE(IsInvalid(Parse("{\n\"nodes\": [}").status(), "some.file: no JSON object"));
  EXPECT_TRUE(IsInvalid(Parse("{\n\"nodes\": [}").status(), "2:"));
}

TEST(GraphReaderTest, OtherFilesOfStrAreCalledByTheirName) {
  EXPECT_TRUE(IsInvalid(Parse("{\"INSTRUCTION\":\"ANNOTATE\"}\n{\"INSTRUCTION\":\"CALL\"}\n").status(),
                        "some.file: this is a log of DTR's simulator, not a graph; str replay runs it"));
  EXPECT_TRUE(IsInvalid(Parse("{\"command\": \"compare\", \"rows\": []}").status(),
                        "some.file: these are results of STR, not a graph; str report draws them"));
  EXPECT_TRUE(IsInvalid(Parse("[solution]\nstrategy=swap\n").status(), "INI form, not a graph file"));
}

TEST(GraphReaderTest, AMissingFileIsNamed) {
  EXPECT_THAT(std::string(ReadAnyGraph("no/such/file", kDefaultCostUnit).status().message()),
              ::testing::HasSubstr("no/such/file"));
}

}  // namespace
}  // namespace str::optimizer
