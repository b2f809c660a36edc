"""bench/real_limit.py: a control group kills what is above it; where none can be made, the benchmark says so."""

import subprocess
import sys

import pytest
from conftest import ROOT, run_benchmark

sys.path.insert(0, str(ROOT / "bench"))
import real_limit

MIB = 2**20


def test_a_control_group_kills_what_takes_more():
    try:
        group = real_limit.ControlGroup(64 * MIB)
    except real_limit.NoControlGroup as reason:
        pytest.skip(f"skipped: no memory control group can be made here: {reason}")
    try:
        grows = [sys.executable, "-c", "data = bytearray(256 * 2**20); print(len(data))"]
        killed = subprocess.run(grows, preexec_fn=group.enter, capture_output=True, check=False)
        small = [sys.executable, "-c", "print(1)"]
        alive = subprocess.run(small, preexec_fn=group.enter, capture_output=True, check=False)
    finally:
        group.close()
    assert killed.returncode == -9
    assert alive.returncode == 0


def test_without_control_groups_nothing_is_claimed(monkeypatch, capsys):
    def refuse(limit_bytes):
        raise real_limit.NoControlGroup("not here")

    monkeypatch.setattr(real_limit, "ControlGroup", refuse)
    monkeypatch.setattr(
        real_limit,
        "train",
        lambda options, settings, limit_bytes=None: real_limit.ControlGroup(limit_bytes)
        if limit_bytes
        else {"exit": 0, "resident_bytes": 100 * MIB, "digest": "a", "step_seconds": 1, "lines": []},
    )
    assert real_limit.main(["--models=unet"]) == 0
    assert "skipped: no memory control group can be made here: not here" in capsys.readouterr().out


def test_a_row_that_breaks_the_promise_is_an_error(monkeypatch, tmp_path):
    trained = {"exit": 0, "resident_bytes": 100 * MIB, "digest": "a", "step_seconds": 1, "lines": []}
    killed = {"exit": -9, "resident_bytes": 80 * MIB, "digest": None, "lines": []}
    json = f"--json={tmp_path / 'rows.json'}"

    def results(*runs):
        left = iter(runs)
        monkeypatch.setattr(real_limit, "train", lambda *arguments: dict(next(left)))
        return real_limit.main(["--models=unet", json])

    assert results(trained, killed, trained) == 0
    assert results(trained, trained, trained) == 1
    assert results(trained, killed, killed) == 1
    assert results(trained, killed, {**trained, "digest": "b"}) == 1


@pytest.mark.long
def test_the_planned_run_trains_where_the_plain_one_is_killed(tmp_path):
    process, results = run_benchmark("real_limit", tmp_path, "--models=unet")
    if "skipped:" in process.stdout:
        pytest.skip(process.stdout.strip())
    assert process.returncode == 0, process.stdout + process.stderr
    assert results["rows"][0]["equal"]
