#include "optimizer/tools/buffer_csv.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace str::tools {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::string& text, int64_t capacity_bytes = 0) {
  return std::string(ParseBufferCsv(text, "b.csv", capacity_bytes).status().message());
}

TEST(BufferCsvTest, ReadsAndWritesRows) {
  const absl::StatusOr<std::vector<BufferRow>> rows =
      ParseBufferCsv("id,lower,upper,size\r\nfirst,-5,100,7\r\n2, 100, 9000000000, 8\n\n", "b.csv", 8);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ(BufferCsv(*rows, {0, 3}), "id,lower,upper,size,offset\nfirst,-5,100,7,0\n2,100,9000000000,8,3\n");
  const std::vector<optimizer::TimedBuffer> buffers = TimedBuffers(*rows);
  EXPECT_EQ(buffers[0].last_step, 0);
  EXPECT_EQ(buffers[1].first_step, 1);
  EXPECT_EQ(buffers[1].bytes, 8);
}

TEST(BufferCsvTest, ErrorsNameFileAndLine) {
  EXPECT_EQ(ErrorOf(" \n"), "b.csv: the file is empty");
  EXPECT_EQ(ErrorOf("id,lower,upper,size\n"), "b.csv: has a header but no buffers");
  EXPECT_EQ(ErrorOf("id,begin,end,size\n1,0,1,2\n"), "b.csv: line 1: the header must be \"id,lower,upper,size\"");
  const std::string start = "id,lower,upper,size\n1,0,1,2\n";
  EXPECT_THAT(ErrorOf(start + "2,0,1\n"), HasSubstr("b.csv: line 3: has 3 fields"));
  EXPECT_THAT(ErrorOf(start + ",0,1,2\n"), HasSubstr("line 3: the id is empty"));
  EXPECT_THAT(ErrorOf(start + "2,0,1,x\n"), HasSubstr("line 3: size \"x\" is not a whole number"));
  EXPECT_THAT(ErrorOf(start + "2,0,99999999999999999999,1\n"), HasSubstr("line 3: upper \"99999999999999999999\""));
  EXPECT_THAT(ErrorOf(start + "2,4,4,2\n"), HasSubstr("line 3: upper 4 is not above lower 4"));
  EXPECT_THAT(ErrorOf(start + "2,0,1,-2\n"), HasSubstr("line 3: size -2 is not above 0"));
  EXPECT_THAT(ErrorOf(start + "2,0,1,9\n", 8), HasSubstr("line 3: size 9 is above the capacity of 8 bytes"));
  EXPECT_THAT(ErrorOf(start + "1,5,6,2\n"), HasSubstr("line 3: id \"1\" is also that of line 2"));
  EXPECT_THAT(ErrorOf(start + "2,0,1,9000000000000000000\n"), HasSubstr("line 3: all sizes together"));
}

TEST(BufferCsvTest, ChecksOffsets) {
  const std::vector<BufferRow> rows = {{"a", 0, 2, 4}, {"b", 1, 3, 4}, {"c", 2, 4, 4}};
  EXPECT_TRUE(CheckOffsets(rows, {0, 4, 0}, 8).ok());
  EXPECT_THAT(CheckOffsets(rows, {0, 4, 0}, 7).message(), HasSubstr("buffer b lies outside"));
  EXPECT_THAT(CheckOffsets(rows, {-1, 4, 0}, 8).message(), HasSubstr("buffer a lies outside"));
  EXPECT_THAT(CheckOffsets(rows, {0, 3, 8}, 12).message(), HasSubstr("buffers b and a"));
  EXPECT_THAT(CheckOffsets(rows, {0, 4, 1}, 8).message(), HasSubstr("buffers c and b"));
  EXPECT_THAT(CheckOffsets(rows, {0, 4, 4}, 8).message(), HasSubstr("buffers c and b"));
  EXPECT_FALSE(CheckOffsets(rows, {0, 4}, 8).ok());
}

}  // namespace
}  // namespace str::tools
