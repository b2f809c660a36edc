"""fit with two steps an execution."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

images = np.random.default_rng(1).normal(size=(192, 64, 64, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=192)

model = keras.Sequential(
    [
        keras.Input((64, 64, 3)),
        keras.layers.Conv2D(40, 3, padding="same", activation="relu"),
        keras.layers.Conv2D(40, 3, padding="same", activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
    ]
)
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True), steps_per_execution=2)
dataset = tf.data.Dataset.from_tensor_slices((images, labels)).batch(32, drop_remainder=True)
model.fit(dataset, epochs=2, verbose=2)
print_digest(model.variables)
