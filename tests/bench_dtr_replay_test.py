"""The benchmark of `str replay`: its table, its JSON and its exit codes. How fast it is, is not asserted."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent

if not (ROOT.parent / "shared" / "data" / "dtr").exists():
    pytest.skip("skipped: no ../shared/data", allow_module_level=True)


def bench(tmp_path, *arguments):
    result = tmp_path / "dtr_replay.json"
    process = subprocess.run(
        [sys.executable, ROOT / "bench" / "dtr_replay.py", "--repeat=1", f"--json={result}", *arguments],
        env=os.environ | {"STR_LAUNCHER_READY": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return process, json.loads(result.read_text()) if result.exists() else None


def test_every_run_is_compared(tmp_path):
    process, result = bench(tmp_path, "--heuristics=h_size", f"--html={tmp_path / 'figure.html'}")
    assert process.returncode == 0, process.stderr
    assert len(result["rows"]) == 15
    assert result["different"] == 0
    assert {row["status"] for row in result["rows"]} == {"ok", "thrash", "out-of-memory"}
    assert all(row["seconds"] > 0 and row["heuristic"] == "h_size" for row in result["rows"])
    page = (tmp_path / "figure.html").read_text()
    for text in ("ResNet-32 (56): overhead against memory", "U-Net (6): overhead against memory", "h_size, recorded"):
        assert text in page
    assert "15 runs, 0 different" in process.stdout


def test_a_wish_that_is_not_fulfilled_is_exit_one(tmp_path):
    process, _ = bench(tmp_path, "--heuristics=h_LRU", "--at-least=1e9")
    assert process.returncode == 1


def test_a_heuristic_that_was_not_recorded(tmp_path):
    process, result = bench(tmp_path, "--heuristics=h_rand")
    assert process.returncode == 1
    assert "no recorded run" in process.stderr
    assert result is None
