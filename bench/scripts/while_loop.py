"""A tf.while_loop in the model: a block with shared weights, applied four times."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)


class Repeated(keras.layers.Layer):
    def __init__(self, filters, times):
        super().__init__()
        self.convolution = keras.layers.Conv2D(filters, 3, padding="same", activation="tanh")
        self.times = times

    def build(self, shape):
        self.convolution.build(shape)

    def call(self, x):
        _, x = tf.while_loop(
            lambda i, x: i < self.times,
            lambda i, x: (i + 1, x + self.convolution(x)),
            (tf.constant(0), x),
            maximum_iterations=self.times,
        )
        return x


images = np.random.default_rng(1).normal(size=(96, 64, 64, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=96)
model = keras.Sequential(
    [
        keras.Input((64, 64, 3)),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        Repeated(32, 4),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
    ]
)
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(images, labels, batch_size=32, epochs=2, verbose=2)
print_digest(model.variables)
