// Which tensors are on the device and which on the host while the steps of a strategy go by.
//
// Only names are followed, no graph is needed: a node's outputs come up when they are first named. Bytes, times and
// when an instance is freed are the simulator's business.
#ifndef STR_CONFIG_INSTANCES_H_
#define STR_CONFIG_INSTANCES_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/strategy.pb.h"

namespace str::config {

class Instances {
 public:
  // Takes the step's action into account. InvalidArgument, without naming the step, if it cannot be done now.
  absl::Status Apply(const Step& step);

  // Whether the newest instance of a tensor is on the host only.
  bool OnHostOnly(absl::string_view tensor) const;

 private:
  struct Tensor {
    // `runs` of its node when this entry was last brought up to date.
    int runs = 0;
    // Counts the instances, so that an older one is told from the newest.
    int newest = 0;
    // The newest instance was let go.
    bool let_go = false;
    bool on_host = false;
    // The instance that an open swap_out copies; 0: none is open.
    int copying_out = 0;
  };

  // The node's outputs as of its latest run. InvalidArgument if `tensor` is malformed or its node has not run.
  absl::StatusOr<Tensor*> Find(absl::string_view tensor);

  // How often each node has run: each run makes new instances of all its outputs.
  absl::flat_hash_map<std::string, int> runs_;
  absl::flat_hash_map<std::string, Tensor> tensors_;
};

}  // namespace str::config

#endif  // STR_CONFIG_INSTANCES_H_
