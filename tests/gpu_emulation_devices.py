"""The emulated GPU's devices and their memory.

    ./str python --emulated-gpu tests/gpu_emulation_devices.py mirrored|fill --json=FILE

mirrored: trains on all devices. fill: allocates on one until it is full.
"""

import argparse
import json

from gpu_counts import EmulatedGpu
from gpu_emulation_models import images, keras, make_batchnorm_net, np, tf


def train_mirrored():
    names = [device.name for device in tf.config.list_logical_devices("GPU")]
    # The default reduction needs NVIDIA's collectives, which are not emulated.
    strategy = tf.distribute.MirroredStrategy(names, cross_device_ops=tf.distribute.ReductionToOneDevice())
    with strategy.scope():
        keras.utils.set_random_seed(7)
        model = make_batchnorm_net()
        model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
    history = model.fit(*images(), batch_size=16, epochs=4, shuffle=False, verbose=0)
    weights = [[replica.numpy() for replica in variable.value.values] for variable in model.trainable_variables]
    equal = all(np.array_equal(first, other) for first, *others in weights for other in others)
    return {
        "devices": len(names),
        "copies_per_weight": [len(replicas) for replicas in weights],
        "replicas_equal": equal,
        "losses": history.history["loss"],
    }


def fill():
    kept = []
    try:
        with tf.device("/GPU:0"):
            while len(kept) < 1024:
                kept.append(tf.fill([1 << 18], 1.0))
    except tf.errors.OpError as error:
        return {"error": type(error).__name__, "mebibytes": len(kept)}
    return {"error": None, "mebibytes": len(kept)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("mirrored", "fill"))
    parser.add_argument("--json", required=True)
    options = parser.parse_args()
    results = train_mirrored() if options.what == "mirrored" else fill()
    results["counts"] = EmulatedGpu().counts()
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
