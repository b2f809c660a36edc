"""The last lines of every script here: a digest of what it trained, and what TensorFlow counted."""

import hashlib

import tensorflow as tf


def print_digest(variables):
    """Prints `digest HEX`, over types, shapes and bits, and `peak BYTES` where TensorFlow counts the device's bytes."""
    digest = hashlib.sha256()
    for variable in variables:
        value = variable.numpy()
        digest.update(f"{value.dtype}{value.shape}".encode())
        digest.update(value.tobytes())
    print("digest", digest.hexdigest())
    try:
        print("peak", tf.config.experimental.get_memory_info("CPU:0")["peak"])
    except ValueError:
        print("peak unknown")
