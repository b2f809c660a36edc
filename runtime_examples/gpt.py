"""A language model like GPT-2: a stack of equal blocks of causal attention and a wide layer."""

import keras
from keras import layers

_WIDTH = 768
_HEADS = 12
_WIDENING = 4


class _AddPosition(layers.Layer):
    """Adds a trained vector to each position."""

    def build(self, shape):
        self.table = self.add_weight(shape=shape[1:], name="table")

    def call(self, x):
        return x + self.table


def _block(x, name):
    y = layers.LayerNormalization(name=f"{name}_attention_norm")(x)
    y = layers.MultiHeadAttention(_HEADS, _WIDTH // _HEADS, name=f"{name}_attention")(y, y, use_causal_mask=True)
    x = layers.Add(name=f"{name}_attention_add")([x, y])
    y = layers.LayerNormalization(name=f"{name}_wide_norm")(x)
    y = layers.Dense(_WIDENING * _WIDTH, activation="gelu", name=f"{name}_wide")(y)
    y = layers.Dense(_WIDTH, name=f"{name}_narrow")(y)
    return layers.Add(name=f"{name}_wide_add")([x, y])


def gpt(tokens, blocks, vocabulary):
    """Returns a model from int32[batch, tokens] to a logit per token and word of the vocabulary."""
    inputs = keras.Input((tokens,), dtype="int32")
    x = layers.Embedding(vocabulary, _WIDTH, name="words")(inputs)
    x = _AddPosition(name="positions")(x)
    for i in range(blocks):
        x = _block(x, f"block{i}")
    x = layers.LayerNormalization(name="norm")(x)
    return keras.Model(inputs, layers.Dense(vocabulary, use_bias=False, name="logits")(x), name="gpt")
