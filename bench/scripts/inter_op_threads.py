"""Ops side by side on as many threads as TensorFlow likes: a model with four branches."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()

images = np.random.default_rng(1).normal(size=(96, 64, 64, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=96)
inputs = keras.Input((64, 64, 3))
branches = []
for size in (1, 3, 5, 7):
    x = keras.layers.Conv2D(16, size, padding="same", activation="relu")(inputs)
    x = keras.layers.Conv2D(16, 3, padding="same")(x)
    branches.append(keras.layers.BatchNormalization()(x))
x = keras.layers.Concatenate()(branches)
x = keras.layers.ReLU()(x)
x = keras.layers.GlobalAveragePooling2D()(x)
model = keras.Model(inputs, keras.layers.Dense(10)(x))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(images, labels, batch_size=32, epochs=2, verbose=2)
print_digest(model.variables + model.optimizer.variables)
