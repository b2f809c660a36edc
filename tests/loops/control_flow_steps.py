"""Training steps with loops and conditionals between dense layers. Each case trains for a few steps when called, and
returns its losses and variables."""

import functools

import numpy as np
import tensorflow as tf
from loops_and_conditionals import BETWEEN, ROWS, WIDTH, dense, repeat, while_loop
from training_steps import run_steps

def _variables():
    random = np.random.RandomState(1)
    weights = [tf.Variable(random.normal(0, 0.08, [WIDTH, WIDTH]).astype(np.float32)) for _ in range(8)]
    momentum = [tf.Variable(tf.zeros_like(weight)) for weight in weights]
    return weights, momentum, tf.Variable(0, dtype=tf.int64)


def _data():
    return tf.constant(np.random.RandomState(2).standard_normal([ROWS, WIDTH]).astype(np.float32))


def _update(weights, momentum, gradients):
    gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
    for weight, average, gradient in zip(weights, momentum, gradients):
        average.assign(0.9 * average + gradient)
        weight.assign_sub(0.05 * average)


def _loss(x, weights, count, between):
    before, (a, b), behind = weights[:3], weights[3:5], weights[5:]
    h = x
    for weight in before:
        h = tf.nn.relu(tf.matmul(h, weight))
    h = between(h, a, b, count)
    h.set_shape(x.shape)
    for weight in behind:
        h = tf.nn.relu(tf.matmul(h, weight))
    return tf.reduce_mean(tf.square(h + 1.0))


def _train(between, more_variables=()):
    weights, momentum, count = _variables()

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = _loss(x, weights, count.read_value(), between)
        # Not every case uses both of its weights.
        gradients = tape.gradient(loss, weights, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        _update(weights, momentum, gradients)
        count.assign_add(1)
        return loss

    data = _data()
    return run_steps(lambda: step(data)), [*weights, *momentum, count, *more_variables]


def _statistics_in_branches():
    """Variables are changed inside a loop and inside a conditional."""
    seen, highest = tf.Variable(tf.zeros([WIDTH])), tf.Variable(0.0)

    def between(h, a, b, step):
        def body(i, value):
            seen.assign(0.9 * seen + 0.1 * tf.reduce_mean(value, axis=0))
            return dense(value, a)

        h = repeat(2, body, h)
        largest = tf.reduce_max(h)
        tf.cond(largest > highest, lambda: highest.assign(largest), lambda: highest.assign_add(1e-3))
        return h + seen

    return _train(between, [seen, highest])


def _accumulated_gradients():
    """Forward and backward pass are in the loop; only the update is behind it."""
    weights, momentum, count = _variables()

    @tf.function
    def step(x):
        sums = [tf.zeros_like(weight) for weight in weights]
        total = 0.0
        for i in tf.range(2):
            with tf.GradientTape() as tape:
                loss = _loss(x * tf.cast(i + 1, tf.float32), weights, count.read_value(), while_loop)
            sums = [s + g for s, g in zip(sums, tape.gradient(loss, weights))]
            total += loss
        _update(weights, momentum, sums)
        count.assign_add(1)
        return total

    data = _data()
    return run_steps(lambda: step(data)), [*weights, *momentum, count]


CASES = {name: functools.partial(_train, between) for name, between in BETWEEN.items()} | {
    "accumulated_gradients": _accumulated_gradients,
    "statistics_in_branches": _statistics_in_branches,
}
