// Builds small graph files for tests, one line per node.
//
//   GraphBuilder b;
//   b.Add("x", {}, {100});
//   b.Add("y", {"x:0"}, {100})->mutable_output(0)->add_forwards_input(0);
//   const Graph graph = b.Build();
#ifndef STR_OPTIMIZER_TESTING_GRAPH_BUILDER_H_
#define STR_OPTIMIZER_TESTING_GRAPH_BUILDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "config/graph.pb.h"
#include "optimizer/graph/graph.h"

namespace str::optimizer {

class GraphBuilder {
 public:
  // Measured over one step; copies run at 1e9 bytes per second each way, so that a byte takes a nanosecond.
  explicit GraphBuilder(int64_t external_bytes = 0, int64_t granule_bytes = 1);

  // An op of one measured nanosecond per unit of `time_ns`. The pointer is good until the next Add.
  config::Node* Add(const std::string& name, const std::vector<std::string>& inputs,
                    const std::vector<int64_t>& output_bytes, int64_t time_ns = 1);
  // Arguments and constants: outside the program, external.
  config::Node* AddArgument(const std::string& name, int64_t bytes);
  // A result: outside the program, holds its input to the end.
  config::Node* AddResult(const std::string& name, const std::string& input);
  config::Node* AddRead(const std::string& name, const std::string& variable, int64_t bytes);
  // In place: inputs are the handle and the value.
  config::Node* AddUpdate(const std::string& name, const std::string& variable, const std::string& value);
  config::Node* AddReplace(const std::string& name, const std::string& variable, const std::string& value);
  // Shares the buffer of its input.
  config::Node* AddView(const std::string& name, const std::string& input, int64_t bytes);

  config::GraphFile& file() { return file_; }
  // The graph must be right: anything else ends the test.
  Graph Build() const;

 private:
  config::GraphFile file_;
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_TESTING_GRAPH_BUILDER_H_
