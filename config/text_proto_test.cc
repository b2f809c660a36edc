#include "config/text_proto.h"

#include <string>

#include "config/device.pb.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

absl::Status Parse(absl::string_view text) {
  DeviceFile device;
  return ParseTextProto(text, FileKind::kDevice, "some.conf", &device);
}

TEST(ParseTextProtoTest, ErrorsHaveLineAndColumn) {
  EXPECT_OK(Parse("# comment\nname: \"x\"\n"));
  EXPECT_TRUE(IsInvalid(Parse("# comment\nname: \"x\"\n  nmae: 3\n"), "some.conf:3:"));
  EXPECT_TRUE(IsInvalid(Parse("# comment\nname: \"x\"\n  nmae: 3\n"), "nmae"));
  EXPECT_TRUE(IsInvalid(Parse("name: \"x\n"), "some.conf:1:"));
  EXPECT_TRUE(IsInvalid(Parse("flops_per_second {\n  value: 1"), "some.conf:2:"));
  EXPECT_TRUE(IsInvalid(Parse("format_version: 1\nformat_version: 2"), "specified multiple times"));
  EXPECT_TRUE(IsInvalid(Parse("memory_bytes: 99999999999999999999"), "(as a device file)"));
}

TEST(ParseTextProtoTest, TheEndOfTheFileIsNamed) {
  EXPECT_TRUE(IsInvalid(Parse("flops_per_second {\n"), "some.conf:2:1: "));
  EXPECT_TRUE(IsInvalid(Parse("flops_per_second {\n"), " the end of the file: is it cut off? (as a device file)"));
  EXPECT_TRUE(IsInvalid(Parse("flops_per_second {\n  value: 1"), "the end of the file: is it cut off?"));
  EXPECT_TRUE(IsInvalid(Parse("name: \"x\"\nmemory_by"), "The file ends in this line: is it cut off?"));
  EXPECT_TRUE(IsInvalid(Parse("name: \"x"), "The file ends in this line: is it cut off?"));
  for (const char* complete : {"nmae: 3\n", "nmae: 3\nname: \"x\"", "name 3\n"}) {
    EXPECT_FALSE(absl::StrContains(Parse(complete).message(), "cut off")) << Parse(complete);
  }
}

TEST(ParseTextProtoTest, EmptyAndBinaryAreSaidToBeSo) {
  EXPECT_TRUE(IsInvalid(Parse(""), "some.conf: is empty; expected a device file"));
  EXPECT_TRUE(IsInvalid(Parse(" \n\t"), "is empty"));
  EXPECT_TRUE(IsInvalid(Parse(std::string("name\n\0x", 7)), "some.conf:2: is not text: byte 0x00 at offset 5"));
  EXPECT_TRUE(IsInvalid(Parse("\x7f"
                              "ELF"),
                        "byte 0x7f at offset 0"));
}

TEST(PrintTextProtoTest, ParsesBack) {
  DeviceFile device;
  device.set_name("quote \" newline \n nul \x01 umlaut \xc3\xa4");
  DeviceFile read;
  EXPECT_OK(ParseTextProto(PrintTextProto(device), FileKind::kDevice, "x", &read));
  EXPECT_EQ(read.name(), device.name());
}

TEST(CommentLinesTest, EveryLineIsAComment) {
  EXPECT_EQ(CommentLines("a\n\nb"), "# a\n#\n# b\n");
  EXPECT_EQ(CommentLines("a\rb\x01"), "# a?b?\n");
}

}  // namespace
}  // namespace str::config
