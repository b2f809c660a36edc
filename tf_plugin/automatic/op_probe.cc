#include "tf_plugin/automatic/op_probe.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tensorflow/core/graph/algorithm.h"
#include "tensorflow/core/graph/node_builder.h"
#include "tf_plugin/automatic/first_addend.h"
#include "tf_plugin/automatic/probe_input_op.h"
#include "tf_plugin/capture/copy_rates.h"
#include "tf_plugin/capture/graph_description.h"
#include "tf_plugin/capture/step_profile.h"
#include "tf_plugin/device/device_memories.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/graph/op_facts.h"
#include "tf_plugin/kernels/runnable_step.h"
#include "tf_plugin/rewrite/step_function.h"

namespace str::automatic {
namespace {

using tensorflow::DataType;
using tensorflow::Edge;
using tensorflow::Graph;
using tensorflow::Node;
using tensorflow::OpKernelContext;

// Shapes, axes and counts are smaller.
constexpr int64_t kMostBytesOfAValue = 4096;
// The first turn warms caches and sees views, the others take the times.
constexpr int kMostTurns = 4;
constexpr absl::Duration kTimeForMoreTurns = absl::Seconds(2);

bool IsSmallValue(DataType type, const tensorflow::PartialTensorShape& shape) {
  const bool counts = type == tensorflow::DT_INT32 || type == tensorflow::DT_INT64 || type == tensorflow::DT_BOOL;
  return counts && shape.IsFullyDefined() &&
         shape.num_elements() * tensorflow::DataTypeSize(type) <= kMostBytesOfAValue;
}

class ProbeBuilder {
 public:
  ProbeBuilder(const graph::GraphView& view, const Graph& graph, const std::string& name)
      : view_(view), name_(name), probe_(std::make_unique<Graph>(graph.flib_def())) {
    probe_->set_versions(graph.versions());
  }

  absl::StatusOr<ProbeGraph> Build() && {
    ProbeGraph built;
    built.marked.assign(view_.order.size(), -1);
    for (size_t i = 0; i < view_.order.size(); ++i) {
      Node& node = *view_.order[i];
      if (node.IsArg() || node.IsConstant()) {
        if (absl::Status status = Copy(node).status(); !status.ok()) return status;
        continue;
      }
      if (view_.recompute[node.id()] != config::RECOMPUTE_ALLOWED || graph::IsNeverComputed(node)) continue;
      if (absl::Status status = AddOp(node, built.nodes); !status.ok()) return status;
      built.marked[i] = built.nodes++;
    }
    if (absl::Status status = EndChain(); !status.ok()) return status;
    built.graph = std::move(probe_);
    return built;
  }

 private:
  absl::StatusOr<Node*> Copy(const Node& node) {
    tensorflow::NodeDef definition = node.def();
    definition.clear_input();
    definition.mutable_attr()->erase("_class");
    absl::Status status;
    Node* const copy = probe_->AddNode(std::move(definition), &status);
    if (!status.ok()) return status;
    copy->set_assigned_device_name(node.assigned_device_name());
    copies_[&node] = copy;
    return copy;
  }

  absl::Status AddOp(const Node& node, int index) {
    const absl::StatusOr<Node*> copy = Copy(node);
    if (!copy.ok()) return copy.status();
    device::MarkNode(*copy, name_, index);
    Node* const before = last_;
    for (const Edge* edge : node.in_edges()) {
      if (edge->IsControlEdge()) continue;
      const absl::StatusOr<std::pair<Node*, int>> source = SourceOf(*edge, before);
      if (!source.ok()) return source.status();
      probe_->AddEdge(source->first, source->second, *copy, edge->dst_input());
    }
    if (before != nullptr) probe_->AddControlEdge(before, *copy);
    last_ = *copy;
    return absl::OkStatus();
  }

