"""The emulated GPU's own functions (tests/fake_gpu/fake_gpu.h), for scripts that run on it."""

import ctypes

COUNTS = (
    *("races", "unwritten", "after_free", "bad_pointers", "pageable", "kernels_not_run"),
    *("launches", "copy in", "copy out", "allocations in order", "pinned bytes"),
)


class EmulatedGpu:
    """Of this process. OSError where there is none."""

    def __init__(self):
        self._library = ctypes.CDLL("libcuda.so.1")
        self._library.fake_gpu_count.restype = ctypes.c_int64

    def counts(self):
        return {name: self._library.fake_gpu_count(name.encode()) for name in COUNTS}

    def device_ns(self):
        """Waits for all work, also on the virtual clock, and returns when it ended there."""
        assert self._library.cuCtxSynchronize() == 0
        host, device = ctypes.c_int64(), ctypes.c_int64()
        self._library.fake_gpu_time(ctypes.byref(host), ctypes.byref(device))
        return device.value
