"""Language models of any number of equal blocks of attention and a wide layer: one like GPT-2, one like BERT."""

import keras
from keras import layers

_WIDTH = 768
_HEADS = 12
_WIDENING = 4


class AddPosition(layers.Layer):
    """Adds a trained vector to each position."""

    def build(self, shape):
        self.table = self.add_weight(shape=shape[1:], name="table")

    def call(self, x):
        return x + self.table


def _embed(tokens, vocabulary):
    inputs = keras.Input((tokens,), dtype="int32")
    x = layers.Embedding(vocabulary, _WIDTH, name="words")(inputs)
    return inputs, AddPosition(name="positions")(x)


def _attend(x, name, causal):
    attention = layers.MultiHeadAttention(_HEADS, _WIDTH // _HEADS, name=f"{name}_attention")
    return attention(x, x, use_causal_mask=causal)


def _widen(x, name):
    x = layers.Dense(_WIDENING * _WIDTH, activation="gelu", name=f"{name}_wide")(x)
    return layers.Dense(_WIDTH, name=f"{name}_narrow")(x)


def _gpt_block(x, name):
    """Sees earlier tokens only; normalises before each half."""
    y = layers.LayerNormalization(name=f"{name}_attention_norm")(x)
    x = layers.Add(name=f"{name}_attention_add")([x, _attend(y, name, causal=True)])
    y = layers.LayerNormalization(name=f"{name}_wide_norm")(x)
    return layers.Add(name=f"{name}_wide_add")([x, _widen(y, name)])


def _bert_block(x, name):
    """Sees all tokens; normalises after each half."""
    x = layers.Add(name=f"{name}_attention_add")([x, _attend(x, name, causal=False)])
    x = layers.LayerNormalization(name=f"{name}_attention_norm")(x)
    x = layers.Add(name=f"{name}_wide_add")([x, _widen(x, name)])
    return layers.LayerNormalization(name=f"{name}_wide_norm")(x)


def gpt(shape, vocabulary, blocks):
    """Returns a model from int32[batch, tokens] to a logit per token and word of the vocabulary."""
    inputs, x = _embed(shape[0], vocabulary)
    for i in range(blocks):
        x = _gpt_block(x, f"block{i}")
    x = layers.LayerNormalization(name="norm")(x)
    return keras.Model(inputs, layers.Dense(vocabulary, use_bias=False, name="logits")(x), name="gpt")


def bert(shape, vocabulary, blocks):
    """As gpt(), with BERT's blocks, and its head that guesses words."""
    inputs, x = _embed(shape[0], vocabulary)
    x = layers.LayerNormalization(name="words_norm")(x)
    for i in range(blocks):
        x = _bert_block(x, f"block{i}")
    x = layers.Dense(_WIDTH, activation="gelu", name="head")(x)
    x = layers.LayerNormalization(name="head_norm")(x)
    return keras.Model(inputs, layers.Dense(vocabulary, name="logits")(x), name="bert")
