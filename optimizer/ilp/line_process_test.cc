#include "optimizer/ilp/line_process.h"

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace str::optimizer {
namespace {

TEST(LineProcessTest, SaysAndHearsLines) {
  const auto process = LineProcess::Start({"cat"});
  ASSERT_TRUE(process.ok()) << process.status();
  const std::string longest(300000, 'x');
  for (const std::string& line : {std::string("one"), std::string(), longest}) {
    ASSERT_TRUE((*process)->Write(line).ok());
    EXPECT_EQ(*(*process)->Read(absl::Seconds(20)), line);
  }
  EXPECT_EQ(*(*process)->Read(absl::Milliseconds(1)), std::nullopt);
}

TEST(LineProcessTest, TellsWhenTheProcessHasEnded) {
  const auto process = LineProcess::Start({"sh", "-c", "echo last"});
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_EQ(*(*process)->Read(absl::Seconds(20)), "last");
  EXPECT_EQ((*process)->Read(absl::Seconds(20)).status().code(), absl::StatusCode::kUnavailable);
  // The first write may still find the socket open.
  while ((*process)->Write("more").ok()) absl::SleepFor(absl::Milliseconds(1));
}

TEST(LineProcessTest, EndsTheProcess) {
  const absl::Time start = absl::Now();
  for (const std::string command : {"cat", "trap '' TERM; sleep 60"}) {
    const auto process = LineProcess::Start({"sh", "-c", command});
    ASSERT_TRUE(process.ok()) << process.status();
  }
  EXPECT_LT(absl::Now() - start, absl::Seconds(30));
}

TEST(LineProcessTest, AMissingProgramIsNamed) {
  const auto process = LineProcess::Start({"no-such-program-here"});
  EXPECT_EQ(process.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(process.status().message().find("no-such-program-here"), std::string::npos);
}

}  // namespace
}  // namespace str::optimizer
