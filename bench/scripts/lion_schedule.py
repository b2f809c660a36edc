"""Lion with a learning rate that decays."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

images = np.random.default_rng(1).normal(size=(96, 64, 64, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=96)

inputs = keras.Input((64, 64, 3))
x = keras.layers.Conv2D(32, 4, strides=4)(inputs)
for _ in range(4):
    y = keras.layers.DepthwiseConv2D(7, padding="same")(x)
    y = keras.layers.LayerNormalization()(y)
    y = keras.layers.Dense(128, activation="gelu")(y)
    x = keras.layers.Add()([x, keras.layers.Dense(32)(y)])
x = keras.layers.GlobalAveragePooling2D()(x)
model = keras.Model(inputs, keras.layers.Dense(10)(x))
rate = keras.optimizers.schedules.CosineDecay(0.0003, decay_steps=6)
model.compile(keras.optimizers.Lion(rate), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(images, labels, batch_size=32, epochs=2, verbose=2)
print_digest(model.variables + model.optimizer.variables)
