"""The model zoo: models by name, each with sizes at which it trains on a small machine, and its full size."""

import dataclasses
from collections.abc import Callable

import keras
import segmentation
from language_models import bert, gpt
from linear_chain import linear_chain
from unet_vgg import unet_vgg
from vgg_unet import vgg_unet


@dataclasses.dataclass(frozen=True)
class Example:
    """How to build a model, and the sizes it is trained at unless others are asked for."""

    family: str
    # From the shape of one input, (height, width) of an image or (tokens,) of a text, and the number of classes to a
    # Keras model that ends in logits. Models of equal parts take the number of these as a third argument.
    build: Callable[..., keras.Model]
    batch: int = 16
    shape: tuple[int, ...] = (96, 96)
    classes: int = 10
    # Inputs are texts of so many different tokens; None: images.
    vocabulary: int | None = None
    blocks: int | None = None
    # The smallest input, and what its sides must be multiples of.
    least_side: int = 32
    side_step: int = 1
    # As trained in the literature.
    full_shape: tuple[int, ...] = (224, 224)
    full_classes: int = 1000

    def make(self, shape, classes=None, blocks=None):
        parts = [] if self.blocks is None else [blocks or self.blocks]
        return self.build(shape, classes or self.classes, *parts)

    def refusal(self, shape):
        """Why the model does not take inputs of this shape; None: it does."""
        if min(shape) >= self.least_side and all(side % self.side_step == 0 for side in shape):
            return None
        multiples = f" that are multiples of {self.side_step}" if self.side_step > 1 else ""
        return f"takes sides of at least {self.least_side}{multiples}"

    def smallest_shape(self):
        side = -(-self.least_side // self.side_step) * self.side_step
        return (side,) * len(self.shape)


def _application(make):
    """A model of keras.applications, untrained."""
    return lambda shape, classes: make(
        weights=None, input_shape=(*shape, 3), classes=classes, classifier_activation=None
    )


# Names as in keras.applications, in lower case; sides of full-size images where they are not 224, and the smallest.
_APPLICATIONS = {
    "VGG": ("VGG16", "VGG19"),
    "ResNet": ("ResNet50", "ResNet101", "ResNet152", "ResNet50V2", "ResNet101V2", "ResNet152V2"),
    "MobileNet": ("MobileNet", "MobileNetV2", "MobileNetV3Small", "MobileNetV3Large"),
    "DenseNet": ("DenseNet121", "DenseNet169", "DenseNet201"),
    "Inception": ("InceptionV3", "InceptionResNetV2", "Xception"),
    "NASNet": ("NASNetMobile", "NASNetLarge"),
    "EfficientNet": tuple(f"EfficientNetB{i}" for i in range(8)),
}
_FULL_SIDES = {
    "InceptionV3": 299,
    "InceptionResNetV2": 299,
    "Xception": 299,
    "NASNetLarge": 331,
    "EfficientNetB1": 240,
    "EfficientNetB2": 260,
    "EfficientNetB3": 300,
    "EfficientNetB4": 380,
    "EfficientNetB5": 456,
    "EfficientNetB6": 528,
    "EfficientNetB7": 600,
}
_LEAST_SIDES = {"InceptionV3": 75, "InceptionResNetV2": 75, "Xception": 71}
_OWN_SIZES = {"VGG16": {"batch": 32}, "MobileNet": {"batch": 32, "shape": (128, 128)}}

_SEGMENTATION = {"batch": 4, "shape": (128, 128), "full_shape": (416, 608), "full_classes": 19}


def _application_examples():
    examples = {}
    for family, names in _APPLICATIONS.items():
        for name in names:
            examples[name.lower()] = Example(
                family,
                _application(getattr(keras.applications, name)),
                least_side=_LEAST_SIDES.get(name, 32),
                full_shape=(_FULL_SIDES.get(name, 224),) * 2,
                **_OWN_SIZES.get(name, {}),
            )
    return examples


def _segmentation(build, side_step, **sizes):
    return Example("segmentation", build, side_step=side_step, **{**_SEGMENTATION, **sizes})


def _language(build, vocabulary, full_tokens):
    return Example(
        "language",
        build,
        batch=4,
        shape=(128,),
        classes=vocabulary,
        vocabulary=vocabulary,
        blocks=4,
        least_side=1,
        full_shape=(full_tokens,),
        full_classes=vocabulary,
    )


EXAMPLES = {
    **_application_examples(),
    "unet": _segmentation(unet_vgg, side_step=8),
    "vgg_unet": _segmentation(vgg_unet, side_step=16),
    "resnet50_unet": _segmentation(segmentation.resnet50_unet, side_step=16),
    "mobilenet_unet": _segmentation(segmentation.mobilenet_unet, side_step=16),
    "fcn_8": _segmentation(segmentation.fcn_8, side_step=32),
    "fcn_32": _segmentation(segmentation.fcn_32, side_step=32),
    "segnet": _segmentation(segmentation.segnet, side_step=16),
    "pspnet": _segmentation(segmentation.pspnet, side_step=192, shape=(192, 192), full_shape=(384, 576)),
    "linear_chain": Example("chain", linear_chain, blocks=16, least_side=1),
    "gpt": _language(gpt, vocabulary=50257, full_tokens=1024),
    "bert": _language(bert, vocabulary=30522, full_tokens=512),
}


def list_of_examples():
    """A line for each model: name, family, default batch and input, full-size input and classes."""
    header = f"{'name':<18} {'family':<13} {'batch':>5}  {'input':<8} {'full size':<9} classes"
    lines = [header]
    for name, example in EXAMPLES.items():
        small, full = ("x".join(map(str, shape)) for shape in (example.shape, example.full_shape))
        lines.append(
            f"{name:<18} {example.family:<13} {example.batch:>5}  {small:<8} {full:<9} {example.full_classes}"
        )
    return "\n".join(lines)
