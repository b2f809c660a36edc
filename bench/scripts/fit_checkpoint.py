"""fit on arrays: a smaller last batch, validation, checkpoints and early stopping."""

import os
import tempfile

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

images = np.random.default_rng(1).normal(size=(112, 64, 64, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=112)

model = keras.Sequential(
    [
        keras.Input((64, 64, 3)),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dropout(0.2),
        keras.layers.Dense(10),
    ]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
with tempfile.TemporaryDirectory() as folder:
    callbacks = [
        keras.callbacks.ModelCheckpoint(os.path.join(folder, "best.keras"), save_best_only=True),
        keras.callbacks.EarlyStopping(patience=2),
    ]
    model.fit(
        images[:80],
        labels[:80],
        batch_size=32,
        epochs=3,
        validation_data=(images[80:], labels[80:]),
        callbacks=callbacks,
        verbose=2,
    )
print_digest(model.variables + model.optimizer.variables)
