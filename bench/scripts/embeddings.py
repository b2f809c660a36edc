"""Embeddings whose gradients are IndexedSlices."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

tokens = np.random.default_rng(1).integers(0, 20000, size=(512, 64))
labels = np.random.default_rng(2).integers(0, 2, size=512)

model = keras.Sequential(
    [
        keras.Input((64,), dtype="int32"),
        keras.layers.Embedding(20000, 128),
        keras.layers.Conv1D(256, 5, padding="same", activation="relu"),
        keras.layers.Conv1D(256, 5, padding="same", activation="relu"),
        keras.layers.GlobalMaxPooling1D(),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile("adam", "binary_crossentropy")
model.fit(tokens, labels, batch_size=128, epochs=2, verbose=2)
print_digest(model.variables + model.optimizer.variables)
