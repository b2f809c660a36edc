"""The batch grows while training: 16, then 32, then 8."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

images = np.random.default_rng(1).normal(size=(64, 64, 64, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=64)

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
optimizer = keras.optimizers.SGD(0.01)
optimizer.build(model.trainable_variables)
loss_function = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function(input_signature=[tf.TensorSpec([None, 64, 64, 3]), tf.TensorSpec([None], tf.int64)])
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_function(y, model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


for size in (16, 32, 8):
    for first in range(0, len(images), size):
        loss = train_step(tf.constant(images[first : first + size]), tf.constant(labels[first : first + size]))
    print(f"batch {size}: loss {float(loss):.5f}")
print_digest(model.variables + optimizer.variables)
