#include "tf_plugin/graph/xla_calls.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/function.pb.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tf_plugin/graph/op_facts.h"

namespace str::graph {
namespace {

using tensorflow::FunctionDef;
using tensorflow::FunctionLibraryDefinition;
using tensorflow::Node;

bool IsSet(const google::protobuf::Map<std::string, tensorflow::AttrValue>& attributes) {
  const auto found = attributes.find(kXlaAttr);
  return found != attributes.end() && found->second.b();
}

// The function and all that it calls, each once; `name` alone if the library has no such function.
std::set<std::string> WithAllCalled(const std::string& name, const FunctionLibraryDefinition& library) {
  std::set<std::string> names = {name};
  if (const FunctionDef* const function = library.Find(name); function != nullptr) {
    for (const std::string& called : library.ReachableDefinitions(*function).ListFunctionNames()) names.insert(called);
  }
  return names;
}

bool IsTraining(const std::string& name, const FunctionLibraryDefinition& library) {
  bool updates = false, gradients = false;
  for (const std::string& part : WithAllCalled(name, library)) {
    const FunctionDef* const function = library.Find(part);
    if (function == nullptr) continue;
    for (const tensorflow::NodeDef& node : function->node_def()) {
      updates |= ChangesVariable(node.op());
      gradients |= IsOfGradients(node.op(), node.name());
    }
  }
  return updates && gradients;
}

bool IsForXla(const Node& node, const FunctionLibraryDefinition& library) {
  bool must = false;
  if (tensorflow::TryGetNodeAttr(node.attrs(), kXlaAttr, &must) && must) return true;
  const FunctionDef* const function = library.Find(CalledFunction(node));
  return function != nullptr && IsSet(function->attr());
}

absl::Status TakeFunctionFromXla(const std::string& name, FunctionLibraryDefinition& library) {
  const FunctionDef* const function = library.Find(name);
  if (function == nullptr) return absl::OkStatus();
  FunctionDef plain = *function;
  bool changed = plain.mutable_attr()->erase(kXlaAttr) > 0;
  for (tensorflow::NodeDef& node : *plain.mutable_node_def()) {
    changed |= node.mutable_attr()->erase(kXlaAttr) > 0;
    const auto called = node.mutable_attr()->find("f");
    if (called != node.mutable_attr()->end() && called->second.has_func()) {
      changed |= called->second.mutable_func()->mutable_attr()->erase(kXlaAttr) > 0;
    }
  }
  return changed ? library.ReplaceFunction(name, plain) : absl::OkStatus();
}

}  // namespace

std::string CalledFunction(const Node& call) {
  tensorflow::NameAttrList function;
  return tensorflow::GetNodeAttr(call.attrs(), "f", &function).ok() ? function.name() : call.type_string();
}

std::vector<Node*> TrainingCallsForXla(const tensorflow::Graph& graph, const FunctionLibraryDefinition& library) {
  std::vector<Node*> calls;
  for (Node* node : graph.op_nodes()) {
    if (IsForXla(*node, library) && IsTraining(CalledFunction(*node), library)) calls.push_back(node);
  }
  return calls;
}

absl::Status TakeFromXla(Node& call, FunctionLibraryDefinition& library) {
  const std::set<std::string> names = WithAllCalled(CalledFunction(call), library);
  // A replacement that fails loses the function: tried on a copy first.
  FunctionLibraryDefinition trial(library);
  for (const std::string& name : names) {
    if (absl::Status status = TakeFunctionFromXla(name, trial); !status.ok()) return status;
  }
  call.ClearAttr(kXlaAttr);
  tensorflow::NameAttrList function;
  if (tensorflow::GetNodeAttr(call.attrs(), "f", &function).ok() && function.mutable_attr()->erase(kXlaAttr) > 0) {
    call.ClearAttr("f");
    call.AddAttr("f", function);
  }
  for (const std::string& name : names) {
    if (absl::Status status = TakeFunctionFromXla(name, library); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> SettleXla(tensorflow::Graph& graph, FunctionLibraryDefinition& library,
                                                   const XlaChoice& choice) {
  std::vector<std::string> texts;
  for (Node* call : TrainingCallsForXla(graph, library)) {
    const std::string function = CalledFunction(*call);
    if (choice.keep) {
      texts.push_back(
          absl::StrCat(function, " is compiled by XLA (STR_XLA=keep): the step cannot be captured or planned"));
      continue;
    }
    const absl::Status status = TakeFromXla(*call, library);
    if (status.ok()) {
      texts.push_back(absl::StrCat(function,
                                   " runs without XLA, as with jit_compile=False: what XLA compiles cannot be captured "
                                   "or planned. STR_XLA=keep leaves it to XLA"));
      continue;
    }
    const std::string text = absl::StrCat(function, " cannot be taken from XLA: ", status.message());
    if (choice.strict) return absl::FailedPreconditionError(text);
    texts.push_back(absl::StrCat(text, ". What XLA compiles cannot be captured or planned; training goes on as it is"));
  }
  return texts;
}

}  // namespace str::graph
