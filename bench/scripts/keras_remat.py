"""keras.remat around a block of the model."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)


class Block(keras.layers.Layer):
    def __init__(self, filters):
        super().__init__()
        self.first = keras.layers.Conv2D(filters, 3, padding="same", activation="relu")
        self.second = keras.layers.Conv2D(filters, 3, padding="same", activation="relu")
        self.forward = keras.remat(lambda x: self.second(self.first(x)))

    def build(self, shape):
        self.first.build(shape)
        self.second.build(self.first.compute_output_shape(shape))

    def call(self, x):
        return self.forward(x)


images = np.random.default_rng(1).normal(size=(96, 64, 64, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=96)
model = keras.Sequential(
    [
        keras.Input((64, 64, 3)),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        Block(32),
        Block(32),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
    ]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(images, labels, batch_size=32, epochs=2, verbose=2)
print_digest(model.variables + model.optimizer.variables)
