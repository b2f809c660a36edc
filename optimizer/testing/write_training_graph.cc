// Writes a random training graph as a graph file, for trying out and timing commands:
//   write_training_graph SEED LAYERS FILE
#include <cstdio>
#include <cstdlib>

#include "config/graph_io.h"
#include "optimizer/testing/training_graph.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: write_training_graph SEED LAYERS FILE\n");
    return 1;
  }
  str::optimizer::TrainingGraphOptions options;
  options.seed = std::strtoull(argv[1], nullptr, 10);
  options.layers = std::atoi(argv[2]);
  const absl::Status status = str::config::WriteGraph(str::optimizer::RandomTrainingGraph(options), argv[3]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
