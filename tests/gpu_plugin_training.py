"""Trains a small model; writes losses, a digest of all variables, the device's memory and the emulated GPU's counts.

    ./str python --emulated-gpu tests/gpu_plugin_training.py --loop=fit --json=FILE
    ./str python --emulated-gpu tests/gpu_plugin_training.py --loop=custom --model=unet --side=64 --batch=2 --json=FILE

--model names one of runtime_examples; without it, it is a small convolutional network of --width channels. --watch adds
the memory that the process holds after each step of a custom loop.

An error of TensorFlow ends the training, not the script: it is written as "error". --fail=N lets step N fail in the
middle, by an assertion of the script's own, and goes on with the next step. --on-cpu=BYTES: a tensor of so many bytes
is made on the CPU and kept.
"""

import argparse
import hashlib
import json
import os
import pathlib
import sys

import keras
import numpy as np
import tensorflow as tf
from gpu_counts import EmulatedGpu


def counts():
    """None on a CPU."""
    try:
        return EmulatedGpu().counts()
    except OSError:
        return {}


def make_convnet(width):
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


def make_model_and_data(options):
    """Of four different batches at most."""
    random = np.random.default_rng(1)
    count = options.batch * min(options.steps, 4)
    if options.model is None:
        inputs = random.standard_normal((count, 16, 16, 3)).astype("f")
        return make_convnet(options.width), inputs, random.integers(0, 10, count)
    sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "runtime_examples"))
    from models import EXAMPLES

    example = EXAMPLES[options.model]
    classes = 100 if example.vocabulary else 10
    if example.vocabulary:
        model = example.make((options.side,), classes, blocks=2)
        inputs = random.integers(0, classes, (count, options.side), dtype=np.int32)
    else:
        model = example.make((options.side, options.side), classes)
        inputs = random.random((count, options.side, options.side, 3), dtype=np.float32)
    return model, inputs, random.integers(0, classes, (count, *model.output_shape[1:-1]))


def memory_held():
    """On the device, of pinned memory, and resident."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return {
        "device": tf.config.experimental.get_memory_info("GPU:0")["current"],
        "pinned": counts()["pinned bytes"],
        "resident": pages * os.sysconf("SC_PAGE_SIZE"),
    }


def train_with_fit(options, model, inputs, labels, loss):
    jit_compile = {"auto": "auto", "on": True, "off": False}[options.jit]
    model.compile("adam", loss, metrics=["accuracy"], jit_compile=jit_compile)
    batches = tf.data.Dataset.from_tensor_slices((inputs, labels)).batch(options.batch, drop_remainder=True)
    batches = batches.repeat().take(options.steps)
    losses = []
    note = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: losses.append(logs["loss"]))
    model.fit(batches, epochs=1, shuffle=False, verbose=0, callbacks=[note])
    return {"losses": losses}, model.optimizer


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

    losses, held = [], []
    for i in range(options.steps):
        start = i * options.batch % len(inputs)
        batch = slice(start, start + options.batch)
        try:
            value = step(tf.constant(inputs[batch]), tf.constant(labels[batch]), tf.constant(i == options.fail))
            losses.append(float(value))
        except tf.errors.InvalidArgumentError as error:
            assert "asked to fail" in str(error), error
        if options.watch:
            held.append(memory_held())
    return {"losses": losses, "held": held}, optimizer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loop", choices=["fit", "custom"], required=True)
    parser.add_argument("--jit", choices=["auto", "on", "off"], default="off")
    parser.add_argument("--model")
    parser.add_argument("--side", type=int, default=32, help="of images; or the tokens of a text")
    parser.add_argument("--watch", action="store_true")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--fail", type=int)
    parser.add_argument("--on-cpu", type=int, default=0)
    parser.add_argument("--json", required=True)
    options = parser.parse_args()
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    keras.utils.set_random_seed(7)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    results = {"error": None, "devices": [device.name for device in tf.config.list_logical_devices()]}
    try:
        with tf.device("/CPU:0"):
            kept = tf.fill([options.on_cpu // 4], 1.0)
        model, inputs, labels = make_model_and_data(options)
        train = train_with_fit if options.loop == "fit" else train_with_loop
        trained, optimizer = train(options, model, inputs, labels, loss)
        results |= trained
        variables = [*model.variables, *optimizer.variables]
        parts = [np.ascontiguousarray(variable.numpy()).tobytes() for variable in variables]
        results["on_cpu"] = {"bytes": 4 * int(tf.size(kept)), "device": kept.device}
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
