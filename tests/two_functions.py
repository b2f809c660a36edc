"""Trains a small pair of networks in turn, each by a function of its own: train_d and train_g.

The batch size of train_d is not known when it is traced.

    python two_functions.py --json=FILE
"""

import hashlib
import json
import pathlib
import sys

import tensorflow as tf

BATCH, NOISE, FEATURES, WIDTH, STEPS = 2048, 32, 64, 256, 3


def network(inputs, outputs):
    hidden = [tf.keras.layers.Dense(WIDTH, activation="gelu") for _ in range(4)]
    return tf.keras.Sequential([tf.keras.Input((inputs,)), *hidden, tf.keras.layers.Dense(outputs)])


def main(json_option):
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.keras.utils.set_random_seed(1)
    generator, judge = network(NOISE, FEATURES), network(FEATURES, 1)
    generator_rate, judge_rate = tf.keras.optimizers.SGD(0.01), tf.keras.optimizers.SGD(0.01)
    generator_rate.build(generator.trainable_variables)
    judge_rate.build(judge.trainable_variables)

    @tf.function(input_signature=[tf.TensorSpec((None, FEATURES)), tf.TensorSpec((None, NOISE))])
    def train_d(real, noise):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.softplus(judge(generator(noise)))) + tf.reduce_mean(
                tf.nn.softplus(-judge(real))
            )
        judge_rate.apply_gradients(
            zip(tape.gradient(loss, judge.trainable_variables), judge.trainable_variables, strict=True)
        )
        return loss

    @tf.function
    def train_g(noise):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.softplus(-judge(generator(noise))))
        generator_rate.apply_gradients(
            zip(tape.gradient(loss, generator.trainable_variables), generator.trainable_variables, strict=True)
        )
        return loss

    losses = []
    for step in range(STEPS):
        real = tf.random.stateless_normal((BATCH, FEATURES), (step, 1))
        noise = tf.random.stateless_normal((BATCH, NOISE), (step, 2))
        losses += [float(train_d(real, noise)), float(train_g(noise))]
    digest = hashlib.sha256()
    for variable in generator.variables + judge.variables:
        digest.update(variable.numpy().tobytes())
    results = {"losses": losses, "variables_sha256": digest.hexdigest()}
    pathlib.Path(json_option.removeprefix("--json=")).write_text(json.dumps(results))


if __name__ == "__main__":
    main(sys.argv[1])
