// File: graph_session.h
//
// Runs test graphs as they are: Grappler is off, the optimisations that always run before an executor is made
// (common-subexpression elimination, constant folding) are on.
#ifndef STR_TF_PLUGIN_TESTING_GRAPH_SESSION_H_
#define STR_TF_PLUGIN_TESTING_GRAPH_SESSION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/graph/graph.h"
#include "tensorflow/core/public/session.h"

namespace str::testing {

class GraphSession {
 public:
  explicit GraphSession(const tensorflow::Graph& graph);
  ~GraphSession();

  // The tensors `fetches`, after `targets` ran as well.
  absl::StatusOr<std::vector<tensorflow::Tensor>> Run(const std::vector<std::string>& fetches,
                                                      const std::vector<std::string>& targets = {});

 private:
  std::unique_ptr<tensorflow::Session> session_;
};

// The same type, shape and bytes.
bool BitEqual(const tensorflow::Tensor& a, const tensorflow::Tensor& b);

}  // namespace str::testing

#endif  // STR_TF_PLUGIN_TESTING_GRAPH_SESSION_H_
