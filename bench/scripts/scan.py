"""tf.scan over time: a recurrent cell written by hand."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

cell = keras.layers.Dense(128, activation="tanh")
cell.build((None, 32 + 128))
features = keras.layers.Dense(32, activation="gelu")
features.build((None, None, 16))
head = keras.layers.Dense(1)
head.build((None, None, 128))
weights = features.trainable_variables + cell.trainable_variables + head.trainable_variables
optimizer = keras.optimizers.Adam(0.001)
optimizer.build(weights)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        over_time = tf.transpose(features(x), [1, 0, 2])
        states = tf.scan(
            lambda state, now: cell(tf.concat([now, state], axis=1)), over_time, tf.zeros([tf.shape(x)[0], 128])
        )
        loss = tf.reduce_mean(tf.square(head(states) - y))
    gradients = tape.gradient(loss, weights)
    optimizer.apply_gradients(zip(gradients, weights, strict=True))
    return loss


sequences = np.random.default_rng(1).normal(size=(256, 64, 16)).astype("float32")
targets = np.random.default_rng(2).normal(size=(64, 256, 1)).astype("float32")
for i in range(4):
    loss = train_step(tf.constant(sequences), tf.constant(targets))
    print(f"step {i + 1}: loss {float(loss):.5f}")
print_digest(weights + optimizer.variables)
