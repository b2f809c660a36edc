"""A GAN: two train functions in turns."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

images = np.tanh(np.random.default_rng(1).normal(size=(192, 32, 32, 3))).astype("float32")

generator = keras.Sequential(
    [
        keras.Input((64,)),
        keras.layers.Dense(8 * 8 * 64),
        keras.layers.Reshape((8, 8, 64)),
        keras.layers.BatchNormalization(),
        keras.layers.Conv2DTranspose(64, 4, strides=2, padding="same", activation="relu"),
        keras.layers.BatchNormalization(),
        keras.layers.Conv2DTranspose(32, 4, strides=2, padding="same", activation="relu"),
        keras.layers.Conv2D(3, 3, padding="same", activation="tanh"),
    ]
)
discriminator = keras.Sequential(
    [
        keras.Input((32, 32, 3)),
        keras.layers.Conv2D(64, 3, padding="same"),
        keras.layers.LeakyReLU(0.2),
        keras.layers.Conv2D(64, 4, strides=2, padding="same"),
        keras.layers.LeakyReLU(0.2),
        keras.layers.Dropout(0.3),
        keras.layers.Conv2D(64, 4, strides=2, padding="same"),
        keras.layers.LeakyReLU(0.2),
        keras.layers.Flatten(),
        keras.layers.Dense(1),
    ]
)
optimizer_d = keras.optimizers.Adam(2e-4, beta_1=0.5)
optimizer_g = keras.optimizers.Adam(2e-4, beta_1=0.5)
cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)


@tf.function
def train_d(real):
    noise = tf.random.normal([tf.shape(real)[0], 64])
    with tf.GradientTape() as tape:
        of_real = discriminator(real, training=True)
        of_fake = discriminator(generator(noise, training=True), training=True)
        loss = cross_entropy(tf.ones_like(of_real), of_real) + cross_entropy(tf.zeros_like(of_fake), of_fake)
    gradients = tape.gradient(loss, discriminator.trainable_variables)
    optimizer_d.apply_gradients(zip(gradients, discriminator.trainable_variables, strict=True))
    return loss


@tf.function
def train_g(count):
    noise = tf.random.normal([count, 64])
    with tf.GradientTape() as tape:
        of_fake = discriminator(generator(noise, training=True), training=True)
        loss = cross_entropy(tf.ones_like(of_fake), of_fake)
    gradients = tape.gradient(loss, generator.trainable_variables)
    optimizer_g.apply_gradients(zip(gradients, generator.trainable_variables, strict=True))
    return loss


for epoch in range(2):
    for real in tf.data.Dataset.from_tensor_slices(images).batch(64):
        loss_d = train_d(real)
        loss_g = train_g(64)
    print(f"epoch {epoch + 1}: discriminator {float(loss_d):.5f}, generator {float(loss_g):.5f}")
print_digest(generator.variables + discriminator.variables + optimizer_d.variables + optimizer_g.variables)
