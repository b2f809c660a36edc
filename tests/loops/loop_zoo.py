"""Trains small models with loops and conditionals, one after the other, and writes what each computed.

    python loop_zoo.py [--models=lstm,scan] [--watch=DIR] --json=FILE

FILE gets {model: {losses, sha256, files}}, where `files` are the graph files that appeared in DIR while the model
trained, or {model: {error}} if it did not train to its end. Knows nothing of STR.
"""

import argparse
import gc
import json
import pathlib

import control_flow_steps
import keras
import recurrent_models
import tensorflow as tf
from training_steps import sha256

CASES = recurrent_models.CASES | control_flow_steps.CASES


def train(name):
    """Computes the same bits whatever was trained before in this process, of which little is left in memory."""
    gc.collect()
    # Keras names layers by count: names, and with them graphs, are to be those of a process of their own.
    keras.backend.clear_session(free_memory=False)
    keras.utils.set_random_seed(1)
    try:
        losses, variables = CASES[name]()
    except tf.errors.OpError as error:
        return {"error": str(error)}
    return {"losses": losses, "sha256": sha256(variables)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=lambda text: text.split(","), default=list(CASES))
    parser.add_argument("--watch", type=pathlib.Path)
    parser.add_argument("--json", required=True)
    options = parser.parse_args()
    tf.config.experimental.enable_op_determinism()
    tf.config.threading.set_inter_op_parallelism_threads(1)
    # What the imports made stays anyway: to look through it after every model would take longer than to train it.
    gc.freeze()
    results = {}
    seen = set()
    for name in options.models:
        results[name] = train(name)
        found = set(options.watch.glob("*.graph")) if options.watch else set()
        results[name]["files"] = sorted(str(path) for path in found - seen)
        seen |= found
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
