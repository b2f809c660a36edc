#include "optimizer/testing/training_graph.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "optimizer/testing/graph_builder.h"

namespace str::optimizer {
namespace {

// A tensor of the forward pass that gradients come back to.
struct Activation {
  std::string tensor;
  int64_t bytes = 0;
  // Gradients by its consumers, summed up when the backward pass gets to its producer.
  std::vector<std::string> gradients;
};

struct Layer {
  enum Kind { kConvolution, kPool, kDropout } kind = kConvolution;
  int input = 0;
  // Also added to the result; -1: none.
  int skip = -1;
  int output = 0;
  std::string name;
};

class Generator {
 public:
  explicit Generator(const TrainingGraphOptions& options)
      : options_(options), random_(options.seed), builder_(0, 256) {}

  config::GraphFile Make() {
    builder_.AddArgument("batch", options_.max_activation_bytes);
    activations_.push_back({"batch:0", options_.max_activation_bytes, {}});
    for (int i = 0; i < options_.layers; ++i) AddLayer(i);
    AddLoss();
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) AddGradient(*layer);
    builder_.file().set_external_bytes(options_.max_activation_bytes + weight_bytes_);
    return builder_.file();
  }

 private:
  int64_t Draw(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
  bool Chance(int percent) { return Draw(1, 100) <= percent; }
  // Compute-bound ops: around the time that copying the bytes takes.
  int64_t Time(int64_t bytes) { return bytes * Draw(20, 200) / 100 + Draw(500, 2000); }

  void AddLayer(int index) {
    Layer layer;
    layer.name = absl::StrCat("l", index);
    layer.input = static_cast<int>(activations_.size()) - 1;
    const Activation& input = activations_[layer.input];
    const int dice = static_cast<int>(Draw(1, 10));
    layer.kind = dice <= 7 ? Layer::kConvolution : dice == 8 ? Layer::kPool : Layer::kDropout;
    const int64_t bytes = layer.kind == Layer::kDropout
                              ? input.bytes
                              : Draw(options_.max_activation_bytes / 64, options_.max_activation_bytes);
    std::string made;
    switch (layer.kind) {
      case Layer::kConvolution:
        made = AddConvolution(layer, input.tensor, bytes);
        break;
      case Layer::kPool:
        builder_.Add(layer.name + "/pool", {input.tensor}, {bytes, bytes / 4}, Time(bytes));
        made = layer.name + "/pool:0";
        break;
      case Layer::kDropout:
        builder_.Add(layer.name + "/mask", {}, {bytes}, Time(bytes))->set_recompute(config::RECOMPUTE_RANDOM);
        builder_.Add(layer.name + "/drop", {input.tensor, layer.name + "/mask:0"}, {bytes}, Time(bytes / 4));
        made = layer.name + "/drop:0";
        break;
    }
    if (Chance(25)) {
      for (int i = layer.input; i > 0; --i) {
        if (activations_[i].bytes == bytes) layer.skip = i;
      }
      if (layer.skip < 0 && layer.input > 1) layer.skip = static_cast<int>(Draw(1, layer.input - 1));
    }
    if (layer.skip >= 0) {
      config::Node* add =
          builder_.Add(layer.name + "/add", {made, activations_[layer.skip].tensor}, {bytes}, Time(bytes / 4));
      add->mutable_output(0)->add_forwards_input(0);
      add->mutable_output(0)->add_forwards_input(1);
      made = layer.name + "/add:0";
    }
    if (Chance(15)) {
      builder_.AddView(layer.name + "/reshape", made, bytes);
      made = layer.name + "/reshape:0";
    }
    layer.output = static_cast<int>(activations_.size());
    activations_.push_back({made, bytes, {}});
    layers_.push_back(layer);
  }

  std::string AddConvolution(const Layer& layer, const std::string& input, int64_t bytes) {
    const int64_t weights = options_.max_activation_bytes / 16;
    weight_bytes_ += weights;
    builder_.AddArgument(layer.name + "/w", 8);
    builder_.AddRead(layer.name + "/read", layer.name + "/w", weights);
    config::Node* conv = builder_.Add(layer.name + "/conv", {input, layer.name + "/read:0"}, {bytes}, 3 * Time(bytes));
    if (Chance(30)) conv->set_temporary_bytes(bytes / 8);
    builder_.Add(layer.name + "/relu", {layer.name + "/conv:0"}, {bytes}, Time(bytes / 4))
        ->mutable_output(0)
        ->add_forwards_input(0);
    return layer.name + "/relu:0";
  }

  void AddLoss() {
    Activation& last = activations_.back();
    builder_.Add("loss", {last.tensor}, {4, last.bytes}, Time(last.bytes));
    builder_.AddResult("loss_result", "loss:0");
    last.gradients.push_back("loss:1");
  }

  std::string SumGradients(const Layer& layer, const Activation& activation) {
    if (activation.gradients.size() == 1) return activation.gradients[0];
    builder_.Add(layer.name + "/sum", activation.gradients, {activation.bytes}, Time(activation.bytes / 4))
        ->mutable_output(0)
        ->add_forwards_input(0);
    return layer.name + "/sum:0";
  }

  void AddGradient(const Layer& layer) {
    const Activation& output = activations_[layer.output];
    if (output.gradients.empty()) return;
    const std::string gradient = SumGradients(layer, output);
    Activation& input = activations_[layer.input];
    const bool to_batch = layer.input == 0;
    if (layer.skip > 0) {
      Activation& skip = activations_[layer.skip];
      builder_.Add(layer.name + "/skip_grad", {gradient}, {skip.bytes}, Time(skip.bytes / 4))
          ->mutable_output(0)
          ->add_forwards_input(0);
      skip.gradients.push_back(layer.name + "/skip_grad:0");
    }
    const std::string made = layer.name + "/input_grad:0";
    if (layer.kind == Layer::kPool) {
      builder_.Add(layer.name + "/input_grad", {layer.name + "/pool:1", gradient}, {input.bytes}, Time(input.bytes));
    } else if (layer.kind == Layer::kDropout) {
      builder_
          .Add(layer.name + "/input_grad", {gradient, layer.name + "/mask:0"}, {input.bytes}, Time(input.bytes / 4))
          ->mutable_output(0)
          ->add_forwards_input(0);
    } else {
      AddConvolutionGradient(layer, gradient, output, input, to_batch);
    }
    if (!to_batch) input.gradients.push_back(made);
  }

  void AddConvolutionGradient(const Layer& layer, const std::string& gradient, const Activation& output,
                              const Activation& input, bool to_batch) {
    const int64_t weights = options_.max_activation_bytes / 16;
    const std::string& name = layer.name;
    builder_.Add(name + "/relu_grad", {gradient, name + "/relu:0"}, {output.bytes}, Time(output.bytes / 4))
        ->mutable_output(0)
        ->add_forwards_input(0);
    builder_.Add(name + "/weight_grad", {input.tensor, name + "/relu_grad:0"}, {weights}, 3 * Time(input.bytes));
    if (!to_batch) {
      builder_.Add(name + "/input_grad", {name + "/read:0", name + "/relu_grad:0"}, {input.bytes},
                   3 * Time(input.bytes));
    }
    builder_.Add(name + "/scale", {name + "/weight_grad:0"}, {weights}, Time(weights / 4))
        ->mutable_output(0)
        ->add_forwards_input(0);
    builder_.AddUpdate(name + "/update", name + "/w", name + "/scale:0")->add_control(name + "/read");
  }

  const TrainingGraphOptions options_;
  std::mt19937_64 random_;
  GraphBuilder builder_;
  std::vector<Activation> activations_;
  std::vector<Layer> layers_;
  int64_t weight_bytes_ = 0;
};

}  // namespace

config::GraphFile RandomTrainingGraph(const TrainingGraphOptions& options) { return Generator(options).Make(); }

}  // namespace str::optimizer
