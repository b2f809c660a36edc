"""bfloat16 activations and float32 weights."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

keras.mixed_precision.set_global_policy("mixed_bfloat16")

images = np.random.default_rng(1).normal(size=(96, 64, 64, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=96)
inputs = keras.Input((64, 64, 3))
x = keras.layers.Conv2D(32, 3, padding="same")(inputs)
x = keras.layers.LayerNormalization()(x)
x = keras.layers.Activation("relu")(x)
x = keras.layers.Conv2D(32, 3, padding="same", activation="relu")(x)
x = keras.layers.GlobalAveragePooling2D()(x)
outputs = keras.layers.Dense(10, activation="softmax", dtype="float32")(x)
model = keras.Model(inputs, outputs)
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(images, labels, batch_size=32, epochs=2, verbose=2)
print_digest(model.variables + model.optimizer.variables)
