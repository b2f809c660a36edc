"""Trains a small network whose step has a loop and a conditional in it; writes a digest of what it computed."""

import argparse
import hashlib
import json

import numpy as np
import tensorflow as tf


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", required=True)
    options = parser.parse_args()
    tf.config.experimental.enable_op_determinism()
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.keras.utils.set_random_seed(1)
    weights = [tf.Variable(tf.random.normal([256, 256], stddev=0.05)) for _ in range(6)]

    @tf.function(input_signature=[tf.TensorSpec([512, 256])])
    def step(x):
        with tf.GradientTape() as tape:
            h = x
            for weight in weights:
                h = tf.nn.relu(tf.matmul(h, weight))
            loss = tf.reduce_mean(tf.square(h))
        gradients = tape.gradient(loss, weights)
        scale = tf.cond(loss > 0.5, lambda: 0.1, lambda: 0.2)
        count = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s * 1.01), (0, scale))[1]
        for weight, gradient in zip(weights, gradients):
            weight.assign_sub(count * gradient)
        return loss

    data = tf.constant(np.random.RandomState(1).standard_normal([512, 256]).astype(np.float32))
    digest = hashlib.sha256()
    for _ in range(4):
        digest.update(step(data).numpy().tobytes())
    for weight in weights:
        digest.update(weight.numpy().tobytes())
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump({"sha256": digest.hexdigest()}, file)


if __name__ == "__main__":
    main()
