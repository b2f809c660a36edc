#include "tf_plugin/rewrite/rewrite_pass.h"

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/device/device_memories.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/messages.h"
#include "tf_plugin/rewrite/graph_verifier.h"
#include "tf_plugin/rewrite/match.h"
#include "tf_plugin/rewrite/plan_observer.h"
#include "tf_plugin/rewrite/program_rewriter.h"
#include "tf_plugin/rewrite/small_differences.h"
#include "tf_plugin/rewrite/step_function.h"

namespace str::rewrite {
namespace {

using tensorflow::Graph;

// Says why a strategy is not used; an error only under STR_STRICT.
absl::Status Refuse(const std::string& text, bool strict, const std::string& code = "STR-2003") {
  if (strict) return absl::FailedPreconditionError(absl::StrCat(code, " ", text, " (STR_STRICT=1)"));
  SayOnce(code, absl::StrCat(text, ". Training goes on without it."));
  return absl::OkStatus();
}

// No strategy is for this graph: say of each what the first difference is.
absl::Status RefuseAll(const Strategies& strategies, const graph::GraphView& view, bool strict) {
  for (const auto& [fingerprint, entry] : strategies.by_fingerprint) {
    const absl::Status difference = MatchStrategy(*entry.strategy, view);
    if (absl::Status status =
            Refuse(absl::StrCat(entry.path, " does not fit this graph: ", difference.message()), strict);
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

// A strategy for a graph that differs from this one in small nodes only, as few as any; null if there is none.
// `differences` says which.
const Strategies::Entry* FindAlmost(const Strategies& strategies, const graph::GraphView& view,
                                    Strategies::Entry& adapted, std::string& differences) {
  std::optional<AdaptedStrategy> best;
  for (const auto& [fingerprint, entry] : strategies.by_fingerprint) {
    std::optional<AdaptedStrategy> almost = AdaptToSmallDifferences(*entry.strategy, view);
    if (!almost.has_value()) continue;
    if (best.has_value() && best->differing_nodes <= almost->differing_nodes) continue;
    best = std::move(almost);
    adapted.path = entry.path;
    differences =
        absl::StrCat(entry.path, " was made for fingerprint ", fingerprint, ", this graph is ", view.fingerprint,
                     ", which differs in ", best->differing_nodes, " small nodes, the first is '", best->first,
                     "'; it is used, and those nodes run unplanned");
  }
  if (!best.has_value()) return nullptr;
  adapted.strategy = std::make_shared<const config::StrategyFile>(std::move(best->strategy));
  return &adapted;
}

absl::Status RewriteCopy(const config::StrategyFile& strategy, const graph::Surroundings& surroundings, Graph& copy,
                         RewriteResult& result) {
  const graph::GraphView view = graph::MakeGraphView(copy, surroundings);
  if (absl::Status status = ProgramRewriter(strategy, view, copy).Rewrite(result); !status.ok()) return status;
  if (absl::Status status = VerifyGraph(copy); !status.ok()) return status;
  return VerifyChain(result.nodes);
}

// By result of the step: is it alive in every step?
std::vector<bool> AlwaysDelivered(const graph::GraphView& view) {
  std::vector<bool> always;
  for (const tensorflow::Node* result : graph::ResultsOf(view)) {
    always.push_back(!view.control_flow.may_be_dead[result->id()]);
  }
  return always;
}

// By result of the step: the tensor that it is.
std::vector<std::string> ResultNames(const graph::GraphView& view) {
  std::vector<std::string> names;
  for (const tensorflow::Node* result : graph::ResultsOf(view)) {
    const tensorflow::Edge* edge = nullptr;
    const bool found = result->input_edge(0, &edge).ok();
    names.push_back(found ? absl::StrCat(edge->src()->name(), ":", edge->src_output()) : "");
  }
  return names;
}

// The same graph may be instantiated several times in a process: each has its own counts.
std::string NameOfThisOne(const std::string& fingerprint) {
  static std::atomic<int> count = 0;
  return absl::StrCat(fingerprint, "_", count++);
}

// Too small to be a step, or rewritten already.
bool IsLeftAlone(const Graph& graph) {
  return graph.num_op_nodes() < graph::kSmallestGraphNodes || IsWrapped(graph) || device::IsMarked(graph);
}

bool IsHostDevice(const std::string& short_name) { return absl::StartsWith(short_name, tensorflow::DEVICE_CPU); }

}  // namespace

absl::StatusOr<PlannedGraph> PlanGraph(const Strategies& strategies, const RewriteOptions& options, const Graph& graph,
                                       const GraphPlace& place) {
  const bool training = graph::IsTrainingGraph(graph);
  PlannedGraph planned;
  // The result of a refusal: an unplanned graph, or an error if strict.
  const auto unplanned = [&](absl::Status status) -> absl::StatusOr<PlannedGraph> {
    if (!status.ok()) return status;
    return std::move(planned);
  };
  if (strategies.by_fingerprint.empty()) {
    return unplanned(options.strict && training ? strategies.error : absl::OkStatus());
  }
  const graph::GraphView view = graph::MakeGraphView(graph, place.surroundings);
  const auto found = strategies.by_fingerprint.find(view.fingerprint);
  Strategies::Entry adapted;
  const Strategies::Entry* entry = nullptr;
  if (found != strategies.by_fingerprint.end()) {
    entry = &found->second;
  } else if (training) {
    entry = FindAlmost(strategies, view, adapted, planned.differences);
    if (entry == nullptr) return unplanned(RefuseAll(strategies, view, options.strict));
  } else {
    return planned;
  }
  const std::shared_ptr<const config::StrategyFile>& strategy = entry->strategy;
  const auto refuse = [&](absl::string_view why, const std::string& code = "STR-2003") {
    return unplanned(Refuse(absl::StrCat(entry->path, " not used: ", why), options.strict, code));
  };
  if (entry != &adapted) {
    if (absl::Status status = MatchStrategy(*strategy, view); !status.ok()) return refuse(status.message());
  }
  if (!strategy->device().empty() && strategy->device() != place.device) {
    return refuse(absl::StrCat("made for ", strategy->device(), ", this graph runs on ", place.device));
  }
  if (std::string reason = graph::WhyNotPlannable(graph, place.surroundings); !reason.empty()) return refuse(reason);
  const TierNeeds needs = FindTierNeeds(*strategy, view);
  if (absl::Status status = CheckTiers(needs, options.limits); !status.ok()) {
    return refuse(status.message(), "STR-2005");
  }
  const bool on_host = IsHostDevice(place.device);
  if (needs.uses_disk && !on_host) return refuse("tensors of a GPU are not swapped to the disk", "STR-2005");

  auto copy = std::make_unique<Graph>(graph.flib_def());
  copy->Copy(graph);
  RewriteResult result;
  if (absl::Status status = RewriteCopy(*strategy, place.surroundings, *copy, result); !status.ok()) {
    return refuse(status.message());
  }
  for (const std::string& refusal : result.refusals) {
    SayOnce("STR-2004", absl::StrCat(entry->path, ": refused ", refusal));
  }

  planned.name = NameOfThisOne(view.fingerprint);
  for (size_t i = 0; i < result.nodes.size(); ++i) {
    if (result.nodes[i] != nullptr) device::MarkNode(result.nodes[i], planned.name, static_cast<int>(i));
  }
  PlanPromise promise;
  promise.strategy = strategy;
  promise.nodes = ProgramNodes(result.nodes, *copy);
  promise.always_delivered = AlwaysDelivered(view);
  promise.result_names = ResultNames(view);
  promise.device = place.device;
  // The host cannot read a GPU's values.
  if (options.verify && on_host) promise.tensors = std::make_unique<const ProgramTensors>(*strategy, view);
  promise.strict = options.strict;
  planned.observer = std::make_shared<PlanObserver>(std::move(promise), result);
  planned.path = entry->path;
  planned.graph = std::move(copy);
  return planned;
}

std::shared_ptr<kernels::StepGuard> Register(const PlannedGraph& planned) {
  device::SetObserver(planned.name, planned.observer);
  const auto remove = [observer = planned.observer, name = planned.name](kernels::StepGuard*) {
    device::RemoveObserver(name);
  };
  return std::shared_ptr<kernels::StepGuard>(planned.observer.get(), remove);
}

absl::Status PutInPlace(const PlannedGraph& planned, const RewriteOptions& options, std::unique_ptr<Graph>& graph) {
  const auto& functions = options.functions != nullptr ? *options.functions : graph->flib_def();
  std::shared_ptr<kernels::StepGuard> guard = Register(planned);
  if (absl::Status status = WrapStep(planned.name, *planned.graph, functions, std::move(guard), options.strict, graph);
      !status.ok()) {
    return Refuse(absl::StrCat(planned.path, " not used: ", status.message()), options.strict);
  }
  if (!planned.differences.empty()) SayOnce("STR-3006", planned.differences);
  return absl::OkStatus();
}

absl::Status RewriteGraph(const Strategies& strategies, const RewriteOptions& options, std::unique_ptr<Graph>& graph) {
  if (IsLeftAlone(*graph)) return absl::OkStatus();
  const absl::StatusOr<PlannedGraph> planned = PlanGraph(strategies, options, *graph);
  if (!planned.ok() || planned->graph == nullptr) return planned.status();
  return PutInPlace(*planned, options, graph);
}

absl::Status RewritePartitions(const Strategies& strategies, const RewriteOptions& options,
                               PartitionGraphs& partitions) {
  graph::Partitions step;
  for (const auto& [device, graph] : partitions) step[device] = graph.get();
  // What would run, and the plans in it.
  graph::Partitions rewritten = step;
  std::map<std::string, PlannedGraph> plans;
  for (const auto& [device, graph] : step) {
    if (IsLeftAlone(*graph)) continue;
    const GraphPlace place = {device::ShortDeviceName(device), graph::SurroundingsOf(step, device)};
    absl::StatusOr<PlannedGraph> planned = PlanGraph(strategies, options, *graph, place);
    if (!planned.ok()) return planned.status();
    if (planned->graph == nullptr) continue;
    if (std::string reason = device::WhyNotObserved(place.device); !reason.empty()) {
      absl::Status status = Refuse(absl::StrCat(planned->path, " not used: ", reason), options.strict);
      if (!status.ok()) return status;
      continue;
    }
    rewritten[device] = planned->graph.get();
    plans.emplace(device, *std::move(planned));
  }
  if (plans.empty()) return absl::OkStatus();
  if (absl::Status status = graph::VerifyUnion(rewritten); !status.ok()) {
    std::vector<std::string> paths;
    for (const auto& [device, planned] : plans) paths.push_back(planned.path);
    return Refuse(absl::StrCat(absl::StrJoin(paths, ", "), " not used: ", status.message()), options.strict);
  }
  for (const auto& [device, planned] : plans) {
    if (absl::Status status = PutInPlace(planned, options, partitions.at(device)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace str::rewrite