  // The node itself where its value counts, else zeros that are made when the ops before have ended.
  absl::StatusOr<std::pair<Node*, int>> SourceOf(const Edge& edge, Node* before) {
    const Node& source = *edge.src();
    const DataType type = source.output_type(edge.src_output());
    const tensorflow::PartialTensorShape& shape = view_.shapes[source.id()][edge.src_output()];
    const auto copied = copies_.find(&source);
    if (copied != copies_.end() && (source.IsArg() || source.IsConstant() || IsSmallValue(type, shape))) {
      return std::make_pair(copied->second, edge.src_output());
    }
    if (!shape.IsFullyDefined()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the size of '", source.name(), ":", edge.src_output(), "' is not known before it is computed"));
    }
    tensorflow::TensorShape full;
    shape.AsTensorShape(&full);
    Node* zeros = nullptr;
    const absl::Status status = tensorflow::NodeBuilder(absl::StrCat("str/probe_input_", inputs_++), kProbeInput)
                                    .Attr("dtype", type)
                                    .Attr("shape", full)
                                    .Attr(kProbeNameAttr, name_)
                                    // What takes over an input has no views of it, and would take more memory than in
                                    // the step.
                                    .Attr(kMayBeHeldAttr, graph::ForwardedInputs(*edge.dst()).empty())
                                    .Device(edge.dst()->assigned_device_name())
                                    .Finalize(probe_.get(), &zeros);
    if (!status.ok()) return status;
    zeros->set_assigned_device_name(edge.dst()->assigned_device_name());
    if (before != nullptr) probe_->AddControlEdge(before, zeros);
    return std::make_pair(zeros, 0);
  }

  // Without an op that has an effect TensorFlow would leave everything out.
  absl::Status EndChain() {
    Node* end = nullptr;
    if (absl::Status status =
            tensorflow::NodeBuilder("str/probe_end", kernels::kChainEnd).Finalize(probe_.get(), &end);
        !status.ok()) {
      return status;
    }
    if (last_ != nullptr) {
      end->set_assigned_device_name(last_->assigned_device_name());
      probe_->AddControlEdge(last_, end);
    }
    tensorflow::FixupSourceAndSinkEdges(probe_.get());
    return absl::OkStatus();
  }

  const graph::GraphView& view_;
  const std::string name_;
  std::unique_ptr<Graph> probe_;
  std::map<const Node*, Node*> copies_;
  Node* last_ = nullptr;
  int inputs_ = 0;
};

class ProbeObserver : public device::GraphObserver {
 public:
  ProbeObserver(int nodes, std::shared_ptr<ProbeInputs> inputs) : inputs_(std::move(inputs)), profile_(nodes) {}

  void Starting(int index, OpKernelContext& context, device::OpRecord& op) override {
    seen_ = capture::SeeInputs(context);
  }

  void Finished(int index, OpKernelContext& context, const device::OpRecord& op, int64_t elapsed_ns) override {
    if (context.status().ok() && op.out_of_memory.empty()) profile_.AddOp(index, context, seen_, op, elapsed_ns);
    inputs_->OpEnded();
  }

  void TurnEnded() { profile_.AddStep({}); }
  const capture::StepProfile& profile() const { return profile_; }

 private:
  const std::shared_ptr<ProbeInputs> inputs_;
  // Ops run one after the other, on one thread.
  std::vector<capture::InputSeen> seen_;
  capture::StepProfile profile_;
};

// Registers a probe with the device and its kernels while it lives.
class Registered {
 public:
  Registered(std::string name, const std::shared_ptr<ProbeObserver>& observer,
             const std::shared_ptr<ProbeInputs>& inputs)
      : name_(std::move(name)) {
    device::SetObserver(name_, observer);
    AddProbeInputs(name_, inputs);
  }
  ~Registered() {
    device::RemoveObserver(name_);
    RemoveProbeInputs(name_);
  }

