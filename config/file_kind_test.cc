#include "config/file_kind.h"

#include "config/device_io.h"
#include "config/graph_io.h"
#include "config/status_testing.h"
#include "config/strategy_io.h"
#include "config/test_examples.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

constexpr char kIni[] = "[solution]\nstrategy=hybrid\n";

std::string ExampleDeviceText() {
  DeviceFile device;
  device.set_format_version(1);
  device.set_name("some device");
  device.set_memory_bytes(1000);
  return DeviceText(device);
}

TEST(FileKindTest, RecognisedByContent) {
  EXPECT_EQ(RecogniseFile(GraphText(ExampleGraph())), FileKind::kGraph);
  EXPECT_EQ(RecogniseFile(StrategyText(ExampleStrategy())), FileKind::kStrategy);
  EXPECT_EQ(RecogniseFile(ExampleDeviceText()), FileKind::kDevice);
  EXPECT_EQ(RecogniseFile(kIni), FileKind::kOriginalIni);
  EXPECT_EQ(RecogniseFile(" \n{\"nodes\": []}"), FileKind::kJson);
  EXPECT_EQ(RecogniseFile("name: \"x\"\n# node {\n"), FileKind::kUnknown);
  EXPECT_EQ(RecogniseFile("other {\n  node: 3\n}\nname: \"x\"\n"), FileKind::kUnknown) << "inside of something else";
  EXPECT_EQ(RecogniseFile("node {\n  step { run: \"x\" }\n}\n"), FileKind::kGraph);
}

TEST(FileKindTest, AFileOfAnotherKindIsCalledByItsName) {
  const std::string graph = GraphText(ExampleGraph()), strategy = StrategyText(ExampleStrategy());
  const std::string device = ExampleDeviceText();
  EXPECT_TRUE(IsInvalid(ParseGraph(strategy, "a").status(), "a: this is a strategy file, not a graph file; training "));
  EXPECT_TRUE(IsInvalid(ParseGraph(device, "a").status(), "a: this is a device file, not a graph file"));
  EXPECT_TRUE(IsInvalid(ParseGraph(kIni, "a").status(), "a: this is a strategy in STR's original INI form, not a"));
  EXPECT_TRUE(IsInvalid(ParseStrategy(graph, "a").status(), "a: this is a graph file, not a strategy file; str plan "));
  EXPECT_TRUE(IsInvalid(ParseStrategy("{}", "a").status(), "a: this is a JSON file, not a strategy file"));
  EXPECT_TRUE(IsInvalid(ParseDevice(graph, "a").status(), "a: this is a graph file, not a device file; str devices "));
  EXPECT_TRUE(IsInvalid(ParseDevice(strategy, "a").status(), "a: this is a strategy file, not a device file"));
}

}  // namespace
}  // namespace str::config
