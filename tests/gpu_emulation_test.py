"""The emulated GPU under the unmodified TensorFlow for GPUs: it trains as the CPU does and reports only mistakes."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ROOT / "tests" / "gpu_emulation_models.py"
OPS = ROOT / "tests" / "gpu_emulation_ops.py"
ORDERS = ROOT / "tests" / "gpu_emulation_orders.py"
DEVICES = ROOT / "tests" / "gpu_emulation_devices.py"
SCRIPT = ROOT / "tests" / "gpu_emulation_script.py"
GPU_PYTHON = ROOT / ".venv-gpu" / "bin" / "python"
DEVICE_FILE = ROOT / "config" / "devices" / "rtx-3090-24gb.conf"
PROBLEMS = ("races", "unwritten", "after_free", "bad_pointers", "kernels_not_run")

if os.environ.get("STR_SKIP_GPU_TESTS"):
    pytestmark = pytest.mark.skip(reason="STR_SKIP_GPU_TESTS is set")
elif not GPU_PYTHON.exists():
    pytestmark = pytest.mark.skip(reason="there is no .venv-gpu: ./str test makes it")


@pytest.fixture
def on_gpu(home, tmp_path):
    """Runs a script on the emulated GPU; returns the process and the JSON it wrote, None if it wrote none."""
    count = 0

    def run(script, *arguments, memory="512MiB", **settings):
        nonlocal count
        count += 1
        result = tmp_path / f"result{count}.json"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("STR_", "FAKE_GPU_"))}
        process = subprocess.run(
            [ROOT / "str", "python", f"--emulated-gpu={memory}", script, *arguments, f"--json={result}"],
            env={**kept, "HOME": str(home), "STR_LAUNCHER_READY": "1", "TF_CPP_MIN_LOG_LEVEL": "2", **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        return process, json.loads(result.read_text()) if result.exists() else None

    return run


def check_equal_and_clean(process, results):
    assert process.returncode == 0, process.stderr[-3000:]
    for name, model in results["models"].items():
        assert model["gpu"]["losses"] == model["cpu"]["losses"], name
        assert model["gpu"]["weights"] == model["cpu"]["weights"], name
    assert {name: results["counts"][name] for name in PROBLEMS} == dict.fromkeys(PROBLEMS, 0), process.stderr[-3000:]
    assert results["counts"]["launches"] > 0


def test_fit_and_custom_loop_train_as_on_the_cpu(on_gpu):
    process, results = on_gpu(MODELS, "convnet", "convnet_loop", "batchnorm", "gpt")
    check_equal_and_clean(process, results)
    assert results["devices"] == ["/device:CPU:0", "/device:GPU:0"]
    assert results["counts"]["allocations in order"] == 0


DELAYS = {"FAKE_GPU_DELAY_US": "300", "FAKE_GPU_NOTICE_US": "3000"}


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
    process, results = on_gpu(MODELS, "convnet_loop", "gpt", FAKE_GPU_SEED=str(seed), **DELAYS, **chosen)
    check_equal_and_clean(process, results)
    assert (results["counts"]["allocations in order"] > 0) == (allocator == "cuda_malloc_async")


def test_the_virtual_clock_repeats_exactly(on_gpu):
    timed = {"FAKE_GPU_DEVICE_FILE": str(DEVICE_FILE)}
    process, first = on_gpu(MODELS, "convnet_loop", **timed)
    check_equal_and_clean(process, first)
    process, second = on_gpu(MODELS, "convnet_loop", FAKE_GPU_SEED="2", **DELAYS, **timed)
    check_equal_and_clean(process, second)
    steps = first["models"]["convnet_loop"]["gpu"]["step_ns"]
    assert steps == second["models"]["convnet_loop"]["gpu"]["step_ns"]
    # The first step has work of its own; the others are the same step.
    assert len(set(steps[1:])) == 1 and steps[1] > 0
    # Twice the time per launch: these kernels are so short that the step is bound by launches.
    process, slower = on_gpu(MODELS, "convnet_loop", FAKE_GPU_LAUNCH_NS="10000", **timed)
    assert process.returncode == 0
    assert slower["models"]["convnet_loop"]["gpu"]["step_ns"][1] == pytest.approx(2 * steps[1], rel=0.01)


def test_ops_give_the_values_of_the_cpu(on_gpu):
    """Also with channels first, with their gradients; and TensorFlow really converts training steps to that layout."""
    process, results = on_gpu(OPS)
    assert process.returncode == 0, process.stderr[-3000:]
    assert len(results["ops"]) == 15
    different = {name: op for name, op in results["ops"].items() if not op["equal"]}
    assert different == {}
    assert results["converted_by_layout_optimizer"] > 0
    assert {name: results["counts"][name] for name in PROBLEMS} == dict.fromkeys(PROBLEMS, 0), process.stderr[-3000:]


def test_orders_that_are_missing_are_reported(on_gpu):
    """Copies of TensorFlow's tensors behind its back: reported where nothing orders them, and only there."""
    process, results = on_gpu(ORDERS, **DELAYS)
    assert process.returncode == 0, process.stderr[-3000:]
    assert results == {
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
    process, results = on_gpu(DEVICES, "mirrored", FAKE_GPU_COUNT="2", **DELAYS)
    assert process.returncode == 0, process.stderr[-3000:]
    assert results["devices"] == 2 and set(results["copies_per_weight"]) == {2}
    assert results["replicas_equal"] and results["losses"][-1] < results["losses"][0]
    assert {name: results["counts"][name] for name in PROBLEMS} == dict.fromkeys(PROBLEMS, 0), process.stderr[-3000:]


def test_memory_is_limited(on_gpu):
    process, results = on_gpu(DEVICES, "fill", memory="64MiB")
    assert process.returncode == 0, process.stderr[-3000:]
    assert results["error"] == "ResourceExhaustedError"
    assert 48 <= results["mebibytes"] <= 64


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


TRAIN = ROOT / "runtime_examples" / "train.py"


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
    for seed in ("1", "2"):
        process, results = on_gpu(
            SCRIPT, TRAIN, f"--model={model}", "--steps=2", *sizes, memory="4GiB", FAKE_GPU_SEED=seed, **DELAYS
        )
        assert process.returncode == 0, process.stderr[-3000:]
        runs.append(results)
        assert {name: results["counts"][name] for name in PROBLEMS} == dict.fromkeys(PROBLEMS, 0)
    assert runs[0]["results"]["status"] == "ok"
    assert runs[0]["results"]["variables_sha256"] == runs[1]["results"]["variables_sha256"]
