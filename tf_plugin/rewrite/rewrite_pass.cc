#include "tf_plugin/rewrite/rewrite_pass.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/messages.h"
#include "tf_plugin/rewrite/graph_verifier.h"
#include "tf_plugin/rewrite/match.h"
#include "tf_plugin/rewrite/plan_observer.h"
#include "tf_plugin/rewrite/program_rewriter.h"

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

absl::Status RewriteCopy(const config::StrategyFile& strategy, Graph& copy, RewriteResult& result) {
  const graph::GraphView view = graph::MakeGraphView(copy);
  if (absl::Status status = ProgramRewriter(strategy, view, copy).Rewrite(result); !status.ok()) return status;
  if (absl::Status status = VerifyGraph(copy); !status.ok()) return status;
  return VerifyChain(result.nodes);
}

}  // namespace

absl::Status RewriteGraph(const Strategies& strategies, bool strict, std::unique_ptr<Graph>& graph,
                          const TierLimits& limits) {
  if (graph->num_op_nodes() < graph::kSmallestGraphNodes || device::IsMarked(*graph)) return absl::OkStatus();
  const bool training = graph::IsTrainingGraph(*graph);
  if (strategies.by_fingerprint.empty()) {
    return strict && training ? strategies.error : absl::OkStatus();
  }
  const graph::GraphView view = graph::MakeGraphView(*graph);
  const auto found = strategies.by_fingerprint.find(view.fingerprint);
  if (found == strategies.by_fingerprint.end()) {
    return training ? RefuseAll(strategies, view, strict) : absl::OkStatus();
  }
  const auto& [path, strategy] = found->second;
  if (absl::Status status = MatchStrategy(*strategy, view); !status.ok()) {
    return Refuse(absl::StrCat(path, " not used: ", status.message()), strict);
  }
  if (std::string reason = graph::WhyNotPlannable(*graph); !reason.empty()) {
    return Refuse(absl::StrCat(path, " not used: ", reason), strict);
  }

  if (absl::Status status = CheckTiers(FindTierNeeds(*strategy, view), limits); !status.ok()) {
    return Refuse(absl::StrCat(path, " not used: ", status.message()), strict, "STR-2005");
  }

  auto copy = std::make_unique<Graph>(graph->flib_def());
  copy->Copy(*graph);
  RewriteResult result;
  if (absl::Status status = RewriteCopy(*strategy, *copy, result); !status.ok()) {
    return Refuse(absl::StrCat(path, " not used: ", status.message()), strict);
  }
  for (const std::string& refusal : result.refusals) SayOnce("STR-2004", absl::StrCat(path, ": refused ", refusal));

  for (size_t i = 0; i < result.nodes.size(); ++i) {
    if (result.nodes[i] != nullptr) device::MarkNode(result.nodes[i], view.fingerprint, static_cast<int>(i));
  }
  device::SetObserver(view.fingerprint, std::make_shared<PlanObserver>(strategy, result));
  graph = std::move(copy);
  return absl::OkStatus();
}

}  // namespace str::rewrite