 private:
  const std::string name_;
};

// On this thread: the threads of TensorFlow may all be waiting for this very op.
absl::Status RunHere(OpKernelContext& context, kernels::StepBody::Handle body) {
  std::vector<tensorflow::Tensor> arguments, results;
  for (int i = 0; i < context.num_inputs(); ++i) arguments.push_back(context.input(i));
  std::function<void(std::function<void()>)> here = [](std::function<void()> work) { work(); };
  tensorflow::FunctionLibraryRuntime::Options options = kernels::BodyOptions(context);
  options.runner = &here;
  options.run_all_kernels_inline = true;
  absl::Notification ended;
  absl::Status result;
  context.function_library()->Run(options, body, arguments, &results, [&](const absl::Status& status) {
    result = status;
    ended.Notify();
  });
  ended.WaitForNotification();
  return result;
}

absl::Status RunTurns(OpKernelContext& context, const Graph& graph, const std::string& name, ProbeInputs& inputs,
                      ProbeObserver& observer) {
  tensorflow::FunctionLibraryDefinition library(tensorflow::OpRegistry::Global(), tensorflow::FunctionDefLibrary());
  const std::string function = absl::StrCat("str_probe_", name);
  if (absl::Status status = rewrite::AddBody(graph, function, graph.flib_def(), library); !status.ok()) return status;
  kernels::StepBody body;
  const absl::StatusOr<kernels::StepBody::Handle> handle = body.Build(context.function_library(), library, function);
  if (!handle.ok()) return handle.status();
  const absl::Time start = absl::Now();
  for (int turn = 0; turn < kMostTurns && (turn < 2 || absl::Now() - start < kTimeForMoreTurns); ++turn) {
    inputs.HoldThem(turn == 0);
    if (absl::Status status = RunHere(context, *handle); !status.ok()) return status;
    observer.TurnEnded();
  }
  return absl::OkStatus();
}

// Ops that were not run move their bytes at the speed of a copy.
void ModelOtherTimes(const std::vector<int>& marked, const std::map<std::string, int>& index, int64_t bytes_per_second,
                     config::GraphFile& graph) {
  if (bytes_per_second <= 0) return;
  for (config::Node& node : *graph.mutable_node()) {
    if (marked[index.at(node.name())] >= 0) continue;
    node.set_time_ns(static_cast<int64_t>(1e9 * node.moved_bytes() / bytes_per_second));
  }
}

}  // namespace

absl::StatusOr<ProbeGraph> BuildProbeGraph(const graph::GraphView& view, const Graph& graph, const std::string& name) {
  return ProbeBuilder(view, graph, name).Build();
}

absl::StatusOr<config::GraphFile> ProbeStep(const graph::GraphView& view, const Graph& graph, const std::string& name,
                                            const std::string& device, OpKernelContext& context) {
  if (!view.control_flow.loops.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the memory of the loop '", view.control_flow.loops[0].frame, "' is known only by running it"));
  }
  config::GraphFile described = capture::DescribeGraph(view, name, device);
  if (absl::Status status = capture::FillBytesFromShapes(view, described); !status.ok()) return status;
  const absl::StatusOr<ProbeGraph> probe = BuildProbeGraph(view, graph, name);
  if (!probe.ok()) return probe.status();

  const auto inputs = std::make_shared<ProbeInputs>();
  const auto observer = std::make_shared<ProbeObserver>(probe->nodes, inputs);
  const Registered registered(name, observer, inputs);
  if (absl::Status status = RunTurns(context, *probe->graph, name, *inputs, *observer); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("an op cannot be measured by itself: ", status.message()));
  }
  std::map<std::string, int> index;
  for (int i = 0; i < described.node_size(); ++i) index[described.node(i).name()] = i;
  if (absl::Status status = observer->profile().Complete(probe->marked, described); !status.ok()) return status;
  capture::SetCopyRates(described);
  ModelOtherTimes(probe->marked, index, described.copy_out_bytes_per_second(), described);
  PredictFirstAddends(described);
  described.set_external_bytes(device::FindDeviceMemory(device)->GetStats()->bytes_in_use);
  return described;
}

}  // namespace str::automatic
