#include "optimizer/sweep/row_store.h"

#include <filesystem>

#include "config/atomic_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/sweep/sweep.h"

namespace str::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RowStoreTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(file_); }

  static JsonObject Row(int value) {
    JsonObject row;
    row.Add("value", value);
    return row;
  }

  // Runs a sweep of three points; returns how many were worked on.
  int Sweep(RowStore* store, std::atomic<bool>* stop) {
    std::atomic<int> worked(0);
    std::vector<SweepPoint> points;
    for (const char* name : {"a", "b", "c"}) {
      points.push_back({name, [&worked, stop](std::string* summary) {
                          *summary = "done";
                          if (++worked == 2 && stop != nullptr) *stop = true;
                          return Row(7);
                        }});
    }
    std::atomic<bool> never(false);
    EXPECT_TRUE(RunSweep(points, 1, stop != nullptr ? *stop : never, store).ok());
    return worked;
  }

  const std::string file_ = ::testing::TempDir() + "/row_store_test.json";
  const RowStore::Header header_ = {{"command", "compare"}, {"seed", "3"}};
};

TEST_F(RowStoreTest, GoesOnWhereItWasInterrupted) {
  RowStore first(file_, header_);
  ASSERT_TRUE(first.Resume().ok());
  std::atomic<bool> stop(false);
  EXPECT_EQ(Sweep(&first, &stop), 2);
  EXPECT_EQ(first.size(), 1u) << "the point that was under way is not trusted";
  RowStore second(file_, header_);
  ASSERT_TRUE(second.Resume().ok());
  EXPECT_TRUE(second.Has("a"));
  EXPECT_EQ(Sweep(&second, nullptr), 2);
  RowStore third(file_, header_);
  ASSERT_TRUE(third.Resume().ok());
  EXPECT_EQ(Sweep(&third, nullptr), 0);
  EXPECT_EQ(third.Contents(), second.Contents());
  EXPECT_EQ(third.Find("c")->fields().at("value").number_value(), 7);
}

TEST_F(RowStoreTest, RefusesWhatIsNoSweepOrAnotherOne) {
  ASSERT_TRUE(config::WriteFileAtomically(file_, "losses of a week").ok());
  EXPECT_THAT(std::string(RowStore(file_, header_).Resume().message()), HasSubstr("not the JSON of a sweep"));
  EXPECT_EQ(*config::ReadFile(file_), "losses of a week");
  std::filesystem::remove(file_);
  RowStore other(file_, {{"command", "compare"}, {"seed", "4"}});
  ASSERT_TRUE(other.Add("a", Row(1)).ok());
  EXPECT_THAT(std::string(RowStore(file_, header_).Resume().message()), HasSubstr("its seed is 4, not 3"));
}

TEST_F(RowStoreTest, SaysWhenItWasMadeFromAnotherGraph) {
  RowStore first(file_, {{"command", "compare"}, {"graphs", "step"}, {"device", ""}, {"contents", "abc"}});
  ASSERT_TRUE(first.Add("a", Row(1)).ok());
  const auto message = [this](const char* graph, const char* device, const char* contents) {
    return std::string(
        RowStore(file_, {{"command", "compare"}, {"graphs", graph}, {"device", device}, {"contents", contents}})
            .Resume()
            .message());
  };
  EXPECT_THAT(message("step", "", "abc"), IsEmpty());
  EXPECT_THAT(message("step", "", "def"), AllOf(HasSubstr("row_store_test.json: was made from another graph of that "),
                                                HasSubstr("--fresh"), HasSubstr("another --json=FILE")));
  EXPECT_THAT(message("other", "", "def"), HasSubstr("was made from another graph: step, not other"));
  EXPECT_THAT(message("step", "t4", "def"), HasSubstr("its device is none, not t4"));
}

TEST_F(RowStoreTest, StartsAnewOverASweepAndNothingElse) {
  RowStore other(file_, {{"command", "compare"}, {"seed", "4"}});
  ASSERT_TRUE(other.Add("a", Row(1)).ok());
  RowStore fresh(file_, header_);
  ASSERT_TRUE(fresh.StartAnew().ok());
  EXPECT_EQ(*config::ReadFile(file_), other.Contents()) << "until there is a row";
  ASSERT_TRUE(fresh.Add("b", Row(2)).ok());
  EXPECT_EQ(*config::ReadFile(file_), fresh.Contents());
  EXPECT_FALSE(fresh.Has("a"));
  for (const char* foreign : {"losses of a week", "{\"losses\": []}"}) {
    ASSERT_TRUE(config::WriteFileAtomically(file_, foreign).ok());
    EXPECT_THAT(std::string(RowStore(file_, header_).StartAnew().message()), HasSubstr("not the JSON of a sweep"));
  }
  std::filesystem::remove(file_);
  EXPECT_TRUE(RowStore(file_, header_).StartAnew().ok());
}

TEST_F(RowStoreTest, KeepsRowsInMemoryWithoutAFile) {
  RowStore store("-", header_);
  ASSERT_TRUE(store.Resume().ok());
  ASSERT_TRUE(store.Add("a", Row(1)).ok());
  EXPECT_THAT(store.Contents(), HasSubstr("{\"point\": \"a\", \"value\": 1}"));
  EXPECT_FALSE(std::filesystem::exists("-"));
}

}  // namespace
}  // namespace str::tools
