// How much is said is read once per process, so each level has a process of its own: EXPECT_EXIT sees its stderr.
#include "tf_plugin/messages.h"

#include <cstdlib>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace str {
namespace {

[[noreturn]] void SayAll() {
  Say("STR-1", "always");
  Say("STR-2", "details", 2);
  Say("STR-1", "always");
  SayOnce("STR-3", "once");
  SayOnce("STR-3", "once");
  SayOnce("STR-4", "once");
  std::exit(0);
}

void ExpectSaid(const char* verbose, const std::string& expected) {
  setenv("STR_VERBOSE", verbose, 1);
  EXPECT_EXIT(SayAll(), ::testing::ExitedWithCode(0), ::testing::Eq(expected));
}

TEST(MessagesTest, ALineEachRepeatedOnlyWhereAskedFor) {
  ExpectSaid("1", "STR-1 always\nSTR-1 always\nSTR-3 once\nSTR-4 once\n");
}

TEST(MessagesTest, DetailsOnDemand) {
  ExpectSaid("2", "STR-1 always\nSTR-2 details\nSTR-1 always\nSTR-3 once\nSTR-4 once\n");
}

TEST(MessagesTest, ZeroIsSilent) { ExpectSaid("0", ""); }

}  // namespace
}  // namespace str
