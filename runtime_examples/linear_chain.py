"""A chain of any number of equal layers: every activation has the same size, every layer the same work."""

import keras
from keras import layers

_CHANNELS = 16


def linear_chain(shape, classes, count):
    """Returns a model of `count` convolutions from [batch, height, width, 3] to a logit per class."""
    inputs = keras.Input((*shape, 3))
    x = inputs
    for i in range(count):
        x = layers.Conv2D(_CHANNELS, 3, padding="same", activation="relu", name=f"conv{i}")(x)
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    return keras.Model(inputs, layers.Dense(classes, name="logits")(x), name="linear_chain")
