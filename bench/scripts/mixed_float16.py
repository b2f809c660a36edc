"""Half precision with loss scaling."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

keras.mixed_precision.set_global_policy("mixed_float16")

images = np.random.default_rng(1).normal(size=(64, 48, 48, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=64)
model = keras.Sequential(
    [
        keras.Input((48, 48, 3)),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(64, 3, padding="same", activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
        keras.layers.Activation("softmax", dtype="float32"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(images, labels, batch_size=32, epochs=2, verbose=2)
print_digest(model.variables + model.optimizer.variables)
