#include "tf_plugin/automatic/automatic_planning.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "config/graph_io.h"
#include "config/strategy_io.h"
#include "config/text_units.h"
#include "tensorflow/core/common_runtime/graph_constructor.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_var.h"
#include "tf_plugin/automatic/fetched_batch.h"
#include "tf_plugin/automatic/op_probe.h"
#include "tf_plugin/automatic/plan_cache.h"
#include "tf_plugin/automatic/planner_process.h"
#include "tf_plugin/capture/capture_pass.h"
#include "tf_plugin/device/device_memories.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/graph/op_facts.h"
#include "tf_plugin/kernels/automatic_step.h"
#include "tf_plugin/messages.h"
#include "tf_plugin/rewrite/step_function.h"

namespace str::automatic {
namespace {

using tensorflow::FunctionLibraryDefinition;
using tensorflow::Graph;
using tensorflow::Node;
using tensorflow::OpKernelContext;

// What the process takes besides the tensors may grow after planning, as kernels are built and threads start.
constexpr double kShareForGrowth = 0.02;
constexpr int64_t kBytesForGrowth = int64_t{96} << 20;
constexpr int kMostFilesInCache = 256;
constexpr char kPlanningTime[] = "8s";
constexpr int kExitInfeasible = 2;

// Arguments by their position among the step's inputs.
std::vector<Node*> ArgumentsOf(const Graph& graph) {
  std::map<int, Node*> by_index;
  for (Node* node : graph.op_nodes()) {
    int index = 0;
    if (node->IsArg() && tensorflow::TryGetNodeAttr(node->attrs(), "index", &index)) by_index[index] = node;
  }
  std::vector<Node*> arguments;
  for (const auto& [index, node] : by_index) arguments.push_back(node);
  return arguments;
}

tensorflow::GraphDef DefinitionOf(const Graph& graph) {
  tensorflow::GraphDef definition;
  graph.ToGraphDef(&definition);
  return definition;
}

bool HasKnownSize(const Node& argument) {
  if (argument.output_type(0) == tensorflow::DT_RESOURCE) return true;
  std::vector<tensorflow::PartialTensorShape> shapes;
  return tensorflow::GetNodeAttr(argument.attrs(), "_output_shapes", &shapes).ok() && !shapes.empty() &&
         shapes[0].IsFullyDefined();
}

// What a variable's handle points to. TensorFlow notes it in the graph for some variables only; the handle itself knows.
void DescribeHandle(const tensorflow::Tensor& value, Node& argument) {
  if (value.dtype() != tensorflow::DT_RESOURCE || value.NumElements() != 1) return;
  const auto& held = value.flat<tensorflow::ResourceHandle>()(0).dtypes_and_shapes();
  if (held.size() != 1 || !held[0].shape.IsFullyDefined()) return;
  argument.ClearAttr("_handle_dtypes");
  argument.AddAttr("_handle_dtypes", std::vector<tensorflow::DataType>{held[0].dtype});
  argument.ClearAttr("_handle_shapes");
  argument.AddAttr("_handle_shapes", std::vector<tensorflow::PartialTensorShape>{held[0].shape});
}

// Positions of the arguments that hold variables which the step changes.
std::set<int> ChangedArguments(const graph::GraphView& view, const Graph& graph) {
  std::set<const Node*> changed;
  for (const Node* node : view.order) {
    if (graph::ChangesVariable(node->type_string())) changed.insert(graph::VariableOf(*node));
  }
  std::set<int> positions;
  const std::vector<Node*> arguments = ArgumentsOf(graph);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (changed.count(arguments[i]) > 0) positions.insert(static_cast<int>(i));
  }
  return positions;
}

// Memory that variables will take of the device once they are changed for the first time.
struct MemoryToCome {
  int64_t bytes = 0;
  // Of it, what they take of the host's memory now.
  int64_t on_host_bytes = 0;
};

// Until then a variable may lie in other memory than the device's, as an initial value does that came from a constant, or
// share its buffer with another one, as moving averages do.
MemoryToCome FindMemoryToCome(OpKernelContext& context, const std::set<int>& changed, device::DeviceMemory& memory) {
  MemoryToCome to_come;
  std::set<const void*> seen;
  for (int argument : changed) {
    const tensorflow::Tensor& value = context.input(argument);
    if (value.dtype() != tensorflow::DT_RESOURCE || value.NumElements() != 1) continue;
    tensorflow::core::RefCountPtr<tensorflow::Var> variable;
    const auto& handle = value.flat<tensorflow::ResourceHandle>()(0);
    if (!tensorflow::LookupResource(&context, handle, &variable).ok()) continue;
    tensorflow::tf_shared_lock lock(*variable->mu());
    const tensorflow::Tensor& held = *variable->tensor();
    if (!held.IsInitialized() || held.TotalBytes() == 0) continue;
    const bool first = seen.insert(held.data()).second;
    const bool on_host = !memory.Owns(held.data());
    if (on_host || !first) to_come.bytes += static_cast<int64_t>(held.TotalBytes());
    if (on_host && first) to_come.on_host_bytes += static_cast<int64_t>(held.TotalBytes());
  }
  return to_come;
}

// The number in "smallest feasible budget: 18.63 MiB (19533056 bytes)"; 0 if there is none.
int64_t SmallestBudgetIn(absl::string_view text) {
  constexpr absl::string_view kBefore = "smallest feasible budget: ";
  const size_t begin = text.find(kBefore);
  if (begin == absl::string_view::npos) return 0;
  absl::string_view line = text.substr(begin + kBefore.size());
  line = line.substr(0, line.find('\n'));
  if (const size_t bracket = line.find('('); bracket != absl::string_view::npos) line = line.substr(bracket + 1);
  int64_t bytes = 0;
  return absl::SimpleAtoi(line.substr(0, line.find(' ')), &bytes) ? bytes : 0;
}

// Wherever in the step: also inside of loops and in functions that it calls.
bool DrawsRandomNumbers(const tensorflow::GraphDef& graph, const FunctionLibraryDefinition& functions) {
  const auto draws = [](const tensorflow::NodeDef& node) { return graph::IsRandom(node.op()); };
  if (std::any_of(graph.node().begin(), graph.node().end(), draws)) return true;
  const tensorflow::FunctionDefLibrary called = functions.ToProto();
  return std::any_of(called.function().begin(), called.function().end(), [&](const tensorflow::FunctionDef& function) {
    return std::any_of(function.node_def().begin(), function.node_def().end(), draws);
  });
}

// A plan's promise. A plan that is not kept leaves the cache, so that the next run plans anew.
class CachedPromise : public kernels::StepGuard {
 public:
  CachedPromise(std::shared_ptr<kernels::StepGuard> promise, std::string path)
      : promise_(std::move(promise)), path_(std::move(path)) {}

