"""Models layer for layer as published measurements have them, where the zoo's own of that name differ.

Today's Keras builds MobileNet with two layers fewer; the zoo's vgg_unet pads within its convolutions.
"""

import keras
import segmentation
from keras import layers

# Channels and stride of each pair of a depthwise and a pointwise convolution.
_MOBILENET = (
    *((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)),
    *[(512, 1)] * 5,
    *((1024, 2), (1024, 1)),
)


def _norm_relu(x, name):
    x = layers.BatchNormalization(name=f"{name}_bn")(x)
    return layers.ReLU(6.0, name=f"{name}_relu")(x)


def _pad(x, name):
    """For a 3x3 convolution of stride 2."""
    return layers.ZeroPadding2D(((0, 1), (0, 1)), name=name)(x)


def mobilenet(shape, classes):
    inputs = keras.Input((*shape, 3))
    x = layers.Conv2D(32, 3, strides=2, use_bias=False, name="conv1")(_pad(inputs, "conv1_pad"))
    x = _norm_relu(x, "conv1")
    for i, (channels, stride) in enumerate(_MOBILENET, start=1):
        if stride == 2:
            x = _pad(x, f"conv_pad_{i}")
        padding = "same" if stride == 1 else "valid"
        x = layers.DepthwiseConv2D(3, strides=stride, padding=padding, use_bias=False, name=f"conv_dw_{i}")(x)
        x = _norm_relu(x, f"conv_dw_{i}")
        x = layers.Conv2D(channels, 1, use_bias=False, name=f"conv_pw_{i}")(x)
        x = _norm_relu(x, f"conv_pw_{i}")
    x = layers.GlobalAveragePooling2D(name="global_average_pooling2d")(x)
    x = layers.Reshape((1, 1, -1), name="reshape_1")(x)
    x = layers.Dropout(0.001, name="dropout")(x)
    x = layers.Conv2D(classes, 1, name="conv_preds")(x)
    x = layers.Reshape((-1,), name="reshape_2")(x)
    return keras.Model(inputs, layers.Activation("softmax", name="act_softmax")(x), name="mobilenet")


PUBLISHED = {"mobilenet": mobilenet, "vgg_unet": segmentation.padded_vgg_unet}
