#include "strategies/kusumoto/condense.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace str::strategies::kusumoto {
namespace {

using ::testing::ElementsAre;

TEST(CondenseTest, WhatHasNoBytesJoinsItsNeighbour) {
  EXPECT_THAT(Condense({{5, {}}, {0, {0}}, {5, {1}}}, 10), ElementsAre(0, 0, 1));
  // Two inputs, one consumer.
  EXPECT_THAT(Condense({{5, {}}, {5, {}}, {0, {0, 1}}, {5, {2}}}, 10), ElementsAre(0, 1, 2, 2));
}

TEST(CondenseTest, FusesTheSmallestFirst) {
  EXPECT_THAT(Condense({{9, {}}, {1, {0}}, {2, {1}}, {9, {2}}}, 3), ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(Condense({{9, {}}, {1, {0}}, {2, {1}}, {9, {2}}}, 1), ElementsAre(0, 0, 0, 0));
}

// 0 -> 1 -> 2 and 0 -> 2: fusing 0 with 2 would put 1 both before and after.
TEST(CondenseTest, NeverMakesACycle) {
  EXPECT_THAT(Condense({{1, {}}, {9, {0}}, {1, {0, 1}}}, 2), ElementsAre(0, 0, 1));
}

}  // namespace
}  // namespace str::strategies::kusumoto
