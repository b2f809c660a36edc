"""Made-up training data of real shapes: the same for the same seed and number of batches."""

import numpy as np

# Enough for consecutive steps to see different batches.
_MOST_BATCHES = 3


def make_data(options, vocabulary, label_shape):
    """Returns the inputs, float32[n, height, width, 3] or int32[n, tokens], and int32 labels; n is a multiple of batch.

    `options` as of train.py; `vocabulary` is None for images.
    """
    random = np.random.default_rng(options.seed)
    count = min(_MOST_BATCHES, options.steps) * options.batch
    if vocabulary is None:
        inputs = random.random((count, *options.shape, 3), dtype=np.float32)
    else:
        inputs = random.integers(0, vocabulary, (count, *options.shape), dtype=np.int32)
    labels = random.integers(0, options.classes, (count, *label_shape), dtype=np.int32)
    return inputs, labels
