"""What a training run is judged by: losses, a digest of every variable, step times and peak memory."""

import fcntl
import hashlib
import time

import numpy as np
import tensorflow as tf

_DEVICE = "CPU:0"
# Between two steps, so that another run that waits for its turn gets it.
_PAUSE_SECONDS = 0.01


def variables_sha256(model, optimizer):
    """Digest of weights, BatchNorm statistics, seed generators and optimizer variables, in Keras's order."""
    digest = hashlib.sha256()
    for variable in [*model.variables, *optimizer.variables]:
        value = np.ascontiguousarray(variable.numpy())
        digest.update(f"{variable.path} {value.dtype} {value.shape}\n".encode())
        digest.update(value.tobytes())
    return digest.hexdigest()


def _reset_peak():
    """Says whether the device counts its bytes: not every device does."""
    try:
        tf.config.experimental.reset_memory_stats(_DEVICE)
    except ValueError:
        return False
    return True


class StepRecorder:
    """Loss, wall seconds and peak bytes of each training step, between start_step() and end_step().

    Runs with the same file `turns` take turns: of all their steps only one goes on at a time.
    """

    def __init__(self, turns=None):
        self._turns = None if turns is None else open(turns, "a")  # noqa: SIM115, held until the process ends
        self.losses = []
        self.seconds = []
        self.peak_bytes = []
        self._counts_bytes = False
        self._started = 0.0

    def start_step(self):
        if self._turns:
            fcntl.flock(self._turns, fcntl.LOCK_EX)
        self._counts_bytes = _reset_peak()
        self._started = time.perf_counter()

    def end_step(self, loss):
        self.seconds.append(time.perf_counter() - self._started)
        self.losses.append(float(loss).hex())
        if self._counts_bytes:
            self.peak_bytes.append(tf.config.experimental.get_memory_info(_DEVICE)["peak"])
        if self._turns:
            fcntl.flock(self._turns, fcntl.LOCK_UN)
            time.sleep(_PAUSE_SECONDS)

    def results(self):
        return {
            "losses": self.losses,
            "step_seconds": self.seconds,
            "step_peak_bytes": self.peak_bytes or None,
            "peak_bytes": max(self.peak_bytes, default=None),
        }
