// Expectations about absl::Status, which TensorFlow's abseil has no matchers for.
#ifndef STR_CONFIG_STATUS_TESTING_H_
#define STR_CONFIG_STATUS_TESTING_H_

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"

// `expression`, a Status, must be OK; the test goes on.
#define EXPECT_OK(expression)                           \
  do {                                                  \
    const auto& checked_status = (expression);          \
    EXPECT_TRUE(checked_status.ok()) << checked_status; \
  } while (false)

namespace str::config {

// An error of this code whose message has `part`.
inline ::testing::AssertionResult IsError(const absl::Status& status, absl::StatusCode code, absl::string_view part) {
  if (status.code() == code && absl::StrContains(status.message(), part)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "expected " << absl::StatusCodeToString(code) << " with \"" << part
                                       << "\", got: " << status;
}

inline ::testing::AssertionResult IsInvalid(const absl::Status& status, absl::string_view part) {
  return IsError(status, absl::StatusCode::kInvalidArgument, part);
}

}  // namespace str::config

#endif  // STR_CONFIG_STATUS_TESTING_H_
