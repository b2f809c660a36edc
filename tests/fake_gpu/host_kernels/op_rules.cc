#include "tests/fake_gpu/host_kernels/op_rules.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tensorflow/core/framework/types.h"

namespace str::fake_gpu {
namespace {

using tensorflow::DataType;
using tensorflow::KernelDef;
using tensorflow::OpDef;

// The words of a text, for good.
const std::set<std::string>& Words(absl::string_view text) {
  return *new std::set<std::string>(absl::StrSplit(text, ' '));
}

// They hand on tensors, look at shapes, or steer the executor: their kernels are the same on all devices.
bool HandsOn(const std::string& op) {
  static const std::set<std::string>& ops = Words(
      "Bitcast Const ControlTrigger Copy DebugIdentity DebugIdentityV2 DeepCopy Empty EnsureShape Enter "
      "Exit ExpandDims HostConst Identity IdentityN LoopCond Merge NextIteration NoOp ParallelConcat "
      "Placeholder PlaceholderV2 PreventGradient Rank RefEnter RefExit RefIdentity RefMerge "
      "RefNextIteration RefSwitch Reshape Shape ShapeN Size Snapshot Squeeze StopGradient Switch _Arg "
      "_ArrayToList _DeviceArg _DeviceRetval _EagerConst _ListToArray _ParallelConcatStart "
      "_ParallelConcatUpdate _Retval _SwitchN PlaceholderWithDefault");
  return ops.count(op) > 0;
}

const std::set<std::string>& VariableUpdates() {
  static const std::set<std::string>& ops = Words(
      "AssignAddVariableOp AssignSubVariableOp ResourceApplyAdaMax ResourceApplyAdadelta "
      "ResourceApplyAdagrad ResourceApplyAdagradV2 ResourceApplyAdam ResourceApplyAdamWithAmsgrad "
      "ResourceApplyAddSign ResourceApplyCenteredRMSProp ResourceApplyFtrl ResourceApplyFtrlV2 "
      "ResourceApplyGradientDescent ResourceApplyKerasMomentum ResourceApplyMomentum ResourceApplyPowerSign "
      "ResourceApplyRMSProp ResourceScatterAdd ResourceScatterDiv ResourceScatterMax ResourceScatterMin "
      "ResourceScatterMul ResourceScatterNdAdd ResourceScatterNdSub ResourceScatterNdUpdate "
      "ResourceScatterSub ResourceScatterUpdate ResourceSparseApplyAdagrad ResourceSparseApplyAdagradV2 "
      "ResourceSparseApplyKerasMomentum ResourceStridedSliceAssign");
  return ops;
}

bool ReadsVariable(const std::string& op) { return op == "ResourceGather" || op == "ResourceGatherNd"; }

bool IsRandom(const std::string& op) {
  return absl::StartsWith(op, "Random") || absl::StartsWith(op, "Truncated") || op == "Multinomial" ||
         op == "ParameterizedTruncatedNormal";
}

bool HasNoBytes(DataType type) {
  return type == tensorflow::DT_VARIANT || type == tensorflow::DT_STRING || type == tensorflow::DT_RESOURCE;
}

}  // namespace

bool UpdatesVariables(const std::string& op) { return VariableUpdates().count(op) > 0; }

bool ComputesOnDevice(const KernelDef& kernel, const OpDef& op) {
  const std::string& name = op.name();
  if (HandsOn(name)) return false;
  const bool knows_variables = UpdatesVariables(name) || ReadsVariable(name);
  // Others with a state have it on the device or in a container of their own: calls of functions, queues, collectives.
  if (op.is_stateful() && !knows_variables && !IsRandom(name)) return false;
  for (const KernelDef::AttrConstraint& constraint : kernel.constraint()) {
    for (const int type : constraint.allowed_values().list().type()) {
      if (HasNoBytes(static_cast<DataType>(type))) return false;
    }
  }
  const std::set<std::string> host(kernel.host_memory_arg().begin(), kernel.host_memory_arg().end());
  for (const OpDef::ArgDef& input : op.input_arg()) {
    if (input.is_ref() || (HasNoBytes(input.type()) && !(knows_variables && input.type() == tensorflow::DT_RESOURCE))) {
      return false;
    }
  }
  // Results in host memory are computed on the host.
  return std::none_of(op.output_arg().begin(), op.output_arg().end(), [&](const OpDef::ArgDef& output) {
    return output.is_ref() || HasNoBytes(output.type()) || host.count(output.name()) > 0;
  });
}

bool AddsToReusedInput(const std::string& op) { return op == "AddN"; }

std::vector<int> ReusableInputs(const std::string& op, int output, int num_inputs) {
  static const std::set<std::string>& first = Words(
      "Abs BiasAdd Ceil ClipByValue Cos Elu Erf Erfc Exp Expm1 Floor FusedBatchNorm FusedBatchNormGrad "
      "FusedBatchNormGradV2 FusedBatchNormGradV3 FusedBatchNormV2 FusedBatchNormV3 Inv LeakyRelu Log Log1p "
      "LogSoftmax LogicalNot Neg OnesLike Reciprocal Relu Relu6 Rint Round Rsqrt Selu Sigmoid Sign Sin "
      "Softmax Softplus Softsign Sqrt Square Tan Tanh ZerosLike");
  static const std::set<std::string>& first_or_second = Words(
      "Add AddV2 Div DivNoNan EluGrad FloorDiv FloorMod InvGrad LeakyReluGrad LogicalAnd LogicalOr Maximum "
      "Minimum Mod Mul MulNoNan Pow RealDiv ReciprocalGrad Relu6Grad ReluGrad RsqrtGrad SeluGrad "
      "SigmoidGrad SoftplusGrad SoftsignGrad SqrtGrad SquaredDifference Sub TanhGrad Xdivy Xlogy");
  if (AddsToReusedInput(op)) {
    std::vector<int> all(num_inputs);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  // The gradient takes the place of the logits.
  if (op == "SparseSoftmaxCrossEntropyWithLogits" || op == "SoftmaxCrossEntropyWithLogits") {
    return output == 1 ? std::vector<int>{0} : std::vector<int>{};
  }
  if (output != 0) return {};
  if (op == "SelectV2") return {1, 2};
  if (first.count(op) > 0) return {0};
  if (first_or_second.count(op) > 0) return {0, 1};
  return {};
}

}  // namespace str::fake_gpu
