#include "tf_plugin/kernels/swap_ops.h"

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"

namespace str::kernels {

// Stateful keeps TensorFlow from folding, merging or pruning them.
REGISTER_OP("StrSwapOut")
    .Input("tensor: T")
    .Output("host: variant")
    .Attr("T: type")
    .Attr("disk: bool = false")
    .Attr("host_pool_bytes: int = 0")
    .SetIsStateful()
    .SetShapeFn(tensorflow::shape_inference::ScalarShape);

REGISTER_OP("StrSwapOutWait")
    .Input("host: variant")
    .Input("tensor: T")
    .Attr("T: type")
    .SetIsStateful()
    .SetShapeFn(tensorflow::shape_inference::NoOutputs);

REGISTER_OP("StrSwapIn")
    .Input("host: variant")
    .Output("pending: variant")
    .Attr("T: type")
    .SetIsStateful()
    .SetShapeFn(tensorflow::shape_inference::ScalarShape);

REGISTER_OP("StrSwapInWait")
    .Input("pending: variant")
    .Output("tensor: T")
    .Attr("T: type")
    .SetIsStateful()
    .SetShapeFn(tensorflow::shape_inference::UnknownShape);

REGISTER_OP("StrHold")
    .Input("tensors: N * T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .SetIsStateful()
    .SetShapeFn(tensorflow::shape_inference::NoOutputs);

}  // namespace str::kernels
