#include "tests/fake_gpu/host_kernels/op_rules.h"

#include "gtest/gtest.h"
#include "tensorflow/core/framework/op.h"

namespace str::fake_gpu {
namespace {

bool Computes(const std::string& name, std::initializer_list<const char*> host_arguments = {},
              tensorflow::DataType type = tensorflow::DT_FLOAT) {
  const tensorflow::OpDef* op = nullptr;
  EXPECT_TRUE(tensorflow::OpRegistry::Global()->LookUpOpDef(name, &op).ok()) << name;
  tensorflow::KernelDef kernel;
  kernel.set_op(name);
  kernel.set_device_type("GPU");
  for (const char* const argument : host_arguments) kernel.add_host_memory_arg(argument);
  tensorflow::KernelDef::AttrConstraint* const constraint = kernel.add_constraint();
  constraint->set_name("T");
  constraint->mutable_allowed_values()->mutable_list()->add_type(type);
  return ComputesOnDevice(kernel, *op);
}

TEST(OpRulesTest, OpsThatComputeOnTheDevice) {
  for (const char* const op :
       {"Conv2D", "MatMul", "Mul", "FusedBatchNormV3", "StatelessRandomUniformV2", "RandomUniform", "Transpose",
        "AssignSubVariableOp", "ResourceApplyAdam", "ResourceGather"}) {
    EXPECT_TRUE(Computes(op)) << op;
  }
}

TEST(OpRulesTest, OpsThatOnlyHandTensorsOn) {
  for (const char* const op : {"Identity", "Reshape", "Switch", "ReadVariableOp", "VarHandleOp", "_Send", "Const",
                               "StatefulPartitionedCall", "CollectiveReduceV2", "AssignVariableOp"}) {
    EXPECT_FALSE(Computes(op)) << op;
  }
}

TEST(OpRulesTest, KernelsThatComputeOnTheHost) {
  EXPECT_FALSE(Computes("Mul", {"x", "y", "z"}, tensorflow::DT_INT32));
  EXPECT_TRUE(Computes("Transpose", {"perm"})) << "an input in host memory is no reason";
  EXPECT_FALSE(Computes("AddN", {}, tensorflow::DT_VARIANT)) << "a variant has no bytes on the device";
}

TEST(OpRulesTest, OutputsTakeTheMemoryOfInputs) {
  EXPECT_EQ(ReusableInputs("Relu", 0, 1), std::vector<int>{0});
  EXPECT_EQ(ReusableInputs("AddV2", 0, 2), (std::vector<int>{0, 1}));
  EXPECT_EQ(ReusableInputs("AddN", 0, 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(ReusableInputs("SparseSoftmaxCrossEntropyWithLogits", 0, 2), std::vector<int>{});
  EXPECT_EQ(ReusableInputs("SparseSoftmaxCrossEntropyWithLogits", 1, 2), std::vector<int>{0});
  EXPECT_EQ(ReusableInputs("FusedBatchNormV3", 1, 5), std::vector<int>{});
  EXPECT_EQ(ReusableInputs("Conv2D", 0, 2), std::vector<int>{});
}

}  // namespace
}  // namespace str::fake_gpu
