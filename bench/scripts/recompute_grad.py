"""tf.recompute_grad around a part of the model, in a custom loop."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

stem = keras.layers.Conv2D(32, 3, padding="same", activation="relu")
stem.build((None, 64, 64, 3))
block = [keras.layers.Conv2D(32, 3, padding="same", activation="relu") for _ in range(3)]
for layer in block:
    layer.build((None, 64, 64, 32))
head = keras.layers.Dense(10)
head.build((None, 32))
weights = [weight for layer in (stem, *block, head) for weight in layer.trainable_variables]
optimizer = keras.optimizers.SGD(0.01)
optimizer.build(weights)
loss_function = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.recompute_grad
def middle(x):
    for layer in block:
        x = layer(x)
    return x


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        features = middle(stem(x))
        loss = loss_function(y, head(tf.reduce_mean(features, axis=[1, 2])))
    gradients = tape.gradient(loss, weights)
    optimizer.apply_gradients(zip(gradients, weights, strict=True))
    return loss


images = tf.constant(np.random.default_rng(1).normal(size=(32, 64, 64, 3)).astype("float32"))
labels = tf.constant(np.random.default_rng(2).integers(0, 10, size=32))
for i in range(6):
    loss = train_step(images, labels)
    print(f"step {i + 1}: loss {float(loss):.5f}")
print_digest(weights + optimizer.variables)
