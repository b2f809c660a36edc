// File: step_session.h
//
// Runs a training step as TensorFlow runs it: as the body of a function that a call node calls.
#ifndef STR_TF_PLUGIN_TESTING_STEP_SESSION_H_
#define STR_TF_PLUGIN_TESTING_STEP_SESSION_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/testing/graph_session.h"

namespace str::testing {

class StepSession {
 public:
  // `step` updates the variables of BuildTraining with this `width`, has one float result and no arguments. The weights
  // are set.
  StepSession(const tensorflow::Graph& step, int width);

  // Trains one step; returns its result.
  absl::StatusOr<tensorflow::Tensor> Run();
  // One step that calls the function twice, at once if it can.
  absl::Status RunTwiceAtOnce();
  std::vector<tensorflow::Tensor> Weights();

 private:
  std::unique_ptr<GraphSession> session_;
};

}  // namespace str::testing

#endif  // STR_TF_PLUGIN_TESTING_STEP_SESSION_H_
