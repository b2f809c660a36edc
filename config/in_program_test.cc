#include "config/in_program.h"

#include "gtest/gtest.h"

namespace str::config {
namespace {

TEST(InProgramTest, ProgramsConsistOfWhatRunsOnceAStep) {
  EXPECT_TRUE(InProgram(RECOMPUTE_ALLOWED));
  EXPECT_TRUE(InProgram(RECOMPUTE_STATEFUL));
  EXPECT_TRUE(InProgram(RECOMPUTE_ASSIGNS_VARIABLE));
  EXPECT_TRUE(InProgram(RECOMPUTE_NOT_WANTED));
  EXPECT_FALSE(InProgram(RECOMPUTE_EXTERNAL));
  EXPECT_FALSE(InProgram(RECOMPUTE_CONTROL_FLOW));
}

}  // namespace
}  // namespace str::config
