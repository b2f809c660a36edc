"""Helpers of the Python tests: ./str commands and training scripts in processes of their own."""

import dataclasses
import functools
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRAIN = ROOT / "runtime_examples" / "train.py"


@dataclasses.dataclass(frozen=True)
class Run:
    """A finished process. `results` is the JSON that the script wrote, None if it wrote none."""

    returncode: int
    output: str
    errors: str
    results: dict | None = None


def pytest_configure(config):
    config.addinivalue_line("markers", "long: part of the long campaigns, run by ./str test --long only")


def pytest_collection_modifyitems(items):
    if os.environ.get("STR_LONG_TESTS"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="long: ./str test --long runs it"))


def environment(home, settings):
    """The caller's environment with these settings as its only STR ones, and no ~/.str unless the test makes one."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("STR_", "FAKE_GPU_"))}
    kept |= {"HOME": str(home), "STR_LAUNCHER_READY": "1", "TF_CPP_MIN_LOG_LEVEL": "2"}
    return {**kept, **{name: str(value) for name, value in settings.items()}}


def start(command, home, settings, cwd=None):
    return subprocess.Popen(
        [str(word) for word in command],
        env=environment(home, settings),
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process, result_file=None, timeout=None):
    """`timeout` in seconds: the process is ended then, and subprocess.TimeoutExpired raised."""
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    results = None
    if result_file is not None and result_file.exists():
        results = json.loads(result_file.read_text())
    return Run(process.returncode, output, errors, results)


def run_benchmark(name, tmp_path, *arguments):
    """Runs bench/NAME.py with what is built; returns the process and the JSON it wrote, None if it wrote none."""
    result = tmp_path / f"{name}.json"
    process = subprocess.run(
        [sys.executable, ROOT / "bench" / f"{name}.py", *arguments, f"--json={result}"],
        env=os.environ | {"STR_LAUNCHER_READY": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return process, json.loads(result.read_text()) if result.exists() else None


@pytest.fixture(scope="session")
def capture(tmp_path_factory):
    """capture(MODEL, LOOP): training.Captured, made once for all tests."""
    from training import Workshop  # which imports this file

    return functools.cache(Workshop(tmp_path_factory.mktemp("captures")).capture)


def require_gpu_environment():
    """Fails the test without TensorFlow for GPUs: a test that cannot run has not passed."""
    if not (ROOT / ".venv-gpu" / "bin" / "python").exists():
        pytest.fail("there is no .venv-gpu: ./str test makes it; STR_SKIP_GPU_TESTS=1 leaves the GPU tests out")


@pytest.fixture(scope="session")
def gpu_environment():
    require_gpu_environment()


@pytest.fixture
def home(tmp_path):
    """The home directory of what a test starts: empty, ~/.str can be made in it."""
    directory = tmp_path / "home"
    directory.mkdir()
    return directory


@pytest.fixture
def str_command(home):
    """Runs `./str ARGUMENTS` with the given environment settings; returns a Run."""

    def run(*arguments, cwd=None, **settings):
        return finish(start([ROOT / "str", *arguments], home, settings, cwd))

    return run


@pytest.fixture
def run_scripts(home, tmp_path):
    """Runs several scripts at the same time; returns a Run each.

    Each is (arguments, settings): arguments start with the script, which takes --json=FILE; settings are the
    environment. Under ./str python by default; plugin=False runs them in the plain environment.
    """
    count = 0

    def run(*scripts, plugin=True):
        nonlocal count
        python = [ROOT / "str", "python"] if plugin else [ROOT / ".venv" / "bin" / "python"]
        started = []
        for arguments, settings in scripts:
            count += 1
            result_file = tmp_path / f"result{count}.json"
            command = [*python, *arguments, f"--json={result_file}"]
            started.append((start(command, home, settings), result_file))
        return [finish(process, result_file) for process, result_file in started]

    return run


@pytest.fixture
def train(run_scripts):
    """Runs runtime_examples/train.py; returns a Run whose results are those of the training.

    train("--model=unet", "--steps=2", STR_MEMORY_LIMIT="200MiB")
    """

    def run(*arguments, plugin=True, **settings):
        return run_scripts(([TRAIN, *arguments], settings), plugin=plugin)[0]

    return run
