"""The benchmark of planners: its table, its JSON, and what it says about what is missing."""

import json
import sys

import pytest
from conftest import ROOT, run_benchmark

sys.path.insert(0, str(ROOT / "bench"))

import planner  # noqa: E402
import poet_paging  # noqa: E402


@pytest.fixture(name="graph", scope="module")
def fixture_graph(tmp_path_factory):
    """Five layers and their gradients: a chain whose gradients take the layers' outputs."""
    nodes = []
    for i in range(11):
        backward = i > 5
        deps = [i - 1] if i > 0 else []
        if backward:
            deps.insert(0, 10 - i)
        cost = 0.01 * (1 + i % 3)
        nodes.append({"name": f"n{i}", "cost": cost, "bytes": 1_000_000, "deps": deps, "is_backward": backward})
    file = tmp_path_factory.mktemp("planner") / "chain.json"
    file.write_text(json.dumps({"name": "chain", "const_bytes": 1000, "pcie": 1e9, "nodes": nodes}))
    return file


def bench(graph, folder, *arguments):
    return run_benchmark("planner", folder, graph, "--budgets=75%", *arguments)


@pytest.fixture(name="benched", scope="module")
def fixture_benched(graph):
    """(process, JSON) of all planners on the chain."""
    return bench(graph, graph.parent)


def test_when_the_default_planner_was_as_good():
    found = [(0.0, 9.0), (0.01, 2.5), (0.02, 2.000001), (0.3, 2.0)]
    row = {"step_seconds": 2.0, "planner_seconds": 0.5, "found": found}
    assert planner.time_to_reach(row, 2.5) == pytest.approx(0.011), "rounded up"
    assert planner.time_to_reach(row, 2.0) == pytest.approx(0.301)
    assert planner.time_to_reach(row | {"found": []}, 2.5) == 0.5, "when it ended at the latest"
    assert planner.time_to_reach(row, 1.9) is None


def test_the_plans_found_on_the_way_are_known(benched):
    ours = next(row for row in benched[1]["cases"][0]["rows"] if row["strategy"] == "str")
    steps = [step for _, step in ours["found"]]
    assert steps and steps == sorted(steps, reverse=True)
    assert steps[-1] >= ours["step_seconds"] - 1e-6


def test_all_planners_are_judged_alike(benched):
    process, result = benched
    assert process.returncode == 0, process.stderr
    (case,) = result["cases"]
    rows = {row["strategy"]: row for row in case["rows"]}
    assert {"str", "recompute-only", "checkmate-ilp", "moccasin-cp", "poet-paging"} <= set(rows)
    for name in ("str", "recompute-only", "checkmate-ilp"):
        assert rows[name]["peak_bytes"] <= case["budget_bytes"]
        assert f"  {name} " in process.stdout
    assert rows["checkmate-ilp"]["solver"].startswith("HiGHS")
    # The same class of plans: nothing beats the model's optimum.
    assert rows["checkmate-ilp"]["step_seconds"] <= rows["recompute-only"]["step_seconds"] * (1 + 1e-9)


def test_the_constraint_model_finds_the_same_optimum(benched):
    pytest.importorskip("ortools", reason="skipped: ortools is not installed (requirements-optional.txt)")
    _, result = benched
    rows = {row["strategy"]: row for row in result["cases"][0]["rows"]}
    assert rows["moccasin-cp"]["status"] == "optimal"
    assert rows["moccasin-cp"]["step_seconds"] == pytest.approx(rows["checkmate-ilp"]["step_seconds"])


def test_paging_is_judged_too(benched):
    pytest.importorskip("ortools", reason="skipped: ortools is not installed (requirements-optional.txt)")
    _, result = benched
    (case,) = result["cases"]
    rows = {row["strategy"]: row for row in case["rows"]}
    row = rows["poet-paging"]
    assert row["status"] == "optimal"
    assert row["peak_bytes"] <= case["budget_bytes"]
    # Copies take less than any layer here, so that it pages; that they stop somebody is for the judge to say.
    assert row["swapped_bytes"] > 0
    assert row["recomputed_nodes"] == 0
    assert row["step_seconds"] >= rows["str"]["step_seconds"] * (1 - 1e-9)


def test_steps_that_nobody_takes_are_left_out_and_copies_waited_for():
    nodes = [{"inputs": []}, {"inputs": [0]}, {"inputs": [1]}, {"inputs": [0]}, {"inputs": [0, 3]}]
    taken = [("run", 0), ("swap_out", 0), ("run", 1), ("run", 2), ("swap_in", 0), ("run", 3), ("run", 4)]
    more = taken[:3] + [("swap_out", 0), ("swap_out", 1)] + taken[3:5] + [("rerun", 1)] + taken[5:] + [("swap_in", 0)]
    assert poet_paging.without_untaken(poet_paging.without_repeated_copies(more), nodes) == taken
    # After node 1, the last that takes the first instance; a value that nobody takes is gone with the next node.
    assert poet_paging.with_waits(taken, nodes) == taken[:3] + [("swap_out_wait", 0)] + taken[3:]
    assert poet_paging.with_waits([("swap_out", 1), ("run", 3), ("run", 4)], nodes)[2] == ("swap_out_wait", 1)


def test_without_ortools_the_reason_is_given(graph, tmp_path):
    without = tmp_path / "python"
    without.write_text(f'#!/bin/sh\nexec {sys.executable} -S -E "$@"\n')
    without.chmod(0o755)
    process, result = bench(graph, tmp_path, f"--cp-python={without}")
    assert process.returncode == 0, process.stderr
    for row in result["cases"][0]["rows"][-2:]:
        assert row["status"] == "skipped"
        assert "requirements-optional.txt" in row["reason"]


def test_a_wish_that_is_not_fulfilled_is_exit_one(graph, tmp_path):
    process, _ = bench(graph, tmp_path, "--at-least=1e9")
    assert process.returncode == 1
