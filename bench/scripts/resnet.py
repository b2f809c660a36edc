"""A small ResNet with BatchNorm, over a tf.data pipeline with augmentation."""

import keras
import numpy as np
import tensorflow as tf
from digest import print_digest

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()
tf.config.threading.set_inter_op_parallelism_threads(1)


def block(x, filters, stride):
    y = keras.layers.Conv2D(filters, 3, strides=stride, padding="same", use_bias=False)(x)
    y = keras.layers.BatchNormalization()(y)
    y = keras.layers.ReLU()(y)
    y = keras.layers.Conv2D(filters, 3, padding="same", use_bias=False)(y)
    y = keras.layers.BatchNormalization()(y)
    if stride != 1 or x.shape[-1] != filters:
        x = keras.layers.Conv2D(filters, 1, strides=stride, use_bias=False)(x)
        x = keras.layers.BatchNormalization()(x)
    return keras.layers.ReLU()(keras.layers.Add()([x, y]))


inputs = keras.Input((32, 32, 3))
x = keras.layers.Conv2D(24, 3, padding="same", use_bias=False)(inputs)
x = keras.layers.ReLU()(keras.layers.BatchNormalization()(x))
for filters, stride in ((24, 1), (24, 1), (48, 2), (48, 1), (96, 2), (96, 1)):
    x = block(x, filters, stride)
x = keras.layers.GlobalAveragePooling2D()(x)
model = keras.Model(inputs, keras.layers.Dense(10)(x))

images = np.random.default_rng(1).normal(size=(320, 32, 32, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=320)
dataset = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(320, seed=3)
dataset = dataset.map(lambda image, label: (tf.image.flip_left_right(image), label)).batch(64).prefetch(2)
model.compile(
    keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True, weight_decay=5e-4),
    keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(dataset, epochs=2, verbose=2)
print_digest(model.variables + model.optimizer.variables)
