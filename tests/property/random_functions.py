"""Runs random training steps, each a tf.function of its own, and writes what they computed.

    python random_functions.py --seed=7 --functions=200 [--executor-threads=1] --json=FILE

The same seed makes the same functions in every process, but TensorFlow computes the same bits each time only with one
executor thread: an AddN of three or more starts to sum with an input whose buffer it may take over, and with several
threads it depends on their pace which one that is. Knows nothing of STR.
"""

import argparse
import hashlib
import json
import random
import time

import numpy as np
import tensorflow as tf
from control_flow_layers import KINDS as CONTROL_FLOW_KINDS
from control_flow_layers import control_flow_layer

_CALLS = 4
# Of the layers, with a loop or a conditional. They take longest to trace.
_CONTROL_FLOW_SHARE = 0.1


def _layer(rng, x, variables, statistics):
    """One random layer on a [batch, width] tensor."""
    width = x.shape[1]
    if rng.random() < _CONTROL_FLOW_SHARE:
        return control_flow_layer(rng.choice(CONTROL_FLOW_KINDS), rng, width, variables), width
    kind = rng.choice(
        ["dense", "relu", "tanh", "softmax", "scale", "dropout", "normalize", "reshape", "split", "convolve", "gate"]
    )
    if kind == "dense":
        new_width = rng.choice([64, 96, 160, 256])
        weights = tf.Variable(np.float32(rng.random()) * tf.ones([width, new_width]) / width)
        bias = tf.Variable(tf.zeros([new_width]))
        variables += [weights, bias]
        return lambda h: tf.nn.bias_add(tf.matmul(h, weights), bias), new_width
    if kind == "relu":
        return tf.nn.relu, width
    if kind == "tanh":
        return tf.tanh, width
    if kind == "softmax":
        return tf.nn.softmax, width
    if kind == "scale":
        weight = tf.Variable(tf.ones([width]))
        variables.append(weight)
        return lambda h: h * weight + 0.5, width
    if kind == "dropout":
        seed = [rng.randrange(1000), rng.randrange(1000)]
        return lambda h: tf.nn.experimental.stateless_dropout(h, 0.3, seed=seed), width
    if kind == "normalize":
        mean = tf.Variable(tf.zeros([width]))
        statistics.append(mean)

        def normalize(h):
            batch_mean = tf.reduce_mean(h, axis=0)
            mean.assign(0.9 * mean + 0.1 * batch_mean)
            return (h - batch_mean) * tf.math.rsqrt(tf.math.reduce_variance(h, axis=0) + 1e-3)

        return normalize, width
    if kind == "reshape":
        return lambda h: tf.reshape(tf.square(tf.reshape(h, [-1])), [-1, width]), width
    if kind == "split":
        return lambda h: tf.concat(tf.split(h, 2, axis=1)[::-1], axis=1), width
    if kind == "gate":
        return lambda h: tf.where(h > 0, h, tf.exp(tf.minimum(h, 0.0)) - 1.0), width
    kernel = tf.Variable(tf.ones([3, 3, 1, 4]) / 9)
    variables.append(kernel)

    def convolve(h):
        image = tf.reshape(h, [-1, 8, width // 8, 1])
        return tf.reshape(tf.reduce_mean(tf.nn.conv2d(image, kernel, 1, "SAME"), axis=3), [-1, width])

    return convolve, width


def make_function(seed):
    """Returns (step, variables): step() trains once and returns the loss and some of the tensors on the way."""
    rng = random.Random(seed)
    batch = rng.choice([64, 128, 192, 256])
    width = rng.choice([64, 96, 160, 256])
    data = tf.constant(np.random.RandomState(seed).standard_normal([batch, width]).astype(np.float32))
    variables, statistics, layers = [], [], []
    first = tf.Variable(tf.eye(width))
    variables.append(first)
    shape = tf.TensorSpec([batch, width])
    for _ in range(rng.randint(3, 9)):
        layer, width = _layer(rng, shape, variables, statistics)
        layers.append((layer, rng.random()))
        shape = tf.TensorSpec([batch, width])
    momentum = [tf.Variable(tf.zeros_like(v)) for v in variables] if rng.random() < 0.3 else None

    @tf.function(autograph=False)
    def step(x):
        with tf.GradientTape() as tape:
            h = tf.matmul(x, first)
            earlier = [h]
            for layer, dice in layers:
                h = layer(h)
                # Skip connections: a tensor with uses far apart.
                if dice < 0.4 and earlier[0].shape == h.shape:
                    h = h + earlier[0]
                earlier.insert(rng.randrange(len(earlier) + 1), h)
            loss = tf.reduce_mean(tf.square(h))
        gradients = tape.gradient(loss, variables)
        for i, (variable, gradient) in enumerate(zip(variables, gradients)):
            if gradient is None:
                continue
            if momentum:
                momentum[i].assign(0.9 * momentum[i] + gradient)
                variable.assign_sub(0.01 * momentum[i])
            else:
                variable.assign_sub(0.01 * gradient)
        return loss, h

    return (lambda: step(data)), variables + statistics + (momentum or [])


def settled_bytes_in_use(before):
    """Device bytes in use; a copy that nobody waits for may still hold a buffer for a moment. None: not known."""
    for _ in range(100):
        try:
            now = tf.config.experimental.get_memory_info("CPU:0")["current"]
        except ValueError:
            return None
        if before is None or now <= before:
            break
        time.sleep(0.01)
    return now


def run(seed, functions):
    tf.config.experimental.enable_op_determinism()
    tf.keras.utils.set_random_seed(seed)
    results = []
    for i in range(functions):
        step, variables = make_function(seed * 1_000_003 + i)
        digest = hashlib.sha256()
        in_use = []
        for _ in range(_CALLS):
            for tensor in step():
                digest.update(tensor.numpy().tobytes())
            in_use.append(settled_bytes_in_use(in_use[-1] if len(in_use) > 1 else None))
        for variable in variables:
            digest.update(variable.numpy().tobytes())
        results.append({"sha256": digest.hexdigest(), "bytes_in_use": in_use})
        del step, variables
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--functions", type=int, required=True)
    parser.add_argument("--executor-threads", type=int, default=0, help="0: as many as TensorFlow likes")
    parser.add_argument("--json", required=True)
    options = parser.parse_args()
    tf.config.threading.set_inter_op_parallelism_threads(options.executor_threads)
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(run(options.seed, options.functions), file)


if __name__ == "__main__":
    main()
