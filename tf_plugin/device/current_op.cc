#include "tf_plugin/device/current_op.h"

namespace str::device {
namespace {

thread_local OpRecord* current_op = nullptr;

}  // namespace

OpRecord* CurrentOp() { return current_op; }

OpScope::OpScope(OpRecord* record) : outer_(current_op) { current_op = record; }
OpScope::~OpScope() { current_op = outer_; }

}  // namespace str::device
