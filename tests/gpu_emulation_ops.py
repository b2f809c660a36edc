"""Single ops on the emulated GPU, also with channels first, beside the same ops on the CPU with channels last.

    ./str python --emulated-gpu tests/gpu_emulation_ops.py --json=FILE
"""

import argparse
import json

from gpu_counts import EmulatedGpu
from gpu_emulation_models import np, tf

RANDOM = np.random.default_rng(3)


def values(*shape):
    return RANDOM.standard_normal(shape).astype("f")


def dims(list_of_four, layout):
    """A list with an entry per dimension, given with channels last, in the layout."""
    n, h, w, c = list_of_four
    return [n, c, h, w] if layout == "NCHW" else [n, h, w, c]


def batch_norm(x, scale, offset, layout):
    return tf.compat.v1.nn.fused_batch_norm(x, scale, offset, data_format=layout)[0]


# Each takes the images, in the layout, and parameters.
OPS = {
    "Conv2D": (
        lambda x, w, layout: tf.nn.conv2d(x, w, dims([1, 2, 1, 1], layout), "SAME", data_format=layout),
        [values(3, 3, 4, 5)],
    ),
    "Conv2D with paddings": (
        lambda x, w, layout: tf.nn.conv2d(
            x, w, 1, dims([[0, 0], [1, 2], [0, 1], [0, 0]], layout), data_format=layout
        ),
        [values(3, 3, 4, 5)],
    ),
    "DepthwiseConv2dNative": (
        lambda x, w, layout: tf.nn.depthwise_conv2d(x, w, dims([1, 2, 2, 1], layout), "SAME", data_format=layout),
        [values(3, 3, 4, 2)],
    ),
    "MaxPool": (lambda x, layout: tf.nn.max_pool2d(x, [2, 3], [2, 1], "VALID", data_format=layout), []),
    "AvgPool": (lambda x, layout: tf.nn.avg_pool2d(x, [2, 3], [2, 1], "SAME", data_format=layout), []),
    "BiasAdd": (lambda x, b, layout: tf.nn.bias_add(x, b, data_format=layout), [values(4)]),
    "FusedBatchNormV3": (batch_norm, [values(4), values(4)]),
}


def value_and_gradients(op, images, parameters, layout, device):
    """All with channels last, as bytes."""
    last = [0, 2, 3, 1]
    with tf.device(device):
        x = tf.constant(images if layout == "NHWC" else images.transpose(0, 3, 1, 2))
        rest = [tf.constant(parameter) for parameter in parameters]
        with tf.GradientTape() as tape:
            tape.watch([x, *rest])
            y = op(x, *rest, layout)
        upstream = np.random.default_rng(4).standard_normal(
            y.shape if layout == "NHWC" else [y.shape[i] for i in last]
        ).astype("f")
        if layout == "NCHW":
            upstream = upstream.transpose(0, 3, 1, 2)
        gradients = tape.gradient(y, [x, *rest], tf.constant(upstream))
    results = [y, *gradients]
    if layout == "NCHW":
        results[:2] = [tensor.numpy().transpose(last) for tensor in results[:2]]
    return [np.ascontiguousarray(result).tobytes() for result in results]


def apply_adam():
    """An optimizer step that is one op with three variables; a reader of one of them keeps the old value."""
    weights, mean, variance = (tf.Variable(values) for values in np.linspace(0.1, 1, 30).astype("f").reshape(3, 10))
    old = weights.read_value()
    tf.raw_ops.ResourceApplyAdam(
        var=weights.handle,
        m=mean.handle,
        v=variance.handle,
        **{"beta1_power": 0.9, "beta2_power": 0.99, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-7},
        grad=np.linspace(-1, 1, 10).astype("f"),
    )
    return [old, weights, mean, variance]


def scatter_and_gather():
    table = tf.Variable(np.arange(20, dtype="f").reshape(10, 2))
    table.scatter_add(tf.IndexedSlices(np.ones((3, 2), "f"), [1, 1, 7]))
    return [table, tf.gather(table, [7, 1, 1])]


FACTS = np.arange(12, dtype="f").reshape(3, 4)

# Where shapes depend on values, where variables change, where sums run along dimensions.
OTHERS = {
    "Where": lambda: [tf.where(tf.constant(FACTS) % 3 > 1), tf.boolean_mask(tf.constant(FACTS), [True, False, True])],
    "Unique": lambda: [tf.unique(tf.constant([3, 1, 3, 2, 1], tf.int64)).y],
    "ResourceApplyAdam": apply_adam,
    "ResourceScatterAdd, ResourceGather": scatter_and_gather,
    "StatelessRandom": lambda: [tf.random.stateless_normal([5], [1, 2]), tf.random.stateless_uniform([5], [3, 4])],
    "Reductions": lambda: [tf.reduce_sum(FACTS, 0), tf.reduce_max(FACTS, 1), tf.argmax(FACTS, 1), tf.cumsum(FACTS, 1)],
    "Einsum": lambda: [tf.einsum("ab,cb->ac", tf.constant(FACTS), tf.constant(FACTS))],
    "AddN": lambda: [tf.add_n([tf.constant(FACTS) * scale for scale in (1.0, 0.1, 0.01, 0.001)])],
}


def results_on(device, op):
    with tf.device(device):
        return [np.ascontiguousarray(result.numpy()).tobytes() for result in op()]


def count_channels_first():
    """Convolutions with channels first in a training step that was written with channels last, when it runs."""
    graph = tf.Graph()
    with graph.as_default(), tf.device("/GPU:0"):
        x = tf.compat.v1.placeholder(tf.float32, [2, 9, 8, 4])
        w = tf.compat.v1.get_variable("w", initializer=values(3, 3, 4, 4), use_resource=True)
        gradients = tf.gradients(tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME")), [w])
        initialize = tf.compat.v1.global_variables_initializer()
    metadata = tf.compat.v1.RunMetadata()
    with tf.compat.v1.Session(graph=graph) as session:
        session.run(initialize)
        options = tf.compat.v1.RunOptions(output_partition_graphs=True)
        session.run(gradients, {x: values(2, 9, 8, 4)}, options=options, run_metadata=metadata)
    nodes = [node for partition in metadata.partition_graphs for node in partition.node]
    return sum(node.attr["data_format"].s == b"NCHW" for node in nodes if node.op.startswith("Conv2D"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", required=True)
    options = parser.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    gpu = EmulatedGpu()
    results = {"ops": {}}
    images = values(2, 9, 8, 4)
    for name, (op, parameters) in OPS.items():
        first = value_and_gradients(op, images, parameters, "NCHW", "/GPU:0")
        last = value_and_gradients(op, images, parameters, "NHWC", "/CPU:0")
        results["ops"][name] = {"equal": first == last, "results": len(first)}
    for name, op in OTHERS.items():
        on_gpu = results_on("/GPU:0", op)
        results["ops"][name] = {"equal": on_gpu == results_on("/CPU:0", op), "results": len(on_gpu)}
    results["converted_by_layout_optimizer"] = count_channels_first()
    results["counts"] = gpu.counts()
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
