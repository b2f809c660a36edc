"""The benchmark against Kusumoto's tool: its table, its JSON and its exit codes. How fast it is, is not asserted."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent

if not (ROOT.parent / "shared" / "data" / "mksch").exists():
    pytest.skip("skipped: no ../shared/data", allow_module_level=True)


def bench(tmp_path, *arguments):
    result = tmp_path / "mksch.json"
    process = subprocess.run(
        [sys.executable, ROOT / "bench" / "mksch.py", "--repeat=1", f"--json={result}", *arguments],
        env=os.environ | {"STR_LAUNCHER_READY": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return process, json.loads(result.read_text()) if result.exists() else None


def test_every_row_is_as_good_as_the_tools(tmp_path):
    process, result = bench(tmp_path, "--kinds=approx,chen", "--graphs=cg_vgg19.txt")
    assert process.returncode == 0, process.stderr
    assert result["worse"] == 0
    kinds = {row["strategy"] for row in result["rows"]}
    assert {"kusumoto-approx:time", "kusumoto-approx:memory", "kusumoto-chen"} <= kinds
    for row in result["rows"]:
        assert row["recompute"] <= row["tool_recompute"] and row["peak_bytes"] <= row["tool_peak_bytes"]
        assert row["planner_seconds"] > 0
    assert f"{len(result['rows'])} rows" in process.stdout


def test_a_graph_without_records_is_an_error(tmp_path):
    process, _ = bench(tmp_path, "--kinds=chen", "--graphs=cg_nothing.txt")
    assert process.returncode == 1
    assert "no rows" in process.stderr


def test_a_kind_that_there_is_not_is_an_error(tmp_path):
    process, result = bench(tmp_path, "--kinds=best")
    assert process.returncode == 1
    assert "there are exact, approx, chen" in process.stderr
    assert result is None