  void Begin(int64_t step_id) override { promise_->Begin(step_id); }
  void Result(int64_t step_id, int index, const tensorflow::Tensor& value) override {
    promise_->Result(step_id, index, value);
  }
  absl::Status End(int64_t step_id, const std::vector<bool>& delivered) override {
    return ForgetUnless(absl::OkStatus(), promise_->End(step_id, delivered));
  }
  absl::Status Abandon(int64_t step_id, const absl::Status& status) override {
    return ForgetUnless(status, promise_->Abandon(step_id, status));
  }
  absl::Status NotBuilt(const absl::Status& status) override {
    return ForgetUnless(absl::OkStatus(), promise_->NotBuilt(status));
  }

 private:
  absl::Status ForgetUnless(const absl::Status& expected, absl::Status status) const {
    std::error_code error;
    if (status != expected) std::filesystem::remove(path_, error);
    return status;
  }

  const std::shared_ptr<kernels::StepGuard> promise_;
  const std::string path_;
};

// A step that is run to be measured promises nothing.
class NoPromise : public kernels::StepGuard {
 public:
  void Begin(int64_t) override {}
  void Result(int64_t, int, const tensorflow::Tensor&) override {}
  absl::Status End(int64_t, const std::vector<bool>&) override { return absl::OkStatus(); }
  absl::Status Abandon(int64_t, const absl::Status& status) override { return status; }
  absl::Status NotBuilt(const absl::Status& status) override {
    SayOnce("STR-2008", absl::StrCat("a step is not planned, as it cannot be built to be measured: ", status.message(),
                                     ". Training goes on without a plan."));
    return status;
  }
};

class AutomaticPlanner : public kernels::StepMaker {
 public:
  AutomaticPlanner(AutomaticOptions options, std::string name, std::string device, const Graph& graph,
                   const FunctionLibraryDefinition& functions)
      : options_(std::move(options)),
        name_(std::move(name)),
        device_(std::move(device)),
        graph_(DefinitionOf(graph)),
        functions_(tensorflow::OpRegistry::Global(), functions.ReachableDefinitions(graph_).ToProto()) {
    options_.rewrite.functions = &functions_;
    draws_random_numbers_ = DrawsRandomNumbers(graph_, functions_);
    const std::vector<Node*> arguments = ArgumentsOf(graph);
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!HasKnownSize(*arguments[i])) sized_arguments_.push_back(static_cast<int>(i));
    }
  }

  ~AutomaticPlanner() override {
    for (const std::string& fingerprint : observed_) device::RemoveObserver(fingerprint);
  }

  const std::vector<int>& sized_arguments() const override { return sized_arguments_; }

  absl::StatusOr<Made> Make(OpKernelContext& context) override {
    absl::MutexLock lock(&mutex_);
    absl::StatusOr<std::unique_ptr<Graph>> graph = SizedGraph(context);
    if (!graph.ok()) return graph.status();
    const graph::GraphView view = graph::MakeGraphView(**graph);
    // Random numbers come from state inside of kernels, and a second body would start them anew.
    if (draws_random_numbers_ && first_made_.has_value()) {
      Say("STR-2008", absl::StrCat(name_, " is not planned anew for its larger batch, as its random numbers would start "
                                          "again: it runs as before, and may take more than the budget"));
      return *first_made_;
    }
    const MemoryToCome to_come =
        FindMemoryToCome(context, ChangedArguments(view, **graph), *device::FindDeviceMemory(device_));
    const int64_t budget_bytes = TensorBudget(to_come);
    if (!HasOwnMemory()) device::FindDeviceMemory(device_)->KeepResident(std::max<int64_t>(0, budget_bytes));
    const PlanKey key = {view.fingerprint, device_, RequestedBytes(), absl::StrJoin(PlannerOptions(), " ")};
    const std::string path = absl::StrCat(CacheDirectory(), "/", StrategyFileName(key));
    std::optional<config::StrategyFile> strategy = FromCache(path, budget_bytes, to_come);
    if (!strategy.has_value()) {
      absl::StatusOr<config::GraphFile> measured = Measure(view, **graph, context);
      if (measured.ok()) {
        measured->set_external_bytes(measured->external_bytes() + to_come.bytes);
        absl::StatusOr<std::optional<config::StrategyFile>> planned = Plan(*measured, key, budget_bytes, path);
        if (!planned.ok()) return planned.status();
        strategy = *std::move(planned);
      } else if (!draws_random_numbers_) {
        SayOnce("STR-3010", absl::StrCat(name_, " runs without a plan, to be measured: ", measured.status().message(),
                                         ". It may take more than the budget"));
        return RunOnce(**graph);
      } else if (absl::Status status = GoOn(measured.status().message()).status(); !status.ok()) {
        return status;
      }
    }
    absl::StatusOr<Made> made = MakeStep(strategy, path, **graph);
    if (made.ok()) first_made_ = *made;
    return made;
  }

 private:
  // A copy of the step's graph whose arguments have the sizes that they have now.
  absl::StatusOr<std::unique_ptr<Graph>> SizedGraph(OpKernelContext& context) const {
    auto graph = std::make_unique<Graph>(functions_);
    tensorflow::GraphConstructorOptions how;
    how.allow_internal_ops = true;
    if (absl::Status status = tensorflow::ConvertGraphDefToGraph(how, graph_, graph.get()); !status.ok()) return status;
    for (Node* node : graph->op_nodes()) node->set_assigned_device_name(node->requested_device());
    const std::vector<Node*> arguments = ArgumentsOf(*graph);
    for (size_t i = 0; i < arguments.size(); ++i) DescribeHandle(context.input(static_cast<int>(i)), *arguments[i]);
    for (int argument : sized_arguments_) {
      arguments[argument]->ClearAttr("_output_shapes");
      arguments[argument]->AddAttr("_output_shapes",
                                   std::vector<tensorflow::TensorShape>{context.input(argument).shape()});
    }
    return graph;
  }

  bool HasOwnMemory() const { return options_.device_limit_bytes.has_value(); }

  int64_t RequestedBytes() const {
    if (!HasOwnMemory()) return BudgetBytes(options_.budget, HostMemoryBytes());
    const int64_t limit_bytes = *options_.device_limit_bytes;
    return std::min(limit_bytes, BudgetBytes(options_.budget, limit_bytes));
  }

  // The part of the budget for tensors.
  int64_t TensorBudget(const MemoryToCome& to_come) const {
    const int64_t requested = RequestedBytes();
    if (HasOwnMemory()) return requested;
    const int64_t tensors = device::FindDeviceMemory(device_)->ResidentBytes() + to_come.on_host_bytes;
    const int64_t others = std::max<int64_t>(0, ResidentBytes() - tensors);
    return requested - others - kBytesForGrowth - static_cast<int64_t>(kShareForGrowth * requested);
  }

  std::vector<std::string> PlannerOptions() const {
    if (!HasOwnMemory()) return {"--strategy=recompute-only"};
    std::vector<std::string> options = {"--strategy=str"};
    if (options_.rewrite.limits.host_bytes.has_value()) {
      options.push_back(absl::StrCat("--host-limit=", *options_.rewrite.limits.host_bytes));
    }
    return options;
  }

  // A plan that still keeps the budget, although more may be outside of the step than when it was made.
  std::optional<config::StrategyFile> FromCache(const std::string& path, int64_t budget_bytes,
                                                const MemoryToCome& to_come) const {
    absl::StatusOr<config::StrategyFile> strategy = config::ReadStrategy(path);
    if (!strategy.ok()) return std::nullopt;
    const int64_t outside = device::FindDeviceMemory(device_)->GetStats()->bytes_in_use + to_come.bytes;
    const int64_t more = std::max<int64_t>(0, outside - strategy->external_bytes());
    if (strategy->predicted_peak_bytes() + more > budget_bytes) return std::nullopt;
    Touch(path);
    Say("STR-3009", absl::StrCat(name_, ": ", Summary(*strategy), ". Plan of an earlier run: ", path));
    return *std::move(strategy);
  }

  // An error: the step has to run once first.
  absl::StatusOr<config::GraphFile> Measure(const graph::GraphView& view, const Graph& graph,
                                            OpKernelContext& context) const {
    {
      absl::MutexLock lock(&captured_->mutex);
      const auto captured = captured_->by_fingerprint.find(view.fingerprint);
      if (captured != captured_->by_fingerprint.end()) {
        device::RemoveObserver(view.fingerprint);
        return captured->second;
      }
    }
    const std::string probe = absl::StrCat(view.fingerprint, "_", NextNumber());
    absl::StatusOr<config::GraphFile> probed = ProbeStep(view, graph, probe, device_, context);
    if (probed.ok()) probed->set_name(name_);
    return probed;
  }

  absl::StatusOr<Made> RunOnce(const Graph& plain) {
    Graph marked(plain.flib_def());
    marked.Copy(plain);
    const graph::GraphView view = graph::MakeGraphView(marked);
    // The observer of an earlier trace of the same graph would keep what it sees to itself. This planner's own goes on: a
    // step that leaves nodes out is known to be complete only when the next one begins.
    if (observed_.insert(view.fingerprint).second) device::RemoveObserver(view.fingerprint);
    capture::CaptureByRunning(view, name_, device_, [captured = captured_](const config::GraphFile& graph) {
      absl::MutexLock lock(&captured->mutex);
      captured->by_fingerprint[graph.fingerprint()] = graph;
    });
    absl::StatusOr<std::shared_ptr<const kernels::PlannedStep>> step =
        rewrite::MakePlannedStep(absl::StrCat(view.fingerprint, "_measured_", NextNumber()), marked, plain, functions_,
                                 std::make_shared<NoPromise>(), options_.rewrite.strict);
    if (!step.ok()) return step.status();
    return Made{*std::move(step), /*once=*/true};
  }

  // Nothing: the planner failed, and training goes on without a plan. A budget that cannot be met is an error.
  absl::StatusOr<std::optional<config::StrategyFile>> Plan(const config::GraphFile& graph, const PlanKey& key,
                                                           int64_t budget_bytes, const std::string& path) const {
    const std::string graph_path = absl::StrCat(CacheDirectory(), "/", GraphFileName(key));
    if (absl::Status status = config::WriteGraph(graph, graph_path); !status.ok()) return GoOn(status.message());
    if (budget_bytes <= 0) {
      return absl::ResourceExhaustedError(
          absl::StrCat("STR-2007 ", name_, " cannot be planned for STR_BUDGET ", config::FormatBytes(RequestedBytes()),
                       ": the process takes ", config::FormatBytes(RequestedBytes() - budget_bytes),
                       " besides tensors. Set a larger STR_BUDGET"));
    }
    Say("STR-3009", absl::StrCat("planning ", name_, ", ", graph.node_size(), " nodes, for ",
                                 config::FormatBytes(budget_bytes), " of tensors; this takes seconds"));
    // Another process may plan for the same, with other bytes left for its tensors.
    const std::string own_path = absl::StrCat(path, ".", getpid(), ".conf");
    std::vector<std::string> command = {PlannerCommand(), "plan", graph_path, absl::StrCat("--budget=", budget_bytes, "B"),
                                        absl::StrCat("--output=", own_path), absl::StrCat("--time-limit=", kPlanningTime)};
    for (std::string& option : PlannerOptions()) command.push_back(std::move(option));
    const absl::Time start = absl::Now();
    const absl::StatusOr<ProcessResult> result =
        RunProcess(command, [](absl::string_view line) { Say("STR-3009", line, /*level=*/2); });
    if (!result.ok()) return GoOn(result.status().message());
    if (result->exit_code == kExitInfeasible) {
      return absl::ResourceExhaustedError(
          absl::StrCat("STR-2007 ", name_, " does not fit STR_BUDGET ", config::FormatBytes(RequestedBytes()), ". ",
                       NeededText(budget_bytes, SmallestBudgetIn(result->errors)), WithoutProgress(result->errors)));
    }
    if (result->exit_code != 0) {
      return GoOn(absl::StrCat(absl::StrJoin(command, " "), " ended with ", result->exit_code, ": ",
                               WithoutProgress(result->errors)));
    }
    absl::StatusOr<config::StrategyFile> strategy = config::ReadStrategy(own_path);
    if (!strategy.ok()) return GoOn(strategy.status().message());
    std::error_code error;
    std::filesystem::rename(own_path, path, error);
    if (error) return GoOn(absl::StrCat(own_path, ": ", error.message()));
    Prune(CacheDirectory(), kMostFilesInCache);
    Say("STR-3009", absl::StrFormat("%s: %s. Planned in %.1f s. Why: str explain %s %s", name_, Summary(*strategy),
                                    absl::ToDoubleSeconds(absl::Now() - start), graph_path, path));
    return *std::move(strategy);
  }

  // `budget_bytes` is what the planner got, `smallest_bytes` what it needs at least; 0 if it does not know.
  std::string NeededText(int64_t budget_bytes, int64_t smallest_bytes) const {
    const int64_t besides_bytes = RequestedBytes() - budget_bytes;
    std::string text;
    if (besides_bytes > 0) {
      text = absl::StrCat(config::FormatBytes(besides_bytes), " of it is for the rest of the process. ");
    }
    if (smallest_bytes == 0) return text;
    int64_t needed_bytes = smallest_bytes;
    if (!HasOwnMemory()) {
      // As TensorBudget has it, the other way round.
      const double growth = kShareForGrowth * static_cast<double>(RequestedBytes());
      needed_bytes = static_cast<int64_t>(
          std::ceil(static_cast<double>(smallest_bytes + besides_bytes) - growth) / (1 - kShareForGrowth));
    }
    absl::StrAppend(&text, "Set STR_BUDGET to at least ", config::FormatBytes(needed_bytes), ". ");
    return text;
  }

  // From the planner's message on, and without its advice, which is about tensors alone.
  static std::string WithoutProgress(const std::string& errors) {
    const size_t begin = errors.find("STR-");
    const std::string message = begin == std::string::npos ? errors : errors.substr(begin);
    return message.substr(0, message.find("\n  try:"));
  }

  // The planner is at fault, not the user.
  absl::StatusOr<std::optional<config::StrategyFile>> GoOn(absl::string_view why) const {
    const std::string text = absl::StrCat(name_, " is not planned: ", why);
    if (options_.rewrite.strict) return absl::FailedPreconditionError(absl::StrCat("STR-2008 ", text));
    Say("STR-2008", absl::StrCat(text, ". Training goes on without a plan."));
    return std::nullopt;
  }

  static std::string Summary(const config::StrategyFile& strategy) {
    const double overhead =
        std::max(0.0, strategy.predicted_step_seconds() / strategy.baseline_step_seconds() - 1);
    std::string text =
        absl::StrFormat("a step takes %.2f %% more time than with everything kept, and %s of tensors", 100 * overhead,
                        config::FormatBytes(strategy.predicted_peak_bytes()));
    if (strategy.bound_seconds() > 0) {
      absl::StrAppend(&text,
                      absl::StrFormat("; no plan in its order is more than %.2f %% faster",
                                      100 * (strategy.predicted_step_seconds() / strategy.bound_seconds() - 1)));
    }
    return text;
  }

  absl::StatusOr<Made> MakeStep(std::optional<config::StrategyFile> strategy, const std::string& path,
                                const Graph& graph) const {
    if (!strategy.has_value()) return PlainStep(graph);
    rewrite::Strategies strategies;
    const std::string fingerprint = strategy->graph_fingerprint();
    strategies.by_fingerprint[fingerprint] = {path, std::make_shared<const config::StrategyFile>(*std::move(strategy))};
    const absl::StatusOr<rewrite::PlannedGraph> planned =
        rewrite::PlanGraph(strategies, options_.rewrite, graph, {device_, {}});
    if (!planned.ok()) return planned.status();
    if (planned->graph == nullptr) {
      std::error_code error;
      std::filesystem::remove(path, error);
      return PlainStep(graph);
    }
    absl::StatusOr<std::shared_ptr<const kernels::PlannedStep>> step =
        rewrite::MakePlannedStep(planned->name, *planned->graph, graph, functions_,
                                 std::make_shared<CachedPromise>(rewrite::Register(*planned), path),
                                 options_.rewrite.strict);
    if (!step.ok()) return step.status();
    return Made{*std::move(step)};
  }

  absl::StatusOr<Made> PlainStep(const Graph& graph) const {
    absl::StatusOr<std::shared_ptr<const kernels::PlannedStep>> step =
        rewrite::MakePlannedStep(absl::StrCat(name_, "_unplanned_", NextNumber()), graph, graph, functions_,
                                 std::make_shared<NoPromise>(), options_.rewrite.strict);
    if (!step.ok()) return step.status();
    return Made{*std::move(step)};
  }

  static int NextNumber() {
    static std::atomic<int> number = 0;
    return number++;
  }

  // Graphs of steps that ran once to be measured. An observer fills it, perhaps after this planner is gone.
  struct Captured {
    absl::Mutex mutex;
    std::map<std::string, config::GraphFile> by_fingerprint ABSL_GUARDED_BY(mutex);
  };

  AutomaticOptions options_;
  const std::string name_;
  const std::string device_;
  // Without fetching.
  const tensorflow::GraphDef graph_;
  // What it calls.
  const FunctionLibraryDefinition functions_;
  std::vector<int> sized_arguments_;
  bool draws_random_numbers_ = false;
  absl::Mutex mutex_;
  // By the first call of Make that ended with a step for all later runs.
  std::optional<Made> first_made_ ABSL_GUARDED_BY(mutex_);
  // Graphs that ran to be measured.
  std::set<std::string> observed_;
  const std::shared_ptr<Captured> captured_ = std::make_shared<Captured>();
};

}  // namespace

absl::Status PlanAutomatically(const AutomaticOptions& options, const std::string& name, const std::string& device,
                               std::unique_ptr<Graph>& graph) {
  static std::atomic<int> next = 0;
  const std::string step = absl::StrCat("automatic_", next++);
  const absl::StatusOr<std::unique_ptr<Graph>> inner = WithoutFetches(*graph);
  if (!inner.ok()) return inner.status();
  absl::StatusOr<std::unique_ptr<Graph>> outer = rewrite::MakeOuterGraph(step, kernels::kAutomaticStep, **inner);
  if (!outer.ok()) return outer.status();
  if (absl::Status status = AddFetches(*graph, **outer); !status.ok()) return status;
  const auto& functions = options.rewrite.functions != nullptr ? *options.rewrite.functions : graph->flib_def();
  kernels::AddStepMaker(step, std::make_shared<AutomaticPlanner>(options, name, device, **inner, functions));
  graph = *std::move(outer);
  return absl::OkStatus();
}

}  // namespace str::automatic
