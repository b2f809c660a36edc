"""Segmentation models as the literature on memory measures them: an encoder that halves the image, a decoder.

Each takes (height, width) and the number of classes, and returns a model from [batch, height, width, 3] to logits per
class and place. Convolutions of decoders pad in a layer of their own. How many places there are is the model's own
matter: the U-Nets and segnet have half the image's sides, the fcn ones slightly more than the whole image.
"""

import keras
from keras import layers

_BINS = (1, 2, 3, 6)


def _padded_conv(x, channels, activation=None):
    x = layers.ZeroPadding2D(1)(x)
    return layers.Conv2D(channels, 3, activation=activation)(x)


def _conv_norm(x, channels, activation="relu"):
    return layers.BatchNormalization()(_padded_conv(x, channels, activation))


# Encoders return the input and the features at 1/2, 1/4, ... of its sides.


def _plain_encoder(shape, channels=(64, 128, 256, 256, 256)):
    inputs = keras.Input((*shape, 3))
    x, features = inputs, []
    for count in channels:
        x = layers.Activation("relu")(_conv_norm(x, count, activation=None))
        x = layers.MaxPooling2D()(x)
        features.append(x)
    return inputs, features


def _features_of(application, names):
    def encode(shape):
        model = application(weights=None, include_top=False, input_shape=(*shape, 3))
        return model.input, [model.get_layer(name).output for name in names]

    return encode


_vgg_encoder = _features_of(keras.applications.VGG16, [f"block{i}_pool" for i in range(1, 6)])
_resnet50_encoder = _features_of(
    keras.applications.ResNet50, ["conv1_relu", "conv2_block3_out", "conv3_block4_out", "conv4_block6_out"]
)
_mobilenet_encoder = _features_of(
    keras.applications.MobileNet, ["conv_pw_1_relu", "conv_pw_3_relu", "conv_pw_5_relu", "conv_pw_11_relu"]
)


def _unet(encoder, shape, classes, name):
    inputs, (half, quarter, eighth, x, *_) = encoder(shape)
    for channels, skip in ((512, eighth), (256, quarter), (128, half)):
        x = layers.UpSampling2D()(_conv_norm(x, channels))
        x = layers.Concatenate()([x, skip])
    x = _conv_norm(x, 64)
    return keras.Model(inputs, layers.Conv2D(classes, 3, padding="same")(x), name=name)


def padded_vgg_unet(shape, classes):
    return _unet(_vgg_encoder, shape, classes, "vgg_unet")


def resnet50_unet(shape, classes):
    return _unet(_resnet50_encoder, shape, classes, "resnet50_unet")


def mobilenet_unet(shape, classes):
    return _unet(_mobilenet_encoder, shape, classes, "mobilenet_unet")


def segnet(shape, classes):
    inputs, (_, _, _, x, *_) = _plain_encoder(shape, channels=(64, 128, 256, 256))
    x = _conv_norm(x, 512, activation=None)
    for channels in (256, 128, 64):
        x = _conv_norm(layers.UpSampling2D()(x), channels, activation=None)
    return keras.Model(inputs, layers.Conv2D(classes, 3, padding="same")(x), name="segnet")


def _fully_convolutional(shape, classes):
    """VGG16 whose dense layers are convolutions: a score per class and 32x32 pixels. Also the finer features."""
    inputs, (_, _, eighth, sixteenth, x) = _vgg_encoder(shape)
    for kernel in (7, 1):
        x = layers.Conv2D(4096, kernel, padding="same", activation="relu")(x)
        x = layers.Dropout(0.5)(x)
    return inputs, layers.Conv2D(classes, 1)(x), eighth, sixteenth


def fcn_32(shape, classes):
    inputs, x, _, _ = _fully_convolutional(shape, classes)
    x = layers.Conv2DTranspose(classes, 64, strides=32, use_bias=False)(x)
    return keras.Model(inputs, x, name="fcn_32")


def fcn_8(shape, classes):
    inputs, x, eighth, sixteenth = _fully_convolutional(shape, classes)
    for skip in (sixteenth, eighth):
        # Two rows and columns too many; cut off one after the other.
        x = layers.Conv2DTranspose(classes, 4, strides=2, use_bias=False)(x)
        x = layers.Cropping2D(((0, 0), (0, 2)))(x)
        x = layers.Cropping2D(((0, 2), (0, 0)))(x)
        x = layers.Add()([x, layers.Conv2D(classes, 1)(skip)])
    x = layers.Conv2DTranspose(classes, 16, strides=8, use_bias=False)(x)
    return keras.Model(inputs, x, name="fcn_8")


def _pooled(x, bins):
    """The mean over bins x bins parts of the image, convolved, as large as x again."""
    size = tuple(side // bins for side in x.shape[1:3])
    y = layers.AveragePooling2D(size)(x)
    y = layers.Conv2D(512, 1, use_bias=False)(y)
    y = layers.Activation("relu")(layers.BatchNormalization()(y))
    return layers.UpSampling2D(size, interpolation="bilinear")(y)


def pspnet(shape, classes):
    inputs, (*_, features) = _plain_encoder(shape)
    x = layers.Concatenate()([features, *(_pooled(features, bins) for bins in _BINS)])
    x = layers.Conv2D(512, 1, use_bias=False)(x)
    x = layers.Activation("relu")(layers.BatchNormalization()(x))
    x = layers.Conv2D(classes, 3, padding="same")(x)
    x = layers.UpSampling2D(8, interpolation="bilinear")(x)
    return keras.Model(inputs, x, name="pspnet")
