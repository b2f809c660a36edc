"""Small Keras models with recurrent layers, which TensorFlow runs as loops. Each case trains for a few steps when
called, and returns its losses and variables.

Each layer stands between Dense layers, whose activations are what there is to plan, before the loop and behind it.
"""

import keras
import numpy as np
import tensorflow as tf
from keras import layers
from training_steps import STEPS, fit, run_steps

_BATCH, _TIME, _FEATURES, _WIDTH, _CLASSES = 64, 16, 32, 128, 5
_WORDS = 50


def _sequences(count=_BATCH, shape=(_TIME, _FEATURES)):
    """Inputs and labels; the ends of some sequences are padding."""
    random = np.random.RandomState(1)
    inputs = random.standard_normal((count, *shape)).astype(np.float32)
    inputs[: count // 2, -shape[0] // 4 :] = 0
    return inputs, random.randint(0, _CLASSES, count)


def _words():
    inputs, labels = _sequences()
    return np.random.RandomState(2).randint(0, _WORDS, inputs.shape[:2]), labels


def _cross_entropy():
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def _between_dense(*between):
    """Dense, these layers, and Dense again, for every place if there still is a sequence."""
    inputs = keras.Input((_TIME, _FEATURES), batch_size=_BATCH)
    x = layers.Dense(_WIDTH, activation="relu")(inputs)
    x = layers.Dense(_WIDTH, activation="tanh")(x)
    for layer in between:
        x = layer(x)
    return keras.Model(inputs, _head(x))


def _head(x):
    x = layers.Dense(_WIDTH, activation="relu")(x)
    x = layers.Dense(_WIDTH, activation="relu")(x)
    while len(x.shape) > 2:
        x = keras.ops.mean(x, axis=1)
    return layers.Dense(_CLASSES)(x)


def _custom_loop(model, data=None, optimizer=None, loss=None, clip_norm=None):
    optimizer = optimizer or keras.optimizers.SGD(1e-2, momentum=0.9)
    optimizer.build(model.trainable_variables)
    loss = loss or _cross_entropy()
    inputs, labels = (tf.constant(values) for values in data or _sequences())

    @tf.function
    def step(inputs, labels):
        with tf.GradientTape() as tape:
            value = loss(labels, model(inputs, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        if clip_norm:
            gradients, _ = tf.clip_by_global_norm(gradients, clip_norm)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return value

    losses = run_steps(lambda: step(inputs, labels))
    return losses, model.variables + optimizer.variables


def _layers_case(make_layers):
    """The case of what `make_layers` returns, a layer or several, between Dense layers."""

    def train():
        made = make_layers()
        return _custom_loop(_between_dense(*(made if isinstance(made, list) else [made])))

    return train


def _bidirectional_lstm_with_clipping():
    inputs = keras.Input((24, 16), batch_size=32)
    x = layers.Dense(64)(inputs)
    x = layers.Bidirectional(layers.LSTM(32, return_sequences=True))(x)
    x = layers.Dense(128, activation="relu")(x)
    x = layers.Dense(128, activation="relu")(x)
    x = layers.GlobalAveragePooling1D()(x)
    model = keras.Model(inputs, layers.Dense(5)(x))
    optimizer = keras.optimizers.AdamW(1e-3, clipnorm=1.0)
    return _custom_loop(model, _sequences(32, (24, 16)), optimizer, clip_norm=1.0)


def _fit_with_gru():
    model = keras.Sequential(
        [keras.Input((24, 16), batch_size=32), layers.Dense(64), layers.GRU(64), layers.Dense(_CLASSES)]
    )
    model.compile("adam", _cross_entropy())
    losses = fit(model, *_sequences(32 * STEPS, (24, 16)))
    return losses, model.variables + model.optimizer.variables


def _fit_with_dropout_and_statistics():
    """Masks, seeds, BatchNorm and a metric: all that a step changes besides weights."""
    model = _between_dense(
        layers.Masking(),
        layers.LSTM(_WIDTH, return_sequences=True, dropout=0.2),
        layers.BatchNormalization(),
        layers.GRU(_WIDTH),
        layers.Dropout(0.3),
    )
    model.compile(keras.optimizers.AdamW(1e-3, global_clipnorm=1.0), _cross_entropy(), metrics=["accuracy"])
    losses = fit(model, *_sequences(_BATCH * STEPS))
    return losses, model.variables + model.optimizer.variables + model.metrics_variables


def _embedding_with_mask():
    inputs = keras.Input((_TIME,), batch_size=_BATCH, dtype="int32")
    x = layers.Embedding(_WORDS, _WIDTH, mask_zero=True)(inputs)
    x = layers.GRU(_WIDTH, return_sequences=True)(x)
    return _custom_loop(keras.Model(inputs, _head(x)), _words())


def _masking():
    inputs = keras.Input((_TIME, _FEATURES), batch_size=_BATCH)
    x = layers.Masking()(inputs)
    x = layers.LSTM(_WIDTH, return_sequences=True)(x)
    return _custom_loop(keras.Model(inputs, _head(x)))


def _convolutional(layer, shape):
    def train():
        inputs = keras.Input(shape, batch_size=8)
        x = layers.Dense(16, activation="relu")(inputs)
        x = layer()(x)
        x = layers.BatchNormalization()(x)
        return _custom_loop(keras.Model(inputs, _head(x)), _sequences(8, shape))

    return train


def _ctc():
    """The loss is a loop of its own behind that of the layer."""
    inputs = keras.Input((_TIME, _FEATURES), batch_size=_BATCH)
    x = layers.Dense(_WIDTH, activation="relu")(inputs)
    x = layers.LSTM(_WIDTH, return_sequences=True)(x)
    x = layers.Dense(_WIDTH, activation="relu")(x)
    model = keras.Model(inputs, layers.Dense(_WORDS)(x))
    words = np.random.RandomState(3).randint(1, _WORDS, (_BATCH, 4)).astype(np.int32)
    return _custom_loop(model, (_sequences()[0], words), loss=keras.losses.CTC())


CASES = {
    "bidirectional_lstm_with_clipping": _bidirectional_lstm_with_clipping,
    "fit_with_gru": _fit_with_gru,
    "fit_with_dropout_and_statistics": _fit_with_dropout_and_statistics,
    "lstm": _layers_case(lambda: layers.LSTM(_WIDTH)),
    "lstm_sequences": _layers_case(lambda: layers.LSTM(_WIDTH, return_sequences=True)),
    "lstm_backwards": _layers_case(lambda: layers.LSTM(_WIDTH, return_sequences=True, go_backwards=True)),
    "lstm_unrolled": _layers_case(lambda: layers.LSTM(_WIDTH, return_sequences=True, unroll=True)),
    "lstm_stateful": _layers_case(lambda: layers.LSTM(_WIDTH, return_sequences=True, stateful=True)),
    "lstm_recurrent_dropout": _layers_case(
        lambda: layers.LSTM(_WIDTH, return_sequences=True, dropout=0.2, recurrent_dropout=0.3)
    ),
    "gru": _layers_case(lambda: layers.GRU(_WIDTH)),
    "gru_sequences": _layers_case(lambda: layers.GRU(_WIDTH, return_sequences=True)),
    "gru_reset_before": _layers_case(lambda: layers.GRU(_WIDTH, return_sequences=True, reset_after=False)),
    "simple_rnn": _layers_case(lambda: layers.SimpleRNN(_WIDTH)),
    "stacked": _layers_case(
        lambda: [
            layers.LSTM(_WIDTH, return_sequences=True),
            layers.BatchNormalization(),
            layers.GRU(_WIDTH, return_sequences=True, go_backwards=True),
            layers.Dropout(0.2),
            layers.SimpleRNN(_WIDTH, return_sequences=True),
        ]
    ),
    "bidirectional_gru": _layers_case(
        lambda: layers.Bidirectional(layers.GRU(_WIDTH, return_sequences=True), merge_mode="sum")
    ),
    "cell": _layers_case(lambda: layers.RNN(layers.LSTMCell(_WIDTH), return_sequences=True)),
    "cells": _layers_case(
        lambda: layers.RNN([layers.GRUCell(_WIDTH), layers.LSTMCell(_WIDTH)], return_sequences=True)
    ),
    "time_distributed": _layers_case(
        lambda: [layers.TimeDistributed(layers.Dense(_WIDTH)), layers.GRU(_WIDTH, return_sequences=True)]
    ),
    "masking": _masking,
    "embedding_with_mask": _embedding_with_mask,
    "conv_lstm_1d": _convolutional(
        lambda: layers.ConvLSTM1D(16, 3, padding="same", return_sequences=True), (6, 256, 4)
    ),
    "conv_lstm_2d": _convolutional(
        lambda: layers.ConvLSTM2D(16, 3, padding="same", return_sequences=True), (4, 16, 16, 4)
    ),
    "ctc": _ctc,
}
