"""The plugin in TensorFlow for GPUs, on the emulated GPU: captured, planned, and trained bit by bit the same."""

import functools
import json
import re

import pytest

from applied_plans import applied_plans
from conftest import ROOT
from emulated_gpu import DELAYS, MARKS, GpuRunner, check_no_problem

pytestmark = MARKS

TRAINING = ROOT / "tests" / "gpu_plugin_training.py"
# What TensorFlow's memory is handed out in (tf_plugin/device/device_memory.h).
GRANULE_BYTES = 256
# Of pinned memory: what TensorFlow takes for itself, and not enough for a plan.
PINNED_LIMIT = "2112KiB"


class Workshop(GpuRunner):
    """Trains on the emulated GPU and plans, in a folder of its own."""

    def train(self, *arguments, **settings):
        return self.run(TRAINING, *arguments, **settings)

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
        planned = self.command("plan", graph, *options)
        assert planned.returncode == 0, planned.errors
        return file, json.loads(verdict.read_text())


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("gpu"))


def check_trained_as_planned(run, plain):
    check_no_problem(run)
    assert run.results["error"] is None, run.results["error"]
    assert "STR-3001 applied" in run.errors, run.errors
    assert "0 refused" in run.errors, run.errors
    assert run.results["losses"] == plain["losses"]
    assert run.results["digest"] == plain["digest"]


def check_trained_without_the_plan(run, plain):
    check_no_problem(run)
    assert run.results["error"] is None, run.results["error"]
    assert "STR-3001" not in run.errors and "Training goes on without it." in run.errors, run.errors
    assert run.results["digest"] == plain["digest"]


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


def test_a_plan_keeps_a_limit_at_which_the_plain_step_fails(workshop):
    strategy, verdict = workshop.planned("custom")
    peak = workshop.plain("custom")["memory"]["peak"]
    limit = (verdict["peak_bytes"] + peak) // 2
    plain = workshop.train("--loop=custom", STR_MEMORY_LIMIT=limit)
    assert plain.returncode == 0, plain.errors
    assert plain.results["error"].startswith("ResourceExhaustedError"), plain.results
    assert re.search(rf"STR-3014 .*: out of device memory: .* in use, limit .*\({limit} bytes\)$", plain.errors, re.M)
    assert plain.results["memory"]["peak"] <= limit
    run = workshop.train("--loop=custom", STR_MEMORY_LIMIT=limit, STR_STRATEGY_FILE=strategy, STR_STRICT=1)
    check_trained_as_planned(run, workshop.plain("custom"))
    assert run.results["memory"]["peak"] <= limit


@pytest.mark.parametrize("planned", [False, True])
def test_the_limit_is_exact(workshop, planned):
    settings = {"STR_STRATEGY_FILE": workshop.planned("custom")[0]} if planned else {}
    measured = workshop.train("--loop=custom", STR_MEMORY_LIMIT="400MiB", **settings)
    peak = measured.results["memory"]["peak"]
    assert peak % GRANULE_BYTES == 0
    fits = workshop.train("--loop=custom", STR_MEMORY_LIMIT=peak, **settings)
    assert fits.results["error"] is None, fits.results
    assert fits.results["memory"]["peak"] == peak
    assert fits.results["digest"] == workshop.plain("custom")["digest"]
    below = workshop.train("--loop=custom", STR_MEMORY_LIMIT=peak - GRANULE_BYTES, **settings)
    assert below.returncode == 0, below.errors
    assert below.results["error"].startswith("ResourceExhaustedError"), below.results


def test_memory_that_is_short_beneath_the_limit_is_not_called_the_limit(workshop):
    run = workshop.train("--loop=custom", "--batch=512", memory="24MiB", STR_MEMORY_LIMIT="1GiB")
    assert run.results["error"].startswith("ResourceExhaustedError"), run.results
    text = r"STR-3014 .* limit 1.00 GiB .*; not the limit: TensorFlow's allocator GPU_0_bfc has no such block"
    assert re.search(text, run.errors), run.errors


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


