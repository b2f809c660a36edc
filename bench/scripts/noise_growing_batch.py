"""Noise from TensorFlow's own generator in a step that takes any batch size, while the batch grows."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

signals = np.random.default_rng(1).normal(size=(4096, 256)).astype("float32")
model = keras.Sequential(
    [
        keras.Input((256,)),
        keras.layers.Dense(2048, activation="relu"),
        keras.layers.Dense(1024, activation="relu"),
        keras.layers.Dense(256),
    ]
)
optimizer = keras.optimizers.SGD(0.01)
optimizer.build(model.trainable_variables)


@tf.function(input_signature=[tf.TensorSpec([None, 256])])
def train_step(clean):
    noisy = clean + tf.random.normal(tf.shape(clean), stddev=0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(noisy, training=True) - clean))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


for size in (1024, 2048, 512):
    for first in range(0, len(signals), size):
        loss = train_step(tf.constant(signals[first : first + size]))
    print(f"batch {size}: loss {float(loss):.5f}")
print_digest(model.variables + optimizer.variables)
