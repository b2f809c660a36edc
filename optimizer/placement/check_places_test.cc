#include "optimizer/placement/check_places.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/placement/fit.h"
#include "optimizer/simulator/program_file.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/training_graph.h"

namespace str::optimizer {
namespace {

using ::testing::HasSubstr;

TEST(CheckPlacesTest, AcceptsOurPlacesAndRefusesOthers) {
  const config::GraphFile file = RandomTrainingGraph(TrainingGraphOptions());
  const absl::StatusOr<Graph> graph = Graph::FromFile(file);
  ASSERT_TRUE(graph.ok());
  const Program program = KeepAll(*graph, CapturedOrder(*graph));
  const absl::StatusOr<Fit> fit = FitProgram(*graph, MeasuredCosts(file), program);
  ASSERT_TRUE(fit.ok());
  config::StrategyFile strategy;
  WriteSteps(file, *graph, program, &strategy);
  WritePlaces(*fit, &strategy);
  const Simulation& simulation = fit->verdict.simulation;
  EXPECT_TRUE(CheckPlaces(*graph, program, simulation, strategy).ok())
      << CheckPlaces(*graph, program, simulation, strategy);

  config::StrategyFile at_zero = strategy;
  for (config::Step& step : *at_zero.mutable_step()) {
    for (config::Place& place : *step.mutable_place()) place.set_offset(0);
  }
  EXPECT_THAT(CheckPlaces(*graph, program, simulation, at_zero).message(), HasSubstr("places overlap"));

  config::StrategyFile wrong_size = strategy;
  for (config::Step& step : *wrong_size.mutable_step()) {
    for (config::Place& place : *step.mutable_place()) place.set_bytes(place.bytes() + 256);
  }
  EXPECT_THAT(CheckPlaces(*graph, program, simulation, wrong_size).message(), HasSubstr("no such buffer"));
}

}  // namespace
}  // namespace str::optimizer
