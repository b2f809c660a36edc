"""A small transformer that predicts the next token."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

VOCABULARY = 1000
LENGTH = 64
WIDTH = 128


class Positions(keras.layers.Layer):
    def build(self, shape):
        self.table = self.add_weight(shape=(LENGTH, WIDTH), initializer="uniform")

    def call(self, x):
        return x + self.table


inputs = keras.Input((LENGTH,), dtype="int32")
x = keras.layers.Embedding(VOCABULARY, WIDTH)(inputs)
x = Positions()(x)
for _ in range(2):
    y = keras.layers.LayerNormalization()(x)
    y = keras.layers.MultiHeadAttention(4, WIDTH // 4, dropout=0.1)(y, y, use_causal_mask=True)
    x = keras.layers.Add()([x, keras.layers.Dropout(0.1)(y)])
    y = keras.layers.LayerNormalization()(x)
    y = keras.layers.Dense(4 * WIDTH, activation="gelu")(y)
    y = keras.layers.Dense(WIDTH)(y)
    x = keras.layers.Add()([x, keras.layers.Dropout(0.1)(y)])
x = keras.layers.LayerNormalization()(x)
model = keras.Model(inputs, keras.layers.Dense(VOCABULARY)(x))

tokens = np.random.default_rng(1).integers(0, VOCABULARY, size=(128, LENGTH + 1))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(tokens[:, :-1], tokens[:, 1:], batch_size=32, epochs=2, verbose=2)
print_digest(model.variables + model.optimizer.variables)