def test_a_step_that_is_left_to_xla_is_reported(workshop, tmp_path):
    # XLA needs libraries that are not emulated: the step may fail, but not because of STR.
    kept = workshop.train("--loop=fit", "--jit=auto", "--steps=1", STR_CAPTURE=tmp_path, STR_XLA="keep", STR_STRICT=1)
    lines = [line for line in kept.errors.splitlines() if line.startswith("STR-")]
    assert len(lines) == 1 and lines[0].startswith("STR-3008 "), kept.errors
    assert lines[0].endswith("is compiled by XLA (STR_XLA=keep): the step cannot be captured or planned")
    assert not list(tmp_path.glob("*.graph"))


def test_the_cpu_beside_a_gpu_has_no_limit(workshop):
    """Its memory is not the one that is short: more than the limit of a GPU can lie there."""
    limit = 100 << 20
    run = workshop.train("--loop=custom", f"--on-cpu={3 * limit}", STR_MEMORY_LIMIT=limit)
    check_no_problem(run)
    assert run.results["error"] is None, run.results["error"]
    assert run.results["on_cpu"] == {"bytes": 3 * limit, "device": "/job:localhost/replica:0/task:0/device:CPU:0"}
    assert run.results["memory"]["peak"] <= limit
    assert run.results["digest"] == workshop.plain("custom")["digest"]


def test_host_memory_that_a_plan_may_not_take_is_a_plan_not_used(workshop):
    strategy, _ = workshop.planned("custom")
    run = workshop.train("--loop=custom", STR_STRATEGY_FILE=strategy, STR_HOST_LIMIT="64KiB")
    check_trained_without_the_plan(run, workshop.plain("custom"))
    text = r"STR-2005 .* not used: its swapped tensors take .* of the host, STR_HOST_LIMIT allows"
    assert re.search(text, run.errors), run.errors


def test_pinned_memory_that_the_system_refuses_is_a_plan_not_used(workshop):
    strategy, _ = workshop.planned("custom")
    run = workshop.train("--loop=custom", STR_STRATEGY_FILE=strategy, FAKE_GPU_PINNED_LIMIT=PINNED_LIMIT)
    check_trained_without_the_plan(run, workshop.plain("custom"))
    text = r"STR-2003 the planned step cannot be built: .*the system gives no .* of pinned host memory"
    assert re.search(text, run.errors), run.errors
    strict = workshop.train("--loop=custom", STR_STRATEGY_FILE=strategy, FAKE_GPU_PINNED_LIMIT=PINNED_LIMIT, STR_STRICT=1)
    assert strict.results["error"].startswith("FailedPreconditionError: "), strict.results


def test_a_plan_that_swaps_to_the_disk_is_not_used(workshop, tmp_path):
    strategy, _ = workshop.planned("custom")
    other = tmp_path / "disk.conf"
    other.write_text(re.sub(r'(swap_out: "[^"]+")', r"\1 tier: TIER_DISK", strategy.read_text()))
    run = workshop.train("--loop=custom", STR_STRATEGY_FILE=other)
    check_trained_without_the_plan(run, workshop.plain("custom"))
    assert "not used: tensors of a GPU are not swapped to the disk" in run.errors


def test_times_that_the_device_does_not_tell_are_not_made_up(workshop, tmp_path):
    run = workshop.train("--loop=custom", STR_CAPTURE=tmp_path, FAKE_GPU_TIMER=0)
    check_no_problem(run)
    assert re.search(r"STR-3003 a step of .* is not measured: the timer of GPU:0 failed: ", run.errors), run.errors
    assert run.results["digest"] == workshop.plain("custom")["digest"]
    assert not list(tmp_path.glob("*.graph"))


def test_copy_rates_that_are_not_measured_are_reported_and_not_written(workshop, tmp_path):
    run = workshop.train("--loop=custom", STR_CAPTURE=tmp_path, FAKE_GPU_PINNED_LIMIT=PINNED_LIMIT)
    check_no_problem(run)
    assert "STR-3013 the speed of copies between GPU:0 and the host is not measured: " in run.errors, run.errors
    (graph,) = tmp_path.glob("*.graph")
    assert "bytes_per_second" not in graph.read_text()
    refused = workshop.command("plan", graph, "--budget=80%", "--strategy=swap-only", f"--output={tmp_path / 'x.conf'}")
    assert refused.returncode == 1 and "--device" in refused.errors, refused.errors
