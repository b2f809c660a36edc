"""A custom loop without a signature: the smaller last batch is traced for itself."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

images = np.random.default_rng(1).normal(size=(112, 64, 64, 3)).astype("float32")
targets = np.random.default_rng(2).normal(size=(112, 64, 64, 1)).astype("float32")

inputs = keras.Input((64, 64, 3))
skip = keras.layers.Conv2D(32, 3, padding="same", activation="gelu")(inputs)
x = keras.layers.Conv2D(32, 3, padding="same", strides=2, activation="gelu")(skip)
x = keras.layers.Conv2D(32, 3, padding="same", activation="gelu")(x)
x = keras.layers.UpSampling2D()(x)
x = keras.layers.Concatenate()([x, skip])
outputs = keras.layers.Conv2D(1, 3, padding="same")(x)
model = keras.Model(inputs, outputs)
optimizer = keras.optimizers.RMSprop(0.001)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.abs(model(x, training=True) - y))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


for epoch in range(2):
    for first in range(0, len(images), 32):
        loss = train_step(tf.constant(images[first : first + 32]), tf.constant(targets[first : first + 32]))
    print(f"epoch {epoch + 1}: loss {float(loss):.5f}")
print_digest(model.variables + optimizer.variables)
