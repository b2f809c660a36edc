"""What a Keras layer costs in the cost model of the rematerialization literature: multiplications, from shapes alone.

Layers that only move or pick values cost nothing. A layer of a class that is not listed is refused by name.
"""

import math

_FREE = {
    "AveragePooling2D",
    "Concatenate",
    "Cropping2D",
    "Dropout",
    "Embedding",
    "Flatten",
    "GlobalAveragePooling2D",
    "GlobalMaxPooling2D",
    "MaxPooling2D",
    "Permute",
    "Reshape",
    "UpSampling2D",
    "ZeroPadding2D",
}
_ONE_AN_INPUT = {
    "Activation",
    "Add",
    "AddPosition",
    "Average",
    "ELU",
    "LeakyReLU",
    "Maximum",
    "Multiply",
    "Normalization",
    "PReLU",
    "ReLU",
    "Rescaling",
    "Softmax",
    "Subtract",
}
_FOUR_AN_INPUT = {"BatchNormalization", "LayerNormalization"}


def _convolution(layer, inputs, output):
    return math.prod(layer.kernel_size) * inputs[0][-1] // layer.groups * math.prod(output)


def _depthwise(layer, inputs, output):
    return math.prod(layer.kernel_size) * math.prod(output)


def _separable(layer, inputs, output):
    channels = inputs[0][-1] * layer.depth_multiplier
    return channels * (math.prod(layer.kernel_size) * math.prod(output[:-1]) + math.prod(output))


def _transposed(layer, inputs, output):
    return inputs[0][-1] * math.prod(output)


def _dense(layer, inputs, output):
    return math.prod(inputs[0]) * output[-1]


def _attention(layer, inputs, output):
    """Four projections, and each token with each."""
    width = layer.num_heads * layer.key_dim
    tokens, channels = inputs[0][-2:]
    return math.prod(inputs[0][:-1]) * (4 * channels * width + 2 * tokens * width)


_OF_THEIR_OWN = {
    "Conv1D": _convolution,
    "Conv2D": _convolution,
    "DepthwiseConv2D": _depthwise,
    "SeparableConv2D": _separable,
    "Conv2DTranspose": _transposed,
    "Dense": _dense,
    "MultiHeadAttention": _attention,
}


def layer_flops(layer, inputs, output):
    """`inputs` and `output` are shapes, the batch included. ValueError for a layer that is not known."""
    kind = type(layer).__name__
    if kind in _FREE:
        return 0
    if kind in _ONE_AN_INPUT:
        return sum(math.prod(shape) for shape in inputs)
    if kind in _FOUR_AN_INPUT:
        return 4 * math.prod(inputs[0])
    if kind in _OF_THEIR_OWN:
        return _OF_THEIR_OWN[kind](layer, inputs, output)
    raise ValueError(f"what layer {layer.name}, a {kind}, costs is not known: add its class to layer_flops.py")
