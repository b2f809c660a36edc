"""A step that asks for XLA."""

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
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
    ]
)
optimizer = keras.optimizers.SGD(0.01, momentum=0.9)
optimizer.build(model.trainable_variables)
loss_function = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function(jit_compile=True)
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_function(y, model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


images = tf.constant(np.random.default_rng(1).normal(size=(32, 64, 64, 3)).astype("float32"))
labels = tf.constant(np.random.default_rng(2).integers(0, 10, size=32))
for i in range(6):
    loss = train_step(images, labels)
    print(f"step {i + 1}: loss {float(loss):.5f}")
print_digest(model.variables + optimizer.variables)
