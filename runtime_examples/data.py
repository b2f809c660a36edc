"""Made-up training data of real shapes: the same for the same seed."""

import numpy as np

# Enough for consecutive steps to see different batches.
BATCHES = 3


def make_data(example, batch, image, seed):
    """Returns float32[n, image, image, 3] and labels int32[n] or int32[n, image, image]; n is BATCHES * batch."""
    random = np.random.default_rng(seed)
    count = BATCHES * batch
    images = random.random((count, image, image, 3), dtype=np.float32)
    label_shape = (count, image, image) if example.label_per_pixel else (count,)
    labels = random.integers(0, example.classes, label_shape, dtype=np.int32)
    return images, labels
