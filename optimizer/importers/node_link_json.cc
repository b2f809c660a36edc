#include "optimizer/importers/node_link_json.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace str::optimizer {
namespace {

using google::protobuf::Value;

// The names that differ between the two kinds.
struct Dialect {
  absl::string_view id, cost, bytes, source, target;
  bool random_layered = false;
};
constexpr Dialect kTraining = {"id", "cost_cpu", "cost_ram", "source", "target", false};
constexpr Dialect kRandomLayered = {"name", "duration", "out_cost", "0", "1", true};

constexpr int64_t kMostParameterBytes = int64_t{1} << 62;

// From a node's id to its place in the order to run.
using Positions = absl::flat_hash_map<int64_t, int64_t>;

absl::Status ReadHead(const JsonFields& file, ImportedGraph* graph) {
  const absl::StatusOr<JsonFields> head = file.Object("graph");
  // Other writers leave it away or put something else there.
  if (!head.ok()) return absl::OkStatus();
  if (head->Has("name")) {
    const absl::StatusOr<std::string> name = head->Text("name");
    if (!name.ok()) return name.status();
    graph->name = *name;
  }
  if (head->Has("const_bytes")) {
    const absl::StatusOr<int64_t> bytes = head->Whole("const_bytes");
    if (!bytes.ok()) return bytes.status();
    graph->external_bytes = *bytes;
  }
  return absl::OkStatus();
}

absl::Status AddNode(const Value& value, const Dialect& dialect, double unit_seconds, int index, ImportedGraph* graph,
                     std::vector<int64_t>* ids) {
  const absl::StatusOr<JsonFields> fields = JsonFields::FromValue(value, absl::StrCat("node ", index));
  if (!fields.ok()) return fields.status();
  const absl::StatusOr<int64_t> id = fields->Whole(dialect.id);
  if (!id.ok()) return id.status();
  const absl::StatusOr<std::string> name = fields->Text("name");
  if (!name.ok()) return name.status();
  const absl::StatusOr<double> cost = fields->Amount(dialect.cost);
  if (!cost.ok()) return cost.status();
  const absl::StatusOr<int64_t> bytes = fields->Whole(dialect.bytes);
  if (!bytes.ok()) return bytes.status();
  ImportedNode node{*name, *cost * unit_seconds, *bytes, {}, true};
  if (dialect.random_layered) {
    const absl::StatusOr<int64_t> parameters = fields->Whole("param_cost");
    if (!parameters.ok()) return parameters.status();
    if (*parameters > kMostParameterBytes - graph->external_bytes) {
      return fields->Error("the parameters up to here exceed 62 bits of bytes");
    }
    graph->external_bytes += *parameters;
  } else {
    const absl::StatusOr<bool> backward = fields->Flag("backward");
    if (!backward.ok()) return backward.status();
    node.may_recompute = !*backward;
  }
  ids->push_back(*id);
  graph->nodes.push_back(std::move(node));
  return absl::OkStatus();
}

// The ids in the order to run.
absl::StatusOr<std::vector<int64_t>> FindOrder(const JsonFields& file, const Dialect& dialect,
                                               const std::vector<int64_t>& ids) {
  std::vector<int64_t> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) return file.Error(absl::StrCat("two nodes have the id ", *twice));
  if (!dialect.random_layered) return sorted;
  const absl::StatusOr<JsonFields> graph = file.Object("graph");
  if (!graph.ok()) return graph.status();
  const auto list = graph->List("order");
  if (!list.ok()) return list.status();
  std::vector<int64_t> order;
  for (const Value& value : (*list)->values()) {
    const absl::StatusOr<int64_t> id = WholeNumber(value, "an entry of \"order\"");
    if (!id.ok()) return graph->Error(id.status().message());
    order.push_back(*id);
  }
  std::vector<int64_t> listed = order;
  std::sort(listed.begin(), listed.end());
  if (listed != sorted) return graph->Error("\"order\" does not name every node once");
  return order;
}

absl::Status AddLinks(const JsonFields& file, const Dialect& dialect, const Positions& positions,
                      ImportedGraph* graph) {
  const auto links = file.List("links");
  if (!links.ok()) return links.status();
  for (int i = 0; i < (*links)->values_size(); ++i) {
    const absl::StatusOr<JsonFields> link = JsonFields::FromValue((*links)->values(i), absl::StrCat("link ", i));
    if (!link.ok()) return link.status();
    const absl::StatusOr<int64_t> source = link->Whole(dialect.source);
    if (!source.ok()) return source.status();
    const absl::StatusOr<int64_t> target = link->Whole(dialect.target);
    if (!target.ok()) return target.status();
    for (const int64_t id : {*source, *target}) {
      if (!positions.contains(id)) return link->Error(absl::StrCat("there is no node ", id));
    }
    const int64_t from = positions.at(*source), to = positions.at(*target);
    if (from >= to) {
      return link->Error(absl::StrCat("node ", *source, " does not come before node ", *target, ", which takes it"));
    }
    graph->nodes[to].inputs.push_back(from);
  }
  return absl::OkStatus();
}

}  // namespace

bool IsNodeLinkJson(const JsonFields& file) { return file.Has("nodes") && file.Has("links"); }

absl::StatusOr<ImportedGraph> ImportNodeLinkJson(const JsonFields& file, double unit_seconds) {
  ImportedGraph graph;
  if (absl::Status status = ReadHead(file, &graph); !status.ok()) return status;
  const auto nodes = file.List("nodes");
  if (!nodes.ok()) return nodes.status();
  bool random_layered = false;
  if ((*nodes)->values_size() > 0) {
    const absl::StatusOr<JsonFields> first = JsonFields::FromValue((*nodes)->values(0), "node 0");
    if (!first.ok()) return first.status();
    random_layered = first->Has("out_cost");
  }
  const Dialect& dialect = random_layered ? kRandomLayered : kTraining;
  std::vector<int64_t> ids;
  for (int i = 0; i < (*nodes)->values_size(); ++i) {
    absl::Status status = AddNode((*nodes)->values(i), dialect, unit_seconds, i, &graph, &ids);
    if (!status.ok()) return status;
  }
  const absl::StatusOr<std::vector<int64_t>> order = FindOrder(file, dialect, ids);
  if (!order.ok()) return order.status();
  Positions positions;
  for (size_t i = 0; i < order->size(); ++i) positions[(*order)[i]] = static_cast<int64_t>(i);
  std::vector<ImportedNode> ordered(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) ordered[positions.at(ids[i])] = std::move(graph.nodes[i]);
  graph.nodes = std::move(ordered);
  if (absl::Status status = AddLinks(file, dialect, positions, &graph); !status.ok()) return status;
  return graph;
}

}  // namespace str::optimizer
