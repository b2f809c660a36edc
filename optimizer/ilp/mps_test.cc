#include "optimizer/ilp/mps.h"

#include <cstdio>
#include <fstream>
#include <memory>
#include <random>

#include "gtest/gtest.h"
#include "interfaces/highs_c_api.h"
#include "optimizer/ilp/highs_solver.h"
#include "optimizer/ilp/testing/random_model.h"

namespace str::optimizer {
namespace {

TEST(MpsTest, WritesEveryKindOfRow) {
  LinearModel model;
  model.set_offset(3);
  const int x = model.AddContinuous(-1, 2.5, 1), y = model.AddBinary(-2);
  model.AddRow(1, {{x, 1}, {y, 0.1}}, 1);
  model.AddRow(-LinearModel::kOpen, {{x, 2}}, 4);
  model.AddRow(-3, {{y, 1}}, LinearModel::kOpen);
  model.AddRow(-1, {{x, 1}, {y, 1}}, 2);
  model.AddRow(-LinearModel::kOpen, {{x, 7}}, LinearModel::kOpen);
  EXPECT_EQ(MpsText(model, false),
            "NAME str\nROWS\n N COST\n E R0\n L R1\n G R2\n L R3\nCOLUMNS\n"
            " C0 COST 1\n C0 R0 1\n C0 R1 2\n C0 R3 1\n"
            " MARKER 'MARKER' 'INTORG'\n"
            " C1 COST -2\n C1 R0 0.10000000000000001\n C1 R2 1\n C1 R3 1\n"
            " MARKER 'MARKER' 'INTEND'\n"
            "RHS\n RHS COST -3\n RHS R0 1\n RHS R1 4\n RHS R2 -3\n RHS R3 2\nRANGES\n RANGE R3 3\nBOUNDS\n"
            " LO BOUND C0 -1\n UP BOUND C0 2.5\n LO BOUND C1 0\n UP BOUND C1 1\nENDATA\n");
  EXPECT_EQ(MpsText(model, true).find("MARKER"), std::string::npos);
}

// What HiGHS reads from the text has the same optimum as the model itself.
TEST(MpsTest, SaysTheSameAsTheModel) {
  const std::string path = testing::TempDir() + "/model.mps";
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const LinearModel model = RandomModel(seed);
    std::ofstream(path) << MpsText(model, false);
    const std::unique_ptr<void, void (*)(void*)> highs(Highs_create(), &Highs_destroy);
    Highs_setBoolOptionValue(highs.get(), "log_to_console", 0);
    Highs_setStringOptionValue(highs.get(), "presolve", "off");
    ASSERT_EQ(Highs_readModel(highs.get(), path.c_str()), kHighsStatusOk);
    ASSERT_NE(Highs_run(highs.get()), kHighsStatusError);
    const absl::StatusOr<Solution> solution = SolveWithHighs(model, {});
    ASSERT_TRUE(solution.ok()) << solution.status();
    if (solution->status == SolveStatus::kInfeasible) {
      EXPECT_EQ(Highs_getModelStatus(highs.get()), kHighsModelStatusInfeasible);
    } else {
      EXPECT_NEAR(Highs_getObjectiveValue(highs.get()), solution->objective, 1e-6);
    }
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace str::optimizer
