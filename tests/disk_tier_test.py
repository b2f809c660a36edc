"""Swapping to the disk where the host has no room: the same bits, nothing left behind, clear words when it fails."""

import pytest
from conftest import ROOT, TRAIN, finish, start
from training import SIZES, STEPS, Workshop

HOST_LIMIT = 2**20
# A disk and copies of about what a small machine has. Times are the captured ones.
DEVICE = """
format_version: 1
name: "a machine with a disk"
memory_bytes: 8000000000
flops_per_second { value: 1e11 source: "test" }
memory_bytes_per_second { value: 1e10 source: "test" }
copy_out_bytes_per_second { value: 5e9 source: "test" }
copy_in_bytes_per_second { value: 5e9 source: "test" }
disk {
  bytes: 1000000000
  write_bytes_per_second { value: 5e8 source: "test" }
  read_bytes_per_second { value: 1e9 source: "test" }
}
"""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("disk"))


@pytest.fixture(scope="module")
def captured(capture):
    return capture("unet", "custom")


@pytest.fixture(scope="module")
def planned(workshop, captured):
    """(strategy, verdict) of a plan that needs the disk."""
    device = workshop.folder / "device.conf"
    device.write_text(DEVICE)
    least = workshop.smallest_budget(captured.graph, "swap-only")
    options = {"device": device, "strategy": "swap-only", "host-limit": HOST_LIMIT, "disk-limit": "1GiB"}
    strategy, verdict = workshop.plan(captured.graph, int(1.05 * least), **options)
    assert 0 < verdict["host_peak_bytes"] <= HOST_LIMIT
    assert verdict["disk_peak_bytes"] > HOST_LIMIT
    return strategy, verdict


def test_training_is_bit_equal_and_leaves_nothing_behind(workshop, captured, planned):
    strategy, verdict = planned
    spill = workshop.folder / "spill"
    settings = {"STR_STRATEGY_FILE": strategy, "STR_SPILL_DIR": spill, "STR_STRICT": 1}
    limits = {
        "STR_MEMORY_LIMIT": verdict["budget_bytes"],
        "STR_HOST_LIMIT": verdict["host_peak_bytes"],
        "STR_DISK_LIMIT": verdict["disk_peak_bytes"],
    }
    (run,) = workshop.train(("unet", "custom", {**settings, **limits}))
    assert run.returncode == 0, run.errors
    assert " to the disk, " in run.errors and ", 0 refused" in run.errors
    assert run.results["losses"] == captured.plain["losses"]
    assert run.results["variables_sha256"] == captured.plain["variables_sha256"]
    tolerance = 0.01 * verdict["peak_bytes"] + 2**20
    assert all(abs(peak - verdict["peak_bytes"]) <= tolerance for peak in run.results["step_peak_bytes"])
    assert list(spill.iterdir()) == []


def test_a_plan_that_takes_more_than_is_allowed_is_refused(workshop, captured, planned):
    strategy, verdict = planned
    settings = {"STR_STRATEGY_FILE": strategy, "STR_DISK_LIMIT": verdict["disk_peak_bytes"] - 1}
    (run,) = workshop.train(("unet", "custom", settings))
    assert run.returncode == 0, run.errors
    assert "STR-2005" in run.errors and "STR_DISK_LIMIT" in run.errors and "STR-3001" not in run.errors
    assert run.results["variables_sha256"] == captured.plain["variables_sha256"]


def test_a_disk_that_becomes_full_fails_the_step(workshop, planned):
    spill = workshop.folder / "full"
    result_file = workshop.folder / "full.json"
    train = [ROOT / "str", "python", TRAIN, "--model=unet", "--loop=custom", *SIZES["unet"]]
    # No file of this process may have more than 256 KiB, which is less than the plan's tensors.
    limited = ["bash", "-c", 'ulimit -f 256; exec "$@"', "-", *train, f"--steps={STEPS}", f"--json={result_file}"]
    run = finish(start(limited, workshop.home, {"STR_STRATEGY_FILE": planned[0], "STR_SPILL_DIR": spill}), result_file)
    assert run.returncode == 7, run.errors
    assert run.results["status"] == "oom" and run.results["losses"] == []
    assert "cannot write swapped tensors" in run.results["error"] and str(spill) in run.results["error"]
    assert list(spill.iterdir()) == []
