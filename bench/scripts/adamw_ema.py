"""AdamW that keeps a moving average of the weights."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

features = np.random.default_rng(1).normal(size=(4096, 128)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=4096)

inputs = keras.Input((128,))
x = keras.layers.Dense(512)(inputs)
for _ in range(4):
    y = keras.layers.LayerNormalization()(x)
    y = keras.layers.Dense(1024, activation="gelu")(y)
    x = keras.layers.Add()([x, keras.layers.Dense(512)(y)])
outputs = keras.layers.Dense(10)(x)
model = keras.Model(inputs, outputs)
optimizer = keras.optimizers.AdamW(0.001, weight_decay=0.01, use_ema=True, ema_overwrite_frequency=3)
model.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(features, labels, batch_size=1024, epochs=2, verbose=2)
print_digest(model.variables + optimizer.variables)
