"""The emulated GPU under the unmodified TensorFlow for GPUs: it trains as the CPU does and reports only mistakes."""

import os
import subprocess

import pytest

from conftest import ROOT, TRAIN
from emulated_gpu import DELAYS, MARKS, GpuRunner, check_no_problem

pytestmark = MARKS

MODELS = ROOT / "tests" / "gpu_emulation_models.py"
OPS = ROOT / "tests" / "gpu_emulation_ops.py"
ORDERS = ROOT / "tests" / "gpu_emulation_orders.py"
DEVICES = ROOT / "tests" / "gpu_emulation_devices.py"
SCRIPT = ROOT / "tests" / "gpu_emulation_script.py"
DEVICE_FILE = ROOT / "config" / "devices" / "rtx-3090-24gb.conf"


@pytest.fixture
def on_gpu(tmp_path):
    return GpuRunner(tmp_path).run


def check_equal_and_clean(run):
    check_no_problem(run)
    for name, model in run.results["models"].items():
        assert model["gpu"]["losses"] == model["cpu"]["losses"], name
        assert model["gpu"]["weights"] == model["cpu"]["weights"], name
    assert run.results["counts"]["launches"] > 0


def test_fit_and_custom_loop_train_as_on_the_cpu(on_gpu):
    run = on_gpu(MODELS, "convnet", "convnet_loop", "batchnorm", "gpt")
    check_equal_and_clean(run)
    assert run.results["devices"] == ["/device:CPU:0", "/device:GPU:0"]
    assert run.results["counts"]["allocations in order"] == 0


@pytest.mark.parametrize(
    "seed, allocator",
    [
        (1, "cuda_malloc_async"),
        (2, "bfc"),
        pytest.param(3, "bfc", marks=pytest.mark.long),
        pytest.param(1, "bfc", marks=pytest.mark.long),
        pytest.param(2, "cuda_malloc_async", marks=pytest.mark.long),
        pytest.param(3, "cuda_malloc_async", marks=pytest.mark.long),
    ],
)
def test_no_report_whatever_the_delays(on_gpu, seed, allocator):
    chosen = {} if allocator == "bfc" else {"TF_GPU_ALLOCATOR": allocator}
    run = on_gpu(MODELS, "convnet_loop", "gpt", FAKE_GPU_SEED=seed, **DELAYS, **chosen)
    check_equal_and_clean(run)
    assert (run.results["counts"]["allocations in order"] > 0) == (allocator == "cuda_malloc_async")


def test_the_virtual_clock_repeats_exactly(on_gpu):

    def steps_ns(run):
        return run.results["models"]["convnet_loop"]["gpu"]["step_ns"]

    timed = {"FAKE_GPU_DEVICE_FILE": DEVICE_FILE}
    first = on_gpu(MODELS, "convnet_loop", **timed)
    check_equal_and_clean(first)
    second = on_gpu(MODELS, "convnet_loop", FAKE_GPU_SEED=2, **DELAYS, **timed)
    check_equal_and_clean(second)
    steps = steps_ns(first)
    assert steps == steps_ns(second)
    # The first step has work of its own; the others are the same step.
    assert len(set(steps[1:])) == 1 and steps[1] > 0
    # Twice the time per launch: these kernels are so short that the step is bound by launches.
    slower = on_gpu(MODELS, "convnet_loop", FAKE_GPU_LAUNCH_NS=10000, **timed)
    assert slower.returncode == 0
    assert steps_ns(slower)[1] == pytest.approx(2 * steps[1], rel=0.01)


def test_ops_give_the_values_of_the_cpu(on_gpu):
    """Also with channels first, with their gradients; and TensorFlow really converts training steps to that layout."""
    run = on_gpu(OPS)
    check_no_problem(run)
    assert len(run.results["ops"]) == 15
    different = {name: op for name, op in run.results["ops"].items() if not op["equal"]}
    assert different == {}
    assert run.results["converted_by_layout_optimizer"] > 0


def test_orders_that_are_missing_are_reported(on_gpu):
    """Copies of TensorFlow's tensors behind its back: reported where nothing orders them, and only there."""
    run = on_gpu(ORDERS, **DELAYS)
    assert run.returncode == 0, run.errors[-3000:]
    assert run.results == {
        "overwrite a tensor that is read": {"races": 1},
        "overwrite it after the host waited": {},
        "copy out without an order": {"races": 1},
        "copy out after an event": {},
        "unwritten memory": {"unwritten": 1},
        "freed memory": {"after_free": 1},
        "beyond an allocation": {"bad_pointers": 1},
        "pageable memory": {"pageable": 1},
        "kernel of cuda": {"kernels_not_run": 1},
    }


def test_two_devices(on_gpu):
    run = on_gpu(DEVICES, "mirrored", FAKE_GPU_COUNT=2, **DELAYS)
    check_no_problem(run)
    assert run.results["devices"] == 2 and set(run.results["copies_per_weight"]) == {2}
    assert run.results["replicas_equal"] and run.results["losses"][-1] < run.results["losses"][0]


def test_memory_is_limited(on_gpu):
    run = on_gpu(DEVICES, "fill", memory="64MiB")
    assert run.returncode == 0, run.errors[-3000:]
    assert run.results["error"] == "ResourceExhaustedError"
    assert 48 <= run.results["mebibytes"] <= 64


def test_without_the_emulated_gpu_the_same_tensorflow_has_no_gpu(home):
    process = subprocess.run(
        [ROOT / "str", "python", "-c", "import tensorflow as tf; print(tf.config.list_physical_devices('GPU'))"],
        env={**os.environ, "HOME": str(home), "STR_LAUNCHER_READY": "1", "STR_VENV": ".venv-gpu"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr[-3000:]
    assert process.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "model, sizes",
    [
        ("unet", ("--batch=2", "--image=32")),
        pytest.param("vgg16", ("--batch=2", "--image=32"), marks=pytest.mark.long),
        pytest.param("mobilenet", ("--batch=4", "--image=32"), marks=pytest.mark.long),
        pytest.param("resnet50", ("--batch=8", "--image=64"), marks=pytest.mark.long),
        pytest.param("gpt", ("--batch=2",), marks=pytest.mark.long),
    ],
)
def test_models_of_the_zoo_train(on_gpu, model, sizes):
    """Two runs with different delays: the same weights, without a report."""
    runs = []
    for seed in (1, 2):
        run = on_gpu(
            SCRIPT, TRAIN, f"--model={model}", "--steps=2", *sizes, memory="4GiB", FAKE_GPU_SEED=seed, **DELAYS
        )
        check_no_problem(run)
        runs.append(run.results["results"])
    assert runs[0]["status"] == "ok"
    assert runs[0]["variables_sha256"] == runs[1]["variables_sha256"]
