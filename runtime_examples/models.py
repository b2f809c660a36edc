"""The example models, each with a batch and image size at which activations outweigh the weights."""

import dataclasses
from collections.abc import Callable

import keras
from unet_vgg import unet_vgg

_CLASSES = 10


@dataclasses.dataclass(frozen=True)
class Example:
    """How to build a model, and the sizes it is trained at unless others are asked for."""

    # From the image's side in pixels to a Keras model that ends in logits.
    build: Callable[[int], keras.Model]
    batch: int
    image: int
    # One label a pixel (segmentation) instead of one an image.
    label_per_pixel: bool = False
    classes: int = _CLASSES


def _vgg16(image):
    return keras.applications.VGG16(
        weights=None, input_shape=(image, image, 3), classes=_CLASSES, classifier_activation=None
    )


def _mobilenet(image):
    return keras.applications.MobileNet(
        weights=None, input_shape=(image, image, 3), classes=_CLASSES, classifier_activation=None
    )


def _unet(image):
    return unet_vgg(image, _CLASSES)


EXAMPLES = {
    "vgg16": Example(_vgg16, batch=32, image=96),
    "unet": Example(_unet, batch=4, image=128, label_per_pixel=True),
    "mobilenet": Example(_mobilenet, batch=32, image=128),
}
