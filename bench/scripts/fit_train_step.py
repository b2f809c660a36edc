"""fit of a model whose train_step is its own: an autoencoder that learns to remove noise."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)


class Denoiser(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = keras.Sequential(
            [
                keras.layers.Conv2D(40, 3, padding="same", activation="relu"),
                keras.layers.Conv2D(40, 3, padding="same", strides=2, activation="relu"),
                keras.layers.Conv2D(48, 3, padding="same", activation="relu"),
            ]
        )
        self.decoder = keras.Sequential(
            [
                keras.layers.Conv2DTranspose(40, 3, padding="same", strides=2, activation="relu"),
                keras.layers.Conv2D(40, 3, padding="same", activation="relu"),
                keras.layers.Conv2D(3, 3, padding="same"),
            ]
        )
        self.loss_tracker = keras.metrics.Mean(name="loss")

    def call(self, x):
        return self.decoder(self.encoder(x))

    def train_step(self, clean):
        noisy = clean + tf.random.normal(tf.shape(clean), stddev=0.3)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(noisy, training=True) - clean))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.loss_tracker.update_state(loss)
        return {"loss": self.loss_tracker.result()}


images = np.random.default_rng(1).normal(size=(128, 64, 64, 3)).astype("float32")
model = Denoiser()
model.compile(optimizer=keras.optimizers.Adam(0.001))
model.fit(images, batch_size=32, epochs=2, verbose=2)
print_digest(model.variables + model.optimizer.variables)
