#include "tf_plugin/testing/graph_session.h"

#include "absl/log/check.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/protobuf/rewriter_config.pb.h"

namespace str::testing {

GraphSession::GraphSession(const tensorflow::Graph& graph) {
  tensorflow::SessionOptions options;
  options.config.set_inter_op_parallelism_threads(2);
  options.config.set_intra_op_parallelism_threads(1);
  options.config.mutable_graph_options()->mutable_rewrite_options()->set_disable_meta_optimizer(true);
  session_.reset(tensorflow::NewSession(options));
  CHECK(session_ != nullptr);
  tensorflow::GraphDef definition;
  graph.ToGraphDef(&definition);
  CHECK_OK(session_->Create(definition));
}

GraphSession::~GraphSession() { session_->Close().IgnoreError(); }

absl::StatusOr<std::vector<tensorflow::Tensor>> GraphSession::Run(const std::vector<std::string>& fetches,
                                                                  const std::vector<std::string>& targets) {
  std::vector<tensorflow::Tensor> outputs;
  if (absl::Status status = session_->Run({}, fetches, targets, &outputs); !status.ok()) return status;
  return outputs;
}

bool BitEqual(const tensorflow::Tensor& a, const tensorflow::Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && a.tensor_data() == b.tensor_data();
}

}  // namespace str::testing
