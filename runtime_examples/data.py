"""Made-up training data of real shapes: the same for the same seed and number of batches."""

import numpy as np

# Enough for consecutive steps to see different batches.
_MOST_BATCHES = 3


def make_data(example, batch, shape, steps, seed):
    """Returns the inputs, float32[n, height, width, 3] or int32[n, tokens], and int32 labels; n is a multiple of batch."""
    random = np.random.default_rng(seed)
    count = min(_MOST_BATCHES, steps) * batch
    if example.vocabulary is None:
        inputs = random.random((count, *shape, 3), dtype=np.float32)
    else:
        inputs = random.integers(0, example.vocabulary, (count, *shape), dtype=np.int32)
    labels = random.integers(0, example.classes, (count, *example.label_shape(shape)), dtype=np.int32)
    return inputs, labels
