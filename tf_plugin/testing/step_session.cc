#include "tf_plugin/testing/step_session.h"

#include <optional>
#include <string>

#include "absl/log/check.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/function.pb.h"
#include "tensorflow/core/framework/graph_to_functiondef.h"
#include "tf_plugin/testing/graph_builder.h"
#include "tf_plugin/testing/training_graph.h"

namespace str::testing {

StepSession::StepSession(const tensorflow::Graph& step, int width) {
  // As tf.function does: what has an effect is an output, or TensorFlow would leave it out.
  const auto has_effect = [](const tensorflow::Node* node) -> std::optional<std::string> {
    if (!node->op_def().is_stateful() || node->IsRetval()) return std::nullopt;
    return node->name();
  };
  tensorflow::FunctionDef definition;
  CHECK_OK(tensorflow::GraphToFunctionDef(step, "step", has_effect, &definition));
  GraphBuilder b;
  CHECK_OK(b.graph().AddFunctionDef(definition, /*stack_traces=*/{}));
  b.Variable("v1", {width, width});
  b.Variable("v2", {width, width / 4});
  AddWeights(b, width);
  tensorflow::NameAttrList function;
  function.set_name("step");
  for (const char* name : {"call", "other_call"}) {
    b.Add("StatefulPartitionedCall", name, {},
          {{"Tin", std::vector<tensorflow::DataType>()},
           {"Tout", std::vector<tensorflow::DataType>({tensorflow::DT_FLOAT})},
           {"f", function}});
  }
  session_ = std::make_unique<GraphSession>(b.graph());
  CHECK_OK(session_->Run({}, {"start1", "start2"}).status());
}

absl::StatusOr<tensorflow::Tensor> StepSession::Run() {
  const absl::StatusOr<std::vector<tensorflow::Tensor>> results = session_->Run({"call:0"});
  if (!results.ok()) return results.status();
  return results->front();
}

absl::Status StepSession::RunTwiceAtOnce() { return session_->Run({"call:0", "other_call:0"}).status(); }

std::vector<tensorflow::Tensor> StepSession::Weights() {
  const absl::StatusOr<std::vector<tensorflow::Tensor>> weights = session_->Run({"weights1", "weights2"});
  CHECK_OK(weights.status());
  return *weights;
}

}  // namespace str::testing
