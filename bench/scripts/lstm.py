"""Two LSTMs over sequences, with fit."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

sequences = np.random.default_rng(1).normal(size=(256, 64, 32)).astype("float32")
targets = np.random.default_rng(2).normal(size=(256, 1)).astype("float32")

model = keras.Sequential(
    [
        keras.Input((64, 32)),
        keras.layers.LSTM(128, return_sequences=True),
        keras.layers.LSTM(128),
        keras.layers.Dense(1),
    ]
)
model.compile("adam", "mse")
model.fit(sequences, targets, batch_size=64, epochs=2, verbose=2)
print_digest(model.variables + model.optimizer.variables)
