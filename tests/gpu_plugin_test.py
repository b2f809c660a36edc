"""The plugin in TensorFlow for GPUs, on the emulated GPU: captured, planned, and trained bit by bit the same."""

import functools
import json
import os
import re
import subprocess

import pytest

from conftest import ROOT, Run, environment

TRAINING = ROOT / "tests" / "gpu_plugin_training.py"
GPU_PYTHON = ROOT / ".venv-gpu" / "bin" / "python"
PROBLEMS = ("races", "unwritten", "after_free", "bad_pointers", "kernels_not_run")
# Late operations, and polls that hear of their end later: a missing order then shows in results too.
DELAYS = {"FAKE_GPU_DELAY_US": "300", "FAKE_GPU_NOTICE_US": "3000"}

if os.environ.get("STR_SKIP_GPU_TESTS"):
    pytestmark = pytest.mark.skip(reason="STR_SKIP_GPU_TESTS is set")
elif not GPU_PYTHON.exists():
    pytestmark = pytest.mark.skip(reason="there is no .venv-gpu: ./str test makes it")


class Workshop:
    """Trains on the emulated GPU and plans, in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()
        self._count = 0

    def _run(self, command, settings):
        process = subprocess.run(
            [str(word) for word in command],
            env=environment(self.home, {"TF_ENABLE_ONEDNN_OPTS": "0", **settings}),
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
        return process

    def train(self, *arguments, **settings):
        self._count += 1
        result = self.folder / f"result{self._count}.json"
        command = [ROOT / "str", "python", "--emulated-gpu=512MiB", TRAINING, *arguments, f"--json={result}"]
        process = self._run(command, settings)
        results = json.loads(result.read_text()) if result.exists() else None
        return Run(process.returncode, process.stdout, process.stderr, results)

    @functools.cache
    def plain(self, loop):
        run = self.train(f"--loop={loop}")
        assert run.returncode == 0, run.errors
        return run.results

    @functools.cache
    def captured(self, loop):
        folder = self.folder / f"captured-{loop}"
        run = self.train(f"--loop={loop}", STR_CAPTURE=folder)
        assert run.returncode == 0, run.errors
        assert run.results["digest"] == self.plain(loop)["digest"], "capturing changes nothing"
        index = json.loads((folder / "index.json").read_text())
        assert len(index) == 1, run.errors
        return folder / index[0]["file"]

    @functools.cache
    def planned(self, loop, strategy="swap-only"):
        return self.plan(self.captured(loop), strategy, f"{loop}-{strategy}")

    def plan(self, graph, strategy, name):
        file, verdict = self.folder / f"{name}.conf", self.folder / f"{name}.json"
        options = ["--budget=80%", f"--strategy={strategy}", f"--output={file}", f"--json={verdict}"]
        process = self._run([ROOT / "str", "plan", graph, *options], {})
        assert process.returncode == 0, process.stderr
        return file, json.loads(verdict.read_text())


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("gpu"))


def problems(run):
    return {name: run.results["counts"][name] for name in PROBLEMS}


def check_trained_as_planned(run, plain):
    assert run.returncode == 0, run.errors
    assert run.results["error"] is None, run.results["error"]
    assert "STR-3001 applied" in run.errors, run.errors
    assert "0 refused" in run.errors, run.errors
    assert run.results["losses"] == plain["losses"]
    assert run.results["digest"] == plain["digest"]
    assert problems(run) == dict.fromkeys(PROBLEMS, 0), run.errors


@pytest.mark.parametrize("loop", ["fit", "custom"])
@pytest.mark.parametrize("planner", ["swap-only", "recompute-only"])
def test_a_plan_trains_bit_by_bit_the_same(workshop, planner, loop):
    strategy, verdict = workshop.planned(loop, planner)
    plain = workshop.plain(loop)
    run = workshop.train(f"--loop={loop}", STR_STRATEGY_FILE=strategy, STR_STRICT=1, **DELAYS)
    check_trained_as_planned(run, plain)
    if planner == "swap-only":
        assert verdict["swapped_tensors"] > 0
        assert run.results["counts"]["copy out"] > plain["counts"]["copy out"], "swaps are copies"
    else:
        assert verdict["recomputed_nodes"] > 0


@pytest.mark.parametrize("allocator", ["", "cuda_malloc_async"])
@pytest.mark.parametrize("seed", [1, 2, pytest.param(3, marks=pytest.mark.long)])
def test_no_race_whatever_the_delays(workshop, seed, allocator):
    strategy, _ = workshop.planned("custom")
    settings = {"FAKE_GPU_SEED": seed, **DELAYS}
    if allocator:
        settings["TF_GPU_ALLOCATOR"] = allocator
    run = workshop.train("--loop=custom", STR_STRATEGY_FILE=strategy, STR_STRICT=1, **settings)
    check_trained_as_planned(run, workshop.plain("custom"))


def test_the_graph_has_the_device_and_where_tensors_lie(workshop):
    text = workshop.captured("fit").read_text()
    assert 'device: "GPU:0"' in text
    assert "host_memory: true" in text
    receives = re.findall(r'name: "([^"]+)"\n  op: "_(?:Host)?Recv"', text)
    assert receives
    # A pair on one device is an order that no edge of the graph has.
    sends = re.findall(r'name: "([^"]+)"\n  op: "_(?:Host)?Send"', text)
    assert any(f'control: "{name}"' in text for name in sends)


def test_two_processes_capture_the_same_graph(workshop, tmp_path):
    run = workshop.train("--loop=fit", "--steps=1", STR_CAPTURE=tmp_path)
    assert run.returncode == 0, run.errors
    (entry,) = json.loads((tmp_path / "index.json").read_text())
    assert entry["file"] == workshop.captured("fit").name


def test_a_step_that_fails_in_the_middle_leaves_nothing_behind(workshop):
    arguments = ("--loop=custom", "--steps=4", "--fail=1")
    folder = workshop.folder / "captured-failing"
    captured = workshop.train(*arguments, "--fail=9", STR_CAPTURE=folder)
    assert captured.returncode == 0, captured.errors
    (entry,) = json.loads((folder / "index.json").read_text())
    strategy, _ = workshop.plan(folder / entry["file"], "swap-only", "failing")
    plain = workshop.train(*arguments)
    assert plain.returncode == 0 and len(plain.results["losses"]) == 3, plain.errors
    run = workshop.train(*arguments, STR_STRATEGY_FILE=strategy, **DELAYS)
    check_trained_as_planned(run, plain.results)


def test_the_limit_is_exact_and_an_error_not_a_crash(workshop):
    strategy, verdict = workshop.planned("custom")
    peak = workshop.plain("custom")["memory"]["peak"]
    limit = (verdict["peak_bytes"] + peak) // 2
    plain = workshop.train("--loop=custom", STR_MEMORY_LIMIT=limit)
    assert plain.returncode == 0, plain.errors
    assert plain.results["error"].startswith("ResourceExhaustedError"), plain.results
    assert plain.results["memory"]["peak"] <= limit
    run = workshop.train("--loop=custom", STR_MEMORY_LIMIT=limit, STR_STRATEGY_FILE=strategy, STR_STRICT=1)
    check_trained_as_planned(run, workshop.plain("custom"))
    assert run.results["memory"]["peak"] <= limit


def test_a_plan_for_another_device_is_refused(workshop, tmp_path):
    strategy, _ = workshop.planned("custom")
    other = tmp_path / "other.conf"
    other.write_text(strategy.read_text().replace('device: "GPU:0"', 'device: "GPU:1"'))
    run = workshop.train("--loop=custom", STR_STRATEGY_FILE=other)
    assert "not used: made for GPU:1, this graph runs on GPU:0" in run.errors
    assert run.results["digest"] == workshop.plain("custom")["digest"]


def test_keras_asks_for_xla_by_itself_and_the_step_is_taken_from_it(workshop, tmp_path):
    captured = workshop.train("--loop=fit", "--jit=auto", STR_CAPTURE=tmp_path)
    assert "STR-3008" in captured.errors and "STR_XLA=keep" in captured.errors, captured.errors
    assert captured.results["digest"] == workshop.plain("fit")["digest"], "as with jit_compile=False"
    assert len(json.loads((tmp_path / "index.json").read_text())) == 1


def test_the_cpu_beside_a_gpu_keeps_its_memory(workshop):
    limited = workshop.train("--loop=custom", STR_MEMORY_LIMIT="400MiB")
    assert limited.returncode == 0, limited.errors
    assert limited.results["error"] is None
    assert limited.results["digest"] == workshop.plain("custom")["digest"]
