"""The example models, each with a batch and input size at which activations outweigh the weights."""

import dataclasses
from collections.abc import Callable

import keras
from gpt import gpt
from unet_vgg import unet_vgg
from vgg_unet import vgg_unet

_CLASSES = 10
_VOCABULARY = 50257


@dataclasses.dataclass(frozen=True)
class Example:
    """How to build a model, and the sizes it is trained at unless others are asked for."""

    # From the shape of one input, (height, width) of an image or (tokens,) of a text, to a Keras model that ends in
    # logits. Models of blocks take their number as a second argument.
    build: Callable[..., keras.Model]
    batch: int
    shape: tuple[int, ...]
    # One label for so many pixels or tokens in each direction; None: one an input.
    label_every: int | None = None
    classes: int = _CLASSES
    # Inputs are texts of so many different tokens; None: images.
    vocabulary: int | None = None
    blocks: int | None = None

    def label_shape(self, shape):
        return () if self.label_every is None else tuple(side // self.label_every for side in shape)


def _application(make):
    """A model of keras.applications, untrained."""
    return lambda shape: make(
        weights=None, input_shape=(*shape, 3), classes=_CLASSES, classifier_activation=None
    )


EXAMPLES = {
    "vgg16": Example(_application(keras.applications.VGG16), batch=32, shape=(96, 96)),
    "unet": Example(lambda shape: unet_vgg(shape, _CLASSES), batch=4, shape=(128, 128), label_every=1),
    "mobilenet": Example(_application(keras.applications.MobileNet), batch=32, shape=(128, 128)),
    "resnet50": Example(_application(keras.applications.ResNet50), batch=16, shape=(96, 96)),
    "vgg_unet": Example(lambda shape: vgg_unet(shape, _CLASSES), batch=4, shape=(128, 128), label_every=2),
    "gpt": Example(
        lambda shape, blocks: gpt(shape[0], blocks, _VOCABULARY),
        batch=4,
        shape=(128,),
        label_every=1,
        classes=_VOCABULARY,
        vocabulary=_VOCABULARY,
        blocks=4,
    ),
}
