// File: value_check.h
//
// The values of one planned step: does every node get the very bytes that its input had when it was first computed?
//
// A digest of every output is kept when its node first runs. Each input of each later node, each recomputed value and
// each result of the step is compared with the digest of the tensor that it has to be, as the original graph says. So a
// wire to the wrong tensor, a wrong copy, a value recomputed from something else and memory that was overwritten too
// early are all found, whatever the rewriter believed.
//
// Not compared: values made or used outside of the program (arguments, constants, loops and conditionals), and
// references, resources, variants and strings, which are no bytes. Takes some bytes of host memory per tensor, and
// reads each tensor once per user.
//
// Not thread-safe: the owner locks. One object per step.
#ifndef STR_TF_PLUGIN_REWRITE_VALUE_CHECK_H_
#define STR_TF_PLUGIN_REWRITE_VALUE_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/strategy.pb.h"
#include "tensorflow/core/framework/tensor.h"
#include "tf_plugin/graph/graph_view.h"

namespace str::rewrite {

// Which tensor each step of a program gets and makes, from the original graph.
class ProgramTensors {
 public:
  static constexpr int kUnknown = -1;

  // `strategy` was matched to `view` (match.h).
  ProgramTensors(const config::StrategyFile& strategy, const graph::GraphView& view);

  // Tensor of input or output `port` of program step `index`, of the step's result `result`; kUnknown if it is not
  // compared.
  int Input(int index, int port) const { return At(inputs_, index, port); }
  int Output(int index, int port) const { return At(outputs_, index, port); }
  int Result(int result) const;
  const std::string& name(int tensor) const { return names_[tensor]; }
  int size() const { return static_cast<int>(names_.size()); }

 private:
  using Ports = std::vector<std::vector<int>>;
  static int At(const Ports& ports, int index, int port);

  Ports inputs_, outputs_;  // by program step
  std::vector<int> results_;
  std::vector<std::string> names_;
};

class ValueCheck {
 public:
  // `tensors` outlives the check.
  explicit ValueCheck(const ProgramTensors& tensors) : tensors_(tensors), digests_(tensors.size()) {}

  // Program step `index`, whose node is `user`, gets or made `value`.
  void SawInput(int index, int port, const tensorflow::Tensor& value, const std::string& user);
  void SawOutput(int index, int port, const tensorflow::Tensor& value, const std::string& user);
  void SawResult(int result, const tensorflow::Tensor& value);

  // The first difference, once the step has ended; empty if there is none.
  std::string Problem() const;
  // How many values were compared with a digest.
  int64_t compared() const;

 private:
  // A value that was used before the tensor that it has to be was computed.
  struct Early {
    int tensor = 0;
    uint64_t digest = 0;
    std::string what;
  };

  void Compare(int tensor, const tensorflow::Tensor& value, const std::string& what);
  std::string Difference(int tensor, const std::string& what) const;

  const ProgramTensors& tensors_;
  std::vector<std::optional<uint64_t>> digests_;
  std::vector<Early> early_;
  std::string problem_;
  int64_t compared_ = 0;
};

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_VALUE_CHECK_H_
