"""Two models: a frozen teacher and the student that imitates it."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)


def make(filters, layers):
    model = keras.Sequential([keras.Input((64, 64, 3))])
    for _ in range(layers):
        model.add(keras.layers.Conv2D(filters, 3, padding="same", activation="relu"))
    model.add(keras.layers.GlobalAveragePooling2D())
    model.add(keras.layers.Dense(10))
    return model


teacher = make(32, 3)
teacher.trainable = False
student = make(24, 3)
optimizer = keras.optimizers.Adam(0.001)
optimizer.build(student.trainable_variables)


@tf.function
def train_step(x):
    wanted = tf.nn.softmax(teacher(x, training=False))
    with tf.GradientTape() as tape:
        logits = student(x, training=True)
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(wanted, logits))
    gradients = tape.gradient(loss, student.trainable_variables)
    optimizer.apply_gradients(zip(gradients, student.trainable_variables, strict=True))
    return loss


images = np.random.default_rng(1).normal(size=(96, 64, 64, 3)).astype("float32")
for epoch in range(2):
    for x in tf.data.Dataset.from_tensor_slices(images).batch(32, drop_remainder=True):
        loss = train_step(x)
    print(f"epoch {epoch + 1}: loss {float(loss):.5f}")
print_digest(teacher.variables + student.variables + optimizer.variables)
