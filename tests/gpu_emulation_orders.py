"""Mistakes on purpose, on the emulated GPU: copies of TensorFlow's tensors behind its back, and their correct twins.

    ./str python --emulated-gpu tests/gpu_emulation_orders.py --json=FILE

The file has for each case what was reported: the counts that are not zero.
"""

import argparse
import ctypes
import json

from gpu_counts import EmulatedGpu
from gpu_emulation_models import np, tf

BYTES = 1 << 20
CUDA = ctypes.CDLL("libcuda.so.1")
KINDS = ("races", "unwritten", "after_free", "bad_pointers", "pageable", "kernels_not_run")


def call(name, *arguments):
    assert getattr(CUDA, name)(*arguments) == 0, name


def new_stream():
    stream = ctypes.c_void_p()
    call("cuStreamCreate", ctypes.byref(stream), 0)
    return stream


def pinned():
    address = ctypes.c_void_p()
    call("cuMemHostAlloc", ctypes.byref(address), ctypes.c_size_t(BYTES), 0)
    return address


def device_memory():
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(BYTES))
    return address


def copy_out(to, address, stream, size=BYTES):
    """The driver's answer: 0, or an error."""
    return CUDA.cuMemcpyDtoHAsync_v2(to, ctypes.c_uint64(address), ctypes.c_size_t(size), stream)


def address_of(tensor):
    """Where the tensor lies on the device: the first member of the structure in a DLPack capsule."""
    capsule = tf.experimental.dlpack.to_dlpack(tensor)
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return ctypes.c_uint64.from_address(get_pointer(capsule, b"dltensor")).value


def new_tensor():
    with tf.device("/GPU:0"):
        return tf.constant(np.ones(BYTES // 4, "f"))


def fill(address, stream):
    call("cuMemsetD8Async", ctypes.c_uint64(address), 0, ctypes.c_size_t(BYTES), stream)


def overwrite_a_tensor_that_is_read():
    tensor = new_tensor()
    address = address_of(tensor)
    result = tensor + tensor
    fill(address, new_stream())
    result.numpy()
    call("cuCtxSynchronize")


def overwrite_it_after_the_host_waited():
    tensor = new_tensor()
    address = address_of(tensor)
    result = tensor + tensor
    call("cuCtxSynchronize")
    fill(address, new_stream())
    result.numpy()
    call("cuCtxSynchronize")


def copy_out_without_an_order():
    address, stream, other = device_memory().value, new_stream(), new_stream()
    fill(address, other)
    copy_out(pinned(), address, stream)
    call("cuCtxSynchronize")


def copy_out_after_an_event():
    address, stream, other, event = device_memory().value, new_stream(), new_stream(), ctypes.c_void_p()
    fill(address, other)
    call("cuEventCreate", ctypes.byref(event), 0)
    call("cuEventRecord", event, other)
    call("cuStreamWaitEvent", stream, event, 0)
    copy_out(pinned(), address, stream)
    call("cuCtxSynchronize")


def unwritten_memory():
    copy_out(pinned(), device_memory().value, new_stream())
    call("cuCtxSynchronize")


def freed_memory():
    address = device_memory()
    call("cuMemFree_v2", address)
    assert copy_out(pinned(), address.value, new_stream()) != 0


def beyond_an_allocation():
    assert copy_out(pinned(), device_memory().value, new_stream(), BYTES + 4096) != 0


def pageable_memory():
    address, stream = device_memory().value, new_stream()
    fill(address, stream)
    copy_out(ctypes.create_string_buffer(BYTES), address, stream)


def kernel_of_cuda():
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), None)
    call("cuModuleGetFunction", ctypes.byref(function), module, b"kernel")
    call("cuLaunchKernel", function, *[1] * 6, 0, new_stream(), None, None)


CASES = (
    overwrite_a_tensor_that_is_read,
    overwrite_it_after_the_host_waited,
    copy_out_without_an_order,
    copy_out_after_an_event,
    unwritten_memory,
    freed_memory,
    beyond_an_allocation,
    pageable_memory,
    kernel_of_cuda,
)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", required=True)
    options = parser.parse_args()
    # Leaves memory of the device to this script.
    tf.config.experimental.set_memory_growth(tf.config.list_physical_devices("GPU")[0], True)
    gpu = EmulatedGpu()
    (new_tensor() + new_tensor()).numpy()
    # A thread has its context; TensorFlow sets those of its own.
    context = ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    results = {}
    for case in CASES:
        before = gpu.counts()
        case()
        after = gpu.counts()
        new = {kind: after[kind] - before[kind] for kind in KINDS}
        # TensorFlow copies NumPy's arrays itself, from memory that is not pinned.
        if case is not pageable_memory:
            del new["pageable"]
        results[case.__name__.replace("_", " ")] = {kind: count for kind, count in new.items() if count}
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
