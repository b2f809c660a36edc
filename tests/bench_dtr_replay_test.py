"""The benchmark of `str replay`: its table, its JSON and its exit codes. How fast it is, is not asserted."""

import pytest
from conftest import ROOT, run_benchmark

if not (ROOT.parent / "shared" / "data" / "dtr").exists():
    pytest.skip("skipped: no ../shared/data", allow_module_level=True)


def bench(tmp_path, *arguments):
    return run_benchmark("dtr_replay", tmp_path, "--repeat=1", *arguments)


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
