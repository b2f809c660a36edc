"""Gradients are summed in variables of the script's own, by two functions."""

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
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
    ]
)
optimizer = keras.optimizers.Adam(0.001)
optimizer.build(model.trainable_variables)
loss_function = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
sums = [tf.Variable(tf.zeros(weight.shape), trainable=False) for weight in model.trainable_variables]


@tf.function
def accumulate(x, y):
    with tf.GradientTape() as tape:
        loss = loss_function(y, model(x, training=True))
    for total, gradient in zip(sums, tape.gradient(loss, model.trainable_variables), strict=True):
        total.assign_add(gradient)
    return loss


@tf.function
def apply():
    optimizer.apply_gradients(zip([total / 2 for total in sums], model.trainable_variables, strict=True))
    for total in sums:
        total.assign(tf.zeros_like(total))


for epoch in range(2):
    for i in range(4):
        loss = accumulate(tf.constant(images[32 * i : 32 * i + 32]), tf.constant(labels[32 * i : 32 * i + 32]))
        if i % 2 == 1:
            apply()
    print(f"epoch {epoch + 1}: loss {float(loss):.5f}")
print_digest(model.variables + optimizer.variables)
