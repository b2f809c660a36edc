"""Gradients of two batches are summed before the weights change."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

images = np.random.default_rng(1).normal(size=(128, 64, 64, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=128)

model = keras.Sequential(
    [
        keras.Input((64, 64, 3)),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(10),
    ]
)
optimizer = keras.optimizers.SGD(0.01, momentum=0.9, gradient_accumulation_steps=2)
model.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(images, labels, batch_size=32, epochs=2, verbose=2)
print_digest(model.variables + optimizer.variables)
