"""Trains a small model; writes losses, a digest of all variables, the device's memory and the emulated GPU's counts.

    ./str python --emulated-gpu tests/gpu_plugin_training.py --loop=fit --json=FILE

An error of TensorFlow ends the training, not the script: it is written as "error". --fail=N lets step N fail in the
middle, by an assertion of the script's own, and goes on with the next step.
"""

import argparse
import ctypes
import hashlib
import json

import keras
import numpy as np
import tensorflow as tf

COUNTS = ("races", "unwritten", "after_free", "bad_pointers", "kernels_not_run", "copy in", "copy out")


def counts():
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return {}
    cuda.fake_gpu_count.restype = ctypes.c_int64
    return {name: cuda.fake_gpu_count(name.encode()) for name in COUNTS}


def make_model(width):
    return keras.Sequential(
        [
            keras.layers.Input((16, 16, 3)),
            keras.layers.Conv2D(width, 3, padding="same", activation="relu"),
            keras.layers.Conv2D(width, 3, padding="same", activation="relu"),
            keras.layers.MaxPool2D(),
            keras.layers.Conv2D(width, 3, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(32, activation="tanh"),
            keras.layers.Dense(10),
        ]
    )


def train_with_fit(options, model, inputs, labels, loss):
    jit_compile = {"auto": "auto", "on": True, "off": False}[options.jit]
    model.compile("adam", loss, metrics=["accuracy"], jit_compile=jit_compile)
    batches = tf.data.Dataset.from_tensor_slices((inputs, labels)).batch(options.batch, drop_remainder=True)
    losses = []
    note = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: losses.append(logs["loss"]))
    model.fit(batches, epochs=1, shuffle=False, verbose=0, callbacks=[note])
    return losses, model.optimizer


def train_with_loop(options, model, inputs, labels, loss):
    optimizer = keras.optimizers.Adam(0.01)
    optimizer.build(model.trainable_variables)

    @tf.function(jit_compile=options.jit == "on" or None)
    def step(x, y, fails):
        with tf.GradientTape() as tape:
            value = loss(y, model(x, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        checks = []
        if options.fail is not None:
            # Early in the backward pass, behind the gradient that is computed first: copies are under way.
            is_right = tf.reduce_all(tf.abs(gradients[-1]) < tf.where(fails, -1.0, float("inf")))
            checks = [tf.raw_ops.Assert(condition=is_right, data=["asked to fail"])]
        # No variable changes in a step that fails, whatever the order.
        with tf.control_dependencies(checks):
            optimizer.apply([tf.identity(gradient) for gradient in gradients], model.trainable_variables)
        return value

    losses = []
    for i in range(options.steps):
        batch = slice(i * options.batch, (i + 1) * options.batch)
        try:
            value = step(tf.constant(inputs[batch]), tf.constant(labels[batch]), tf.constant(i == options.fail))
            losses.append(float(value))
        except tf.errors.InvalidArgumentError as error:
            assert "asked to fail" in str(error), error
    return losses, optimizer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loop", choices=["fit", "custom"], required=True)
    parser.add_argument("--jit", choices=["auto", "on", "off"], default="off")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--fail", type=int)
    parser.add_argument("--json", required=True)
    options = parser.parse_args()
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    keras.utils.set_random_seed(7)
    random = np.random.default_rng(1)
    model = make_model(options.width)
    inputs = random.standard_normal((options.batch * options.steps, 16, 16, 3)).astype("f")
    labels = random.integers(0, 10, options.batch * options.steps)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    results = {"error": None, "devices": [device.name for device in tf.config.list_logical_devices()]}
    try:
        train = train_with_fit if options.loop == "fit" else train_with_loop
        results["losses"], optimizer = train(options, model, inputs, labels, loss)
        variables = [*model.variables, *optimizer.variables]
        parts = [np.ascontiguousarray(variable.numpy()).tobytes() for variable in variables]
        results["digest"] = hashlib.sha256(b"".join(parts)).hexdigest()
    except tf.errors.OpError as error:
        results["error"] = f"{type(error).__name__}: {error.message}"
    if tf.config.list_logical_devices("GPU"):
        results["memory"] = tf.config.experimental.get_memory_info("GPU:0")
    results["counts"] = counts()
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
