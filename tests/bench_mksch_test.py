"""The benchmark against Kusumoto's tool: its table, its JSON and its exit codes. How fast it is, is not asserted."""

import pytest
from conftest import ROOT, run_benchmark

if not (ROOT.parent / "shared" / "data" / "mksch").exists():
    pytest.skip("skipped: no ../shared/data", allow_module_level=True)


def bench(tmp_path, *arguments):
    return run_benchmark("mksch", tmp_path, "--repeat=1", *arguments)


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
