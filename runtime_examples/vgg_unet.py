"""The vgg_unet of the segmentation literature: all of VGG16's convolutions, and a decoder that upsamples.

Its logits have half the image's height and width.
"""

import keras
from keras import layers

# Channels of the decoder's convolutions; all but the last are followed by upsampling.
_DECODER = (512, 256, 128, 64)


def vgg_unet(shape, classes):
    """Returns a model from [batch, height, width, 3] to a logit per 2x2 pixels and class; sides are multiples of 16."""
    encoder = keras.applications.VGG16(weights=None, include_top=False, input_shape=(*shape, 3))
    x = encoder.get_layer("block4_pool").output
    for i, channels in enumerate(_DECODER):
        x = layers.Conv2D(channels, 3, padding="same", activation="relu", name=f"up{i}_conv")(x)
        x = layers.BatchNormalization(name=f"up{i}_norm")(x)
        if i + 1 < len(_DECODER):
            x = layers.UpSampling2D(name=f"up{i}_upsample")(x)
            skip = encoder.get_layer(f"block{len(_DECODER) - 1 - i}_pool").output
            x = layers.Concatenate(name=f"up{i}_skip")([x, skip])
    outputs = layers.Conv2D(classes, 3, padding="same", name="logits")(x)
    return keras.Model(encoder.input, outputs, name="vgg_unet")
