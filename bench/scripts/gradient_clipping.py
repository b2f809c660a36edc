"""Gradients clipped by their global norm, in a custom loop."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

model = keras.Sequential(
    [
        keras.Input((64, 64, 3)),
        keras.layers.Conv2D(40, 3, padding="same", activation="swish"),
        keras.layers.Conv2D(40, 3, padding="same", activation="swish"),
        keras.layers.Conv2D(40, 3, padding="same", activation="swish"),
        keras.layers.GlobalMaxPooling2D(),
        keras.layers.Dense(10),
    ]
)
optimizer = keras.optimizers.Adam(0.001)
loss_function = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_function(y, model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    gradients, norm = tf.clip_by_global_norm(gradients, 0.5)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss, norm


images = np.random.default_rng(1).normal(size=(96, 64, 64, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=96)
for epoch in range(2):
    for x, y in tf.data.Dataset.from_tensor_slices((images, labels)).batch(32, drop_remainder=True):
        loss, norm = train_step(x, y)
    print(f"epoch {epoch + 1}: loss {float(loss):.5f}, norm {float(norm):.5f}")
print_digest(model.variables + optimizer.variables)
