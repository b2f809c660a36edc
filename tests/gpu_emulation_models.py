"""Trains small models on the CPU and on the emulated GPU in one process, and writes what came out.

    ./str python --emulated-gpu tests/gpu_emulation_models.py convnet gpt --json=FILE

The file has for each model the losses and a digest of all weights on both devices; the counts of the emulated GPU; and
where it has a device file (FAKE_GPU_DEVICE_FILE), what each step took on the virtual clock.
"""

import argparse
import hashlib
import json
import os

# Before TensorFlow is loaded: oneDNN's kernels round otherwise than the ones that the emulated GPU runs.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import keras
import numpy as np
import tensorflow as tf
from gpu_counts import EmulatedGpu


def digest(variables):
    parts = [np.ascontiguousarray(variable.numpy()).tobytes() for variable in variables]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def images(count=32, size=16):
    random = np.random.default_rng(1)
    return random.standard_normal((count, size, size, 3)).astype("f"), random.integers(0, 10, count)


def make_convnet():
    """No sums over pixels: its weights do not depend on the layout in which TensorFlow computes."""
    return keras.Sequential(
        [
            keras.layers.Input((16, 16, 3)),
            keras.layers.Conv2D(8, 3, activation="relu", padding="same"),
            keras.layers.DepthwiseConv2D(3, strides=2, padding="same"),
            keras.layers.MaxPool2D(),
            keras.layers.Conv2D(16, 3),
            keras.layers.AveragePooling2D(2),
            keras.layers.Flatten(),
            keras.layers.Dense(32, activation="tanh"),
            keras.layers.Dense(10),
        ]
    )


def make_batchnorm_net():
    """BatchNorm and dropout, as in Keras's models."""
    return keras.Sequential(
        [
            keras.layers.Input((16, 16, 3)),
            keras.layers.Conv2D(8, 3, use_bias=False),
            keras.layers.BatchNormalization(),
            keras.layers.ReLU(),
            keras.layers.MaxPool2D(),
            keras.layers.Dropout(0.25),
            keras.layers.Flatten(),
            keras.layers.Dense(10),
        ]
    )


def make_gpt(words=50, length=12, width=16):
    tokens = keras.layers.Input((length,), dtype="int32")
    x = keras.layers.Embedding(words, width)(tokens)
    for _ in range(2):
        normal = keras.layers.LayerNormalization()(x)
        x = x + keras.layers.MultiHeadAttention(2, 8, dropout=0.1)(normal, normal, use_causal_mask=True)
        normal = keras.layers.LayerNormalization()(x)
        x = x + keras.layers.Dense(width)(keras.layers.Dense(32, activation="gelu")(normal))
    return keras.Model(tokens, keras.layers.Dense(words)(x))


def train_with_fit(make, inputs, labels, gpu):
    model = make()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"], jit_compile=False)
    history = model.fit(inputs, labels, batch_size=16, epochs=2, shuffle=False, verbose=0)
    return {"losses": history.history["loss"], "weights": digest([*model.variables, *model.optimizer.variables])}


def train_with_custom_loop(make, inputs, labels, gpu):
    """Times each step if there is a virtual clock: on the device with its data, one step after the other."""
    model = make()
    optimizer = keras.optimizers.SGD(0.1, momentum=0.9)
    optimizer.build(model.trainable_variables)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            value = loss(y, model(x, training=True))
        gradients, _ = tf.clip_by_global_norm(tape.gradient(value, model.trainable_variables), 1.0)
        optimizer.apply(gradients, model.trainable_variables)
        return value

    batches = [(tf.constant(inputs[i : i + 16]), tf.constant(labels[i : i + 16])) for i in (0, 16)]
    losses, step_ns = [], []
    for i in range(6):
        start = gpu.device_ns() if gpu is not None else 0
        losses.append(step(*batches[i % 2]))
        step_ns.append(gpu.device_ns() - start if gpu is not None else 0)
    weights = digest([*model.variables, *optimizer.variables])
    return {"losses": [float(value) for value in losses], "weights": weights, "step_ns": step_ns}


def tokens(count=32, length=12, words=50):
    text = np.random.default_rng(2).integers(0, words, (count, length + 1)).astype("int32")
    return text[:, :-1], text[:, 1:]


MODELS = {
    "convnet": (make_convnet, images, train_with_fit),
    "convnet_loop": (make_convnet, images, train_with_custom_loop),
    "batchnorm": (make_batchnorm_net, images, train_with_fit),
    "gpt": (make_gpt, tokens, train_with_fit),
}


def train(name, device, gpu):
    make, data, loop = MODELS[name]
    with tf.device(device):
        keras.utils.set_random_seed(7)
        return loop(make, *data(), gpu)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+", choices=[*MODELS])
    parser.add_argument("--json", required=True)
    options = parser.parse_args()
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    results = {"devices": [device.name for device in tf.config.list_logical_devices()], "models": {}}
    gpu = EmulatedGpu()
    for name in options.models:
        on_gpu = train(name, "/GPU:0", gpu)
        results["models"][name] = {"gpu": on_gpu, "cpu": train(name, "/CPU:0", None)}
    results["counts"] = gpu.counts()
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
