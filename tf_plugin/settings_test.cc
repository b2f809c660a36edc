// Settings are read once per process, so each test reads them in a process of its own: EXPECT_EXIT.
#include "tf_plugin/settings.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str {
namespace {

class SettingsTest : public ::testing::Test {
 protected:
  SettingsTest()
      : home_(
            absl::StrCat(::testing::TempDir(), "/", ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(home_);
    std::filesystem::create_directories(home_);
    for (const char* name :
         {"STR_DISABLE", "STR_STRICT", "STR_VERBOSE", "STR_CAPTURE", "STR_CAPTURE_ONLY", "STR_MEMORY_LIMIT",
          "STR_STRATEGY_FILE", "STR_HOST_LIMIT", "STR_DISK_LIMIT", "STR_SPILL_DIR", "STR_VERIFY", "STR_XLA"}) {
      unsetenv(name);
    }
    setenv("HOME", home_.c_str(), 1);
  }

  void Set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

  const std::string home_;
};

// The settings, read in another process, are as `is_right` says.
#define EXPECT_SETTINGS(is_right)          \
  EXPECT_EXIT(                             \
      {                                    \
        const Settings& s = GetSettings(); \
        std::exit((is_right) ? 0 : 3);     \
      },                                   \
      ::testing::ExitedWithCode(0), "")

// Reading the settings ends the process with `message`.
#define EXPECT_REFUSED(message) EXPECT_EXIT(GetSettings(), ::testing::ExitedWithCode(1), message)

TEST_F(SettingsTest, WithoutVariablesNothingIsAskedFor) {
  EXPECT_SETTINGS(!s.disabled && !s.strict && s.verify && s.verbose == 1 && s.capture_directory.empty() &&
                  !s.capture_only && !s.memory_limit_bytes.has_value() && s.strategy_path.empty() &&
                  !s.strategy_path_was_set);
}

TEST_F(SettingsTest, EmptyVariablesAreAsGoodAsNone) {
  for (const char* name :
       {"STR_DISABLE", "STR_STRICT", "STR_VERBOSE", "STR_CAPTURE", "STR_CAPTURE_ONLY", "STR_MEMORY_LIMIT",
        "STR_STRATEGY_FILE", "STR_HOST_LIMIT", "STR_DISK_LIMIT", "STR_SPILL_DIR", "STR_VERIFY", "STR_XLA"}) {
    Set(name, "");
  }
  EXPECT_SETTINGS(!s.disabled && !s.strict && s.verify && s.verbose == 1 && s.capture_directory.empty() &&
                  !s.capture_only && !s.memory_limit_bytes.has_value() && s.strategy_path.empty() &&
                  !s.strategy_path_was_set);
}

TEST_F(SettingsTest, SwitchesAreOnWithOneAndOffWithZero) {
  Set("STR_STRICT", "1");
  EXPECT_SETTINGS(s.strict);
  Set("STR_STRICT", "0");
  EXPECT_SETTINGS(!s.strict);
  Set("STR_VERIFY", "0");
  EXPECT_SETTINGS(!s.verify);
  Set("STR_VERIFY", "");
  Set("STR_STRICT", "yes");
  EXPECT_REFUSED("STR-2001 STR_STRICT=yes: must be 0 or 1");
}

TEST_F(SettingsTest, DisabledReadsNothingElse) {
  Set("STR_DISABLE", "1");
  Set("STR_MEMORY_LIMIT", "nonsense");
  Set("STR_CAPTURE", "dir");
  EXPECT_SETTINGS(s.disabled && s.capture_directory.empty() && !s.memory_limit_bytes.has_value());
  Set("STR_DISABLE", "true");
  EXPECT_REFUSED("STR-2001 STR_DISABLE=true: must be 0 or 1");
}

TEST_F(SettingsTest, VerboseIsZeroToThree) {
  Set("STR_VERBOSE", "0");
  EXPECT_SETTINGS(s.verbose == 0);
  Set("STR_VERBOSE", "3");
  EXPECT_SETTINGS(s.verbose == 3);
  for (const char* bad : {"4", "-1", "loud", "1.5"}) {
    Set("STR_VERBOSE", bad);
    EXPECT_REFUSED(absl::StrCat("STR-2001 STR_VERBOSE=", bad, ": must be 0, 1, 2 or 3"));
  }
}

TEST_F(SettingsTest, CaptureNamesAFolder) {
  Set("STR_CAPTURE", "captured");
  EXPECT_SETTINGS(s.capture_directory == "captured" && !s.capture_only);
  Set("STR_CAPTURE_ONLY", "1");
  EXPECT_SETTINGS(s.capture_directory == "captured" && s.capture_only);
  unsetenv("STR_CAPTURE");
  EXPECT_REFUSED("STR-2001 STR_CAPTURE_ONLY=1: needs STR_CAPTURE=DIR");
}

TEST_F(SettingsTest, XlaIsKeptOnlyIfAskedFor) {
  EXPECT_SETTINGS(!s.keep_xla);
  Set("STR_XLA", "off");
  EXPECT_SETTINGS(!s.keep_xla);
  Set("STR_XLA", "keep");
  EXPECT_SETTINGS(s.keep_xla);
  Set("STR_XLA", "1");
  EXPECT_REFUSED("STR-2001 STR_XLA=1: must be keep or off");
}

TEST_F(SettingsTest, TheLimitHasUnits) {
  Set("STR_MEMORY_LIMIT", "500MiB");
  EXPECT_SETTINGS(s.memory_limit_bytes == 500 * 1024 * 1024);
  Set("STR_MEMORY_LIMIT", "123456");
  EXPECT_SETTINGS(s.memory_limit_bytes == 123456);
  Set("STR_MEMORY_LIMIT", "0");
  EXPECT_REFUSED("STR-2001 STR_MEMORY_LIMIT=0: must be more than 0 bytes");
  Set("STR_MEMORY_LIMIT", "a lot");
  EXPECT_REFUSED("STR-2001 STR_MEMORY_LIMIT=a lot: size \"a lot\"");
  Set("STR_MEMORY_LIMIT", "-5GiB");
  EXPECT_REFUSED("STR-2001 STR_MEMORY_LIMIT=-5GiB");
}

TEST_F(SettingsTest, TiersHaveLimitsAndAFolder) {
  Set("TMPDIR", home_);
  EXPECT_SETTINGS(!s.host_limit_bytes.has_value() && !s.disk_limit_bytes.has_value() &&
                  s.spill_directory.find(home_ + "/str-spill-") == 0);
  Set("STR_HOST_LIMIT", "1GiB");
  Set("STR_DISK_LIMIT", "0");
  Set("STR_SPILL_DIR", "elsewhere");
  EXPECT_SETTINGS(s.host_limit_bytes == 1 << 30 && s.disk_limit_bytes == 0 && s.spill_directory == "elsewhere");
  Set("STR_DISK_LIMIT", "a lot");
  EXPECT_REFUSED("STR-2001 STR_DISK_LIMIT=a lot: size \"a lot\"");
  unsetenv("STR_DISK_LIMIT");
  Set("STR_HOST_LIMIT", "-1");
  EXPECT_REFUSED("STR-2001 STR_HOST_LIMIT=-1");
}

TEST_F(SettingsTest, StrategiesOfTheHomeDirectoryAreFound) {
  EXPECT_OK(config::WriteFileAtomically(home_ + "/.str/vgg.conf", "a strategy"));
  EXPECT_SETTINGS(s.strategy_path == home_ + "/.str" && !s.strategy_path_was_set);
}

TEST_F(SettingsTest, AHomeDirectoryWithoutStrategiesAsksForNothing) {
  EXPECT_OK(config::WriteFileAtomically(home_ + "/.str/notes.txt", "no strategy"));
  EXPECT_SETTINGS(s.strategy_path.empty());
  unsetenv("HOME");
  EXPECT_SETTINGS(s.strategy_path.empty());
}

TEST_F(SettingsTest, TheVariableGoesBeforeTheHomeDirectory) {
  EXPECT_OK(config::WriteFileAtomically(home_ + "/.str/strategy.conf", "a strategy"));
  Set("STR_STRATEGY_FILE", "elsewhere.conf");
  EXPECT_SETTINGS(s.strategy_path == "elsewhere.conf" && s.strategy_path_was_set);
}

}  // namespace
}  // namespace str
