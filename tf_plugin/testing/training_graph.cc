#include "tf_plugin/testing/training_graph.h"

#include <utility>

namespace str::testing {

void BuildTraining(GraphBuilder& b, int rows, int width) {
  b.Floats("x", {rows, width});
  b.Floats("target", {rows, width / 4});
  b.Constant("rate", tensorflow::Tensor(1e-6f));
  b.Variable("v1", {width, width});
  b.Variable("v2", {width, width / 4});
  b.Add("ReadVariableOp", "w1", {"v1"}, {{"dtype", tensorflow::DT_FLOAT}});
  b.Add("ReadVariableOp", "w2", {"v2"}, {{"dtype", tensorflow::DT_FLOAT}});
  b.Add("MatMul", "h", {"x", "w1"});
  b.Add("Relu", "r", {"h"});
  b.Add("MatMul", "y", {"r", "w2"});
  b.Add("Sub", "e", {"y", "target"});
  b.Add("MatMul", "g2", {"r", "e"}, {{"transpose_a", true}});
  b.Add("MatMul", "dr", {"e", "w2"}, {{"transpose_b", true}});
  b.Add("ReluGrad", "dh", {"dr", "r"});
  b.Add("MatMul", "g1", {"x", "dh"}, {{"transpose_a", true}});
  b.Add("Mul", "d1", {"g1", "rate"});
  b.Add("Mul", "d2", {"g2", "rate"});
  b.Add("AssignSubVariableOp", "u1", {"v1", "d1", "^w1"});
  b.Add("AssignSubVariableOp", "u2", {"v2", "d2", "^w2"});
}

void AddWeights(GraphBuilder& b, int width) {
  for (const auto& [name, columns] : {std::pair<std::string, int>{"1", width}, {"2", width / 4}}) {
    b.Floats("start_value" + name, {width, columns});
    b.Add("AssignVariableOp", "start" + name, {"v" + name, "start_value" + name});
    b.Add("ReadVariableOp", "weights" + name, {"v" + name}, {{"dtype", tensorflow::DT_FLOAT}});
  }
}

std::vector<std::string> TrainingProgram() {
  std::vector<std::string> program;
  for (const char* node :
       {"v1", "v2", "w1", "w2", "h", "r", "y", "e", "g2", "dr", "dh", "g1", "d1", "d2", "u1", "u2"}) {
    program.push_back(std::string("run ") + node);
  }
  return program;
}

}  // namespace str::testing
