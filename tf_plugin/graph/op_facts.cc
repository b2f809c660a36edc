#include "tf_plugin/graph/op_facts.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "tensorflow/core/framework/types.h"

namespace str::graph {
namespace {

using tensorflow::DataType;
using tensorflow::Node;

using Names = absl::flat_hash_set<std::string>;

bool IsInputOutput(const std::string& op) {
  static const auto* const kParts = new std::vector<std::string>(
      {"Iterator", "Dataset", "Reader", "ReadFile", "WriteFile", "Save", "Restore", "Print", "Summary", "PyFunc",
       "Optional", "Queue", "_Send", "_Recv", "_HostSend", "_HostRecv", "InfeedEnqueue", "OutfeedDequeue"});
  return std::any_of(kParts->begin(), kParts->end(),
                     [&](const std::string& part) { return absl::StrContains(op, part); });
}

bool IsCollective(const std::string& op) {
  return absl::StrContains(op, "Collective") || absl::StrContains(op, "Nccl");
}

bool IsHandle(DataType type) {
  return type == tensorflow::DT_RESOURCE || type == tensorflow::DT_VARIANT || tensorflow::IsRefType(type);
}

bool HasHandle(const Node& node) {
  return std::any_of(node.input_types().begin(), node.input_types().end(), IsHandle) ||
         std::any_of(node.output_types().begin(), node.output_types().end(), IsHandle);
}

// For an op whose first input is a resource.
config::VariableUse UseOfOp(const std::string& op) {
  if (op == "ReadVariableOp") return config::VARIABLE_READ;
  if (op == "AssignVariableOp") return config::VARIABLE_REPLACE;
  if (op == "AssignAddVariableOp" || op == "AssignSubVariableOp" || absl::StartsWith(op, "ResourceApply") ||
      absl::StartsWith(op, "ResourceScatter") || absl::StartsWith(op, "ResourceSparseApply")) {
    return config::VARIABLE_UPDATE;
  }
  return config::VARIABLE_NONE;
}

}  // namespace

bool IsRandom(const std::string& op) {
  // Stateless random ops compute their numbers from a key and a counter that they are given: running them again gives
  // the same numbers.
  if (absl::StartsWith(op, "Stateless")) return false;
  return absl::StrContains(op, "Random") || absl::StrContains(op, "Multinomial") ||
         op == "ParameterizedTruncatedNormal";
}

config::VariableUse VariableUseOf(const Node& node) {
  if (node.num_inputs() == 0 || node.input_type(0) != tensorflow::DT_RESOURCE) return config::VARIABLE_NONE;
  return UseOfOp(node.type_string());
}

bool ChangesVariable(const std::string& op) {
  const config::VariableUse use = UseOfOp(op);
  return use == config::VARIABLE_UPDATE || use == config::VARIABLE_REPLACE;
}

bool IsOfGradients(const std::string& op, const std::string& name) {
  return absl::StrContains(op, "Grad") || absl::StrContains(op, "Backprop") || absl::StrContains(name, "gradient_tape");
}

const Node* VariableOf(const Node& node) {
  if (VariableUseOf(node) == config::VARIABLE_NONE) return nullptr;
  const Node* holder = nullptr;
  if (!node.input_node(0, &holder).ok()) return nullptr;
  while (holder->IsIdentity()) {
    const Node* next = nullptr;
    if (!holder->input_node(0, &next).ok()) break;
    holder = next;
  }
  return holder;
}

config::Recompute RecomputeOf(const Node& node) {
  const std::string& op = node.type_string();
  if (node.IsArg() || node.IsRetval() || node.IsConstant()) return config::RECOMPUTE_EXTERNAL;
  switch (VariableUseOf(node)) {
    case config::VARIABLE_READ:
      return config::RECOMPUTE_READS_VARIABLE;
    case config::VARIABLE_UPDATE:
    case config::VARIABLE_REPLACE:
      return config::RECOMPUTE_ASSIGNS_VARIABLE;
    default:
      break;
  }
  if (IsCollective(op)) return config::RECOMPUTE_COLLECTIVE;
  if (IsRandom(op)) return config::RECOMPUTE_RANDOM;
  if (IsInputOutput(op)) return config::RECOMPUTE_INPUT_OUTPUT;
  // What a called function does is not seen from here.
  if (node.IsFunctionCall()) return config::RECOMPUTE_STATEFUL;
  if (node.op_def().is_stateful() || HasHandle(node)) return config::RECOMPUTE_STATEFUL;
  return config::RECOMPUTE_ALLOWED;
}

bool IsNeverComputed(const Node& node) {
  return node.type_string() == "NoOp" || node.IsConstant() || node.type_string() == "VarHandleOp";
}

bool IsView(const std::string& op) {
  static const Names* const kViews =
      new Names({"Identity", "IdentityN", "Reshape", "Squeeze", "ExpandDims", "StopGradient", "PreventGradient",
                 "EnsureShape", "Bitcast", "_MklNativeReshape"});
  return kViews->contains(op);
}

bool IsListOfSlices(const std::string& op) { return op == "TensorListFromTensor"; }

bool SumsInOrderOfBuffers(const std::string& op, int inputs) { return op == "AddN" && inputs > 2; }

std::vector<int> ForwardedInputs(const Node& node) {
  static const Names* const kFirst = new Names(
      {"Neg",        "Exp",        "Log",   "Log1p", "Expm1", "Sqrt",  "Rsqrt", "Square",  "Tanh",      "Sigmoid",
       "Reciprocal", "Abs",        "Sign",  "Erf",   "Relu",  "Relu6", "Elu",   "Selu",    "LeakyRelu", "BiasAdd",
       "Softmax",    "LogSoftmax", "Floor", "Ceil",  "Round", "Sin",   "Cos",   "Snapshot"});
  static const Names* const kBoth = new Names({"Add",
                                               "AddV2",
                                               "Sub",
                                               "Mul",
                                               "Div",
                                               "RealDiv",
                                               "DivNoNan",
                                               "MulNoNan",
                                               "Maximum",
                                               "Minimum",
                                               "SquaredDifference",
                                               "RsqrtGrad",
                                               "SqrtGrad",
                                               "TanhGrad",
                                               "SigmoidGrad",
                                               "InvGrad",
                                               "ReciprocalGrad",
                                               "ReluGrad",
                                               "Relu6Grad",
                                               "LeakyReluGrad"});
  const std::string& op = node.type_string();
  if (kFirst->contains(op)) return {0};
  if (kBoth->contains(op)) return {0, 1};
  if (op == "AddN") return SumsInOrderOfBuffers(op, node.num_inputs()) ? std::vector<int>{0} : std::vector<int>{0, 1};
  if (op == "SelectV2" || op == "Select") return {1, 2};
  return {};
}

}  // namespace str::graph
