#include "optimizer/testing/graph_builder.h"

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace str::optimizer {

GraphBuilder::GraphBuilder(int64_t external_bytes, int64_t granule_bytes) {
  file_.set_format_version(1);
  file_.set_name("test");
  file_.set_fingerprint("0123456789abcdef");
  file_.set_tensorflow_version("2.21.0");
  file_.set_device("CPU:0");
  file_.set_steps_measured(1);
  file_.set_external_bytes(external_bytes);
  file_.set_allocation_granule_bytes(granule_bytes);
  file_.set_copy_out_bytes_per_second(1000000000);
  file_.set_copy_in_bytes_per_second(1000000000);
}

config::Node* GraphBuilder::Add(const std::string& name, const std::vector<std::string>& inputs,
                                const std::vector<int64_t>& output_bytes, int64_t time_ns) {
  config::Node* node = file_.add_node();
  node->set_name(name);
  node->set_op("Test");
  node->set_time_ns(time_ns);
  for (const std::string& input : inputs) node->add_input(input);
  for (int64_t bytes : output_bytes) {
    config::Output* output = node->add_output();
    output->set_dtype("uint8");
    output->set_known_rank(true);
    output->add_dim(bytes);
    output->set_bytes(bytes);
  }
  return node;
}

config::Node* GraphBuilder::AddArgument(const std::string& name, int64_t bytes) {
  config::Node* node = Add(name, {}, {bytes}, 0);
  node->set_op("_Arg");
  node->set_recompute(config::RECOMPUTE_EXTERNAL);
  node->mutable_output(0)->set_external(true);
  return node;
}

config::Node* GraphBuilder::AddResult(const std::string& name, const std::string& input) {
  config::Node* node = Add(name, {input}, {}, 0);
  node->set_op("_Retval");
  node->set_recompute(config::RECOMPUTE_EXTERNAL);
  return node;
}

config::Node* GraphBuilder::AddRead(const std::string& name, const std::string& variable, int64_t bytes) {
  config::Node* node = Add(name, {absl::StrCat(variable, ":0")}, {bytes});
  node->set_op("ReadVariableOp");
  node->set_recompute(config::RECOMPUTE_READS_VARIABLE);
  node->set_variable(variable);
  node->set_variable_use(config::VARIABLE_READ);
  node->mutable_output(0)->set_external(true);
  return node;
}

config::Node* GraphBuilder::AddUpdate(const std::string& name, const std::string& variable, const std::string& value) {
  config::Node* node = Add(name, {absl::StrCat(variable, ":0"), value}, {});
  node->set_op("AssignSubVariableOp");
  node->set_recompute(config::RECOMPUTE_ASSIGNS_VARIABLE);
  node->set_variable(variable);
  node->set_variable_use(config::VARIABLE_UPDATE);
  return node;
}

config::Node* GraphBuilder::AddReplace(const std::string& name, const std::string& variable, const std::string& value) {
  config::Node* node = AddUpdate(name, variable, value);
  node->set_op("AssignVariableOp");
  node->set_variable_use(config::VARIABLE_REPLACE);
  return node;
}

config::Node* GraphBuilder::AddView(const std::string& name, const std::string& input, int64_t bytes) {
  config::Node* node = Add(name, {input}, {bytes}, 0);
  node->set_op("Reshape");
  node->mutable_output(0)->set_view_of_input_plus1(1);
  return node;
}

Graph GraphBuilder::Build() const {
  absl::StatusOr<Graph> graph = Graph::FromFile(file_);
  CHECK(graph.ok()) << graph.status();
  return *std::move(graph);
}

}  // namespace str::optimizer
