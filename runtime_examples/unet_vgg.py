"""U-Net for segmentation whose encoder is the first four blocks of VGG16."""

import keras
from keras import layers

# Channels and convolutions of each encoder block, as in VGG16; the last block is the bottom of the U.
_BLOCKS = ((64, 2), (128, 2), (256, 3), (512, 3))


def _conv_block(x, channels, convolutions, name):
    for i in range(convolutions):
        x = layers.Conv2D(channels, 3, padding="same", activation="relu", name=f"{name}_conv{i + 1}")(x)
    return x


def unet_vgg(shape, classes):
    """Returns a model from [batch, height, width, 3] to a logit per pixel and class; sides are multiples of 8."""
    inputs = keras.Input((*shape, 3))
    x = inputs
    skips = []
    for i, (channels, convolutions) in enumerate(_BLOCKS):
        if i > 0:
            x = layers.MaxPooling2D(name=f"down{i}_pool")(x)
        x = _conv_block(x, channels, convolutions, f"down{i}")
        skips.append(x)
    skips.pop()
    for i, (channels, _) in reversed(list(enumerate(_BLOCKS[:-1]))):
        x = layers.Conv2DTranspose(channels, 2, strides=2, name=f"up{i}_transpose")(x)
        x = layers.Concatenate(name=f"up{i}_skip")([skips.pop(), x])
        x = _conv_block(x, channels, 2, f"up{i}")
    outputs = layers.Conv2D(classes, 1, name="logits")(x)
    return keras.Model(inputs, outputs, name="unet_vgg")
