#include "strategies/dtr/log.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "strategies/dtr/replay.h"

namespace str::dtr {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Constant(const std::string& name, int bytes) {
  return absl::StrCat(R"({"INSTRUCTION":"CONSTANT","NAME":")", name, "\"}\n", R"({"INSTRUCTION":"MEMORY","NAME":")",
                      name, R"(","MEMORY":")", bytes, "\"}\n");
}

std::string Call(const std::string& argument, const std::string& result, int bytes, int alias = -1) {
  return absl::StrCat(R"({"INSTRUCTION":"CALL","NAME":"op","ARGS":[")", argument, R"("],"RESULT":[")", result,
                      R"("],"TIME":"10"})", "\n", R"({"INSTRUCTION":"MEMORY","NAME":")", result, R"(","MEMORY":")",
                      bytes, "\"}\n", R"({"INSTRUCTION":"ALIAS","NAME":")", result, R"(","ALIAS":")", alias, "\"}\n");
}

std::string Release(const std::string& name) {
  return absl::StrCat(R"({"INSTRUCTION":"RELEASE","NAME":")", name, "\"}\n");
}

TEST(LogTest, ResolvesNamesViewsAndReferences) {
  const absl::StatusOr<Log> log =
      ParseLog(absl::StrCat(Constant("c", 5), Call("c", "a", 100), Call("a", "view", 100, 0),
                            R"({"INSTRUCTION":"COPY","DST":"b","SRC":"a"})", "\n", Release("a"), Release("unknown"),
                            R"({"INSTRUCTION":"ANNOTATE","ANNOTATION":"BACKWARD"})", "\n", Call("b", "d", 7),
                            R"({"INSTRUCTION":"COPY_FROM","DST":"view","SRC":"d"})", "\n"),
               "test.log");
  ASSERT_TRUE(log.ok()) << log.status();
  const Trace& trace = log->trace;
  EXPECT_THAT(trace.storage_bytes, ElementsAre(5, 100, 7));
  ASSERT_EQ(trace.tensors.size(), 4);
  EXPECT_EQ(trace.tensors[2].storage, trace.tensors[1].storage);
  EXPECT_FALSE(trace.tensors[2].owns_storage);
  EXPECT_EQ(trace.ops[1].output_bytes, 0);
  EXPECT_EQ(trace.baseline, 30);
  // c, view (which is d now), b (which is a), d.
  EXPECT_THAT(trace.results, ElementsAre(0, 3, 1, 3));
  EXPECT_THAT(log->op_lines, ElementsAre(3, 6, 13));
  EXPECT_EQ(UnlimitedPeak(trace), 112);
}

TEST(LogTest, WhatIsChangedInPlaceIsAFreshStorageForItsNameOnly) {
  const absl::StatusOr<Log> log =
      ParseLog(absl::StrCat(Constant("c", 5), Call("c", "a", 100), Call("a", "view", 100, 0),
                            R"({"INSTRUCTION":"MUTATE","NAME":"add_","ARGS":["c","view"],"MUTATE":["1"],"TIME":"4"})"),
               "test.log");
  ASSERT_TRUE(log.ok()) << log.status();
  const Trace& trace = log->trace;
  // All of the storage that the view lies in.
  EXPECT_THAT(trace.storage_bytes, ElementsAre(5, 100, 100));
  EXPECT_THAT(trace.results, ElementsAre(0, 1, 3));
  EXPECT_EQ(trace.tensors[3].op, 2);
}

TEST(LogTest, SkipsWhatComesBeforeTheStart) {
  const absl::StatusOr<Log> log =
      ParseLog(absl::StrCat("anything\n", Constant("x", 1), R"({"INSTRUCTION":"ANNOTATE","ANNOTATION":"START"})",
                            "\n\n", Constant("c", 5), Call("c", "a", 100)),
               "test.log");
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_THAT(log->trace.storage_bytes, ElementsAre(5, 100));
}

TEST(LogTest, SaysWhereAndWhatIsWrong) {
  const std::string good = absl::StrCat(Constant("c", 5), Call("c", "a", 100));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "test.log: has no CALL"},
      {"{\"directed\": true", "test.log: line 1: no JSON object"},
      {"{\"nodes\": []}", "line 1: \"INSTRUCTION\" is missing"},
      {good + "{\"INSTRUCTION\":\"JUMP\"}", "line 6: there is no instruction \"JUMP\""},
      {good + Call("b", "d", 1), "line 6: \"b\" is not defined here"},
      {good + Release("a") + Call("a", "d", 1), "line 7: \"a\" is not defined here, or was released"},
      {good + Call("a", "a", 1), "line 6: \"a\" is defined already"},
      {good + Call("a", "d", 1, 1), "line 8: \"d\" is an alias of argument 1, but the call has 1"},
      {good + Call("a", "d", -1), "line 7: \"MEMORY\" is \"-1\", not a whole number from 0"},
      {good + "{\"INSTRUCTION\":\"MEMORY\",\"NAME\":\"a\",\"MEMORY\":\"1\"}", "line 6: MEMORY where no CONSTANT"},
      {good + "{\"INSTRUCTION\":\"CONSTANT\",\"NAME\":\"e\"}\n" + Release("a"),
       "line 7: should be the MEMORY of \"e\""},
      {good + "{\"INSTRUCTION\":\"CONSTANT\",\"NAME\":\"e\"}", "ends where the MEMORY of \"e\" should follow"},
      {good + R"({"INSTRUCTION":"MUTATE","NAME":"m","ARGS":["a"],"MUTATE":[1],"TIME":"1"})",
       "line 6: an entry of \"MUTATE\" is no position among the 1 arguments"},
      {good + R"({"INSTRUCTION":"MUTATE","NAME":"m","ARGS":["a"],"MUTATE":[0.5],"TIME":"1"})",
       "line 6: an entry of \"MUTATE\" is no position among the 1 arguments"},
      {good + R"({"INSTRUCTION":"CALL","NAME":"op","ARGS":[],"RESULT":["z","z"],"TIME":"1"})",
       "\"RESULT\" names \"z\" twice"},
      {good + R"({"INSTRUCTION":"COPY_FROM","DST":"z","SRC":"a"})", "line 6: \"z\" is not defined here"},
      {good + R"({"INSTRUCTION":"CALL","NAME":"op","ARGS":["a"],"RESULT":[],"TIME":"soon"})",
       "line 6: \"TIME\" is \"soon\""},
  };
  for (const auto& [text, message] : cases) {
    const absl::StatusOr<Log> log = ParseLog(text, "test.log");
    EXPECT_EQ(log.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(log.status().message()), HasSubstr(message)) << text;
  }
  EXPECT_FALSE(ReadLog("/nonexistent/x.log").ok());
}

TEST(LogTest, RefusesTotalsThatCannotBeCounted) {
  std::string text = Constant("c", 5);
  for (int i = 0; i < 3; ++i) {
    absl::StrAppend(&text, R"({"INSTRUCTION":"CALL","NAME":"op","ARGS":["c"],"RESULT":[],"TIME":"800000000000000000"})",
                    "\n");
  }
  EXPECT_THAT(std::string(ParseLog(text, "test.log").status().message()), HasSubstr("cost more than"));
}

}  // namespace
}  // namespace str::dtr
