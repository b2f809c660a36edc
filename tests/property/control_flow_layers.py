"""Random layers with loops and conditionals in them, for random_functions.py."""

import numpy as np
import tensorflow as tf

KINDS = ["loop", "loop_of_data", "loop_of_loops", "scan", "branch", "branch_in_loop", "loop_in_branch"]


def control_flow_layer(kind, rng, width, variables):
    """Returns a function on [batch, width] tensors; adds the weights that it trains to `variables`."""
    weight = tf.Variable(np.float32(0.5 + rng.random()) * tf.eye(width))
    bias = tf.Variable(np.float32(rng.random() - 0.5) * tf.ones([width]))
    variables += [weight, bias]
    times = rng.randint(1, 3)

    def dense(h):
        return tf.tanh(tf.matmul(h, weight) + bias)

    def is_even(h):
        return _dice(h, 2) == 0

    def scan_rows(h):
        groups = tf.reshape(h, [8, -1, width])
        return tf.reshape(tf.scan(lambda state, group: dense(state) + group, groups), tf.shape(h))

    return {
        "loop": lambda h: _repeat(times, dense, h),
        "loop_of_data": lambda h: _repeat(_dice(h, 3), dense, h),
        "loop_of_loops": lambda h: _repeat(2, lambda v: _repeat(times, dense, v) * 0.5, h),
        "scan": scan_rows,
        "branch": lambda h: tf.cond(is_even(h), lambda: dense(h), lambda: h * 0.5),
        "branch_in_loop": lambda h: _repeat(
            times, lambda v: tf.cond(is_even(v), lambda: dense(v), lambda: v + bias), h
        ),
        "loop_in_branch": lambda h: tf.cond(is_even(h), lambda: _repeat(times, dense, h), lambda: h * bias),
    }[kind]


def _dice(h, sides):
    """0 to sides - 1: of the data, and another number in the next call."""
    return tf.cast(tf.math.floormod(1000.0 * tf.reduce_mean(tf.abs(h)), float(sides)), tf.int32)


def _repeat(times, function, value):
    return tf.while_loop(lambda i, _: i < times, lambda i, v: (i + 1, function(v)), (0, value))[1]
