"""A custom loop whose step takes any batch size, and a smaller last batch."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)

images = np.random.default_rng(1).normal(size=(144, 64, 64, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=144)

model = keras.Sequential(
    [
        keras.Input((64, 64, 3)),
        keras.layers.Conv2D(32, 3, padding="same"),
        keras.layers.BatchNormalization(),
        keras.layers.ReLU(),
        keras.layers.Conv2D(32, 3, padding="same"),
        keras.layers.BatchNormalization(),
        keras.layers.ReLU(),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
    ]
)
optimizer = keras.optimizers.SGD(0.01, momentum=0.9)
optimizer.build(model.trainable_variables)
loss_function = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function(input_signature=[tf.TensorSpec([None, 64, 64, 3], tf.float32), tf.TensorSpec([None], tf.int64)])
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_function(y, model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


dataset = tf.data.Dataset.from_tensor_slices((images, labels)).batch(32).prefetch(tf.data.AUTOTUNE)
for epoch in range(2):
    for x, y in dataset:
        loss = train_step(x, y)
    print(f"epoch {epoch + 1}: loss {loss.numpy():.5f}")
print_digest(model.variables + optimizer.variables)
