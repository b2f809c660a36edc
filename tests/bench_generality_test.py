"""The benchmark of drawn graphs: the graphs themselves, what is counted, and one small run."""

import json
import math
import subprocess
import sys

import pytest
from conftest import ROOT, run_benchmark

sys.path.insert(0, str(ROOT / "bench"))

import drawn_graphs  # noqa: E402
import generality  # noqa: E402

FAMILIES = list(drawn_graphs.FAMILIES)
SEEDS = range(1, 9)


# The drawn graphs.


def test_equal_seeds_give_equal_graphs_in_every_process():
    script = "import drawn_graphs; print(repr([drawn_graphs.draw(name, 3) for name in drawn_graphs.FAMILIES]))"
    for hash_seed in ("1", "2"):
        process = subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT / "bench",
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert process.stdout.strip() == repr([drawn_graphs.draw(name, 3) for name in FAMILIES])


def test_other_seeds_and_families_give_other_graphs():
    graphs = [json.dumps(drawn_graphs.draw(family, seed)["nodes"]) for family in FAMILIES for seed in (1, 2)]
    assert len(set(graphs)) == len(graphs)


@pytest.mark.parametrize("family", FAMILIES)
def test_graphs_are_valid_training_graphs(family):
    for seed in SEEDS:
        graph = drawn_graphs.draw(family, seed)
        nodes = graph["nodes"]
        assert graph["name"] == f"{family}-{seed}"
        assert drawn_graphs.LEAST_NODES <= len(nodes) <= drawn_graphs.MOST_NODES
        assert len({node["name"] for node in nodes}) == len(nodes)
        for i, node in enumerate(nodes):
            assert all(0 <= dep < i for dep in node["deps"]), "deps come first"
            assert len(set(node["deps"])) == len(node["deps"])
        forward = [not node["is_backward"] for node in nodes]
        assert forward == sorted(forward, reverse=True), "first all forward nodes, then all backward nodes"
        assert 0.15 < sum(forward) / len(nodes) < 0.6


@pytest.mark.parametrize("family", FAMILIES)
def test_sizes_and_costs_are_plausible(family):
    for seed in SEEDS:
        graph = drawn_graphs.draw(family, seed)
        nodes = graph["nodes"]
        assert isinstance(graph["const_bytes"], int) and graph["const_bytes"] > 0
        assert isinstance(graph["pcie"], int) and 6e9 <= graph["pcie"] <= 30e9
        assert all(isinstance(node["bytes"], int) and 4 <= node["bytes"] < 64 * 2**30 for node in nodes)
        assert all(1e-6 < node["cost"] < 30 for node in nodes)
        peak = drawn_graphs.peak_bytes(graph)
        assert 16 * 2**20 < peak < 512 * 2**30
        assert graph["const_bytes"] < drawn_graphs.floor_bytes(graph) <= drawn_graphs.MOST_FLOOR * peak


def test_peak_and_floor_of_a_graph():
    sizes_and_deps = [(10, []), (20, [0]), (5, [1]), (7, [0, 2]), (1, [3])]
    nodes = [{"bytes": size, "deps": deps} for size, deps in sizes_and_deps]
    graph = {"const_bytes": 100, "nodes": nodes}
    assert drawn_graphs.peak_bytes(graph) == 135, "nodes 0, 1 and 2"
    assert drawn_graphs.floor_bytes(graph) == 130, "node 1 and its input"


@pytest.mark.parametrize("family", FAMILIES)
def test_every_value_has_a_gradient_and_every_gradient_has_a_use(family):
    for seed in SEEDS:
        nodes = drawn_graphs.draw(family, seed)["nodes"]
        used = {dep for node in nodes for dep in node["deps"]}
        for i, node in enumerate(nodes):
            # Results of the step: the loss, and gradients of weights or their updates.
            assert i in used or node["name"].startswith(("dW_", "update_")), node["name"]
        backward = [node["name"] for node in nodes if node["is_backward"]]
        for node in nodes:
            if not node["is_backward"] and node["name"].startswith(("conv", "dense", "depthwise", "upconv")):
                assert f"dW_{node['name']}" in backward


def test_gradients_take_the_values_that_they_need():
    nodes = drawn_graphs.draw("chain", 1)["nodes"]
    index = {node["name"]: i for i, node in enumerate(nodes)}
    convolutions = [node for node in nodes if node["name"].startswith("conv") and node["deps"]]
    assert convolutions
    for node in convolutions:
        weights, inputs = nodes[index[f"dW_{node['name']}"]], nodes[index[f"dX_{node['name']}"]]
        assert set(node["deps"]) <= set(weights["deps"]), "the input of the convolution"
        assert weights["deps"][-1] == inputs["deps"][-1], "the gradient of its output"
        assert inputs["bytes"] == nodes[node["deps"][0]]["bytes"]


def test_a_value_with_several_consumers_has_the_sum_of_their_gradients():
    terms = set()
    for seed in SEEDS:
        nodes = drawn_graphs.draw("dense", seed)["nodes"]
        for node in nodes:
            if node["name"].startswith("sum_"):
                terms.add(len(node["deps"]))
                assert {nodes[dep]["bytes"] for dep in node["deps"]} == {node["bytes"]}
    assert min(terms) == 2 and max(terms) > 2, "some graphs add pair by pair, others all at once"


def test_graphs_differ_in_order_and_updates():
    first, updates = set(), set()
    for seed in SEEDS:
        names = [node["name"] for node in drawn_graphs.draw("chain", seed)["nodes"]]
        dense = next(name for name in reversed(names) if name.startswith("dX_dense")).removeprefix("dX_")
        first.add(names.index(f"dW_{dense}") < names.index(f"dX_{dense}"))
        updates.add(any(name.startswith("update_") for name in names))
    assert first == {True, False} and updates == {True, False}


# What is counted.


def row(strategy, budget, step, gap=None, status=None, family="unet", seed=7):
    status = status or ("feasible" if step is not None else "infeasible")
    return {
        "family": family,
        "seed": seed,
        "nodes": 100,
        "budget": float(budget),
        "strategy": strategy,
        "status": status,
        "step_seconds": step,
        "overhead": None if step is None else step - 1,
        "gap": gap,
        "plan_seconds": 0.5,
    }


def test_beaten_by_the_fastest_rival_at_the_same_budget():
    rows = [row("str", 40, 2.0), row("dtr", 40, 1.6), row("swap-only", 40, 1.0), row("keep-all", 40, None)]
    rows += [row("str", 50, 1.0004), row("dtr", 50, 1.0)]  # within what counts as equal
    rows += [row("str", 60, 1.001), row("dtr", 60, 1.0), row("str", 90, 1.0), row("dtr", 90, 1.5)]
    rows += [row("str", 40, 1.0, seed=8), row("dtr", 30, 0.5, seed=8)]  # another budget
    found = generality.beaten(rows)
    assert [(ours["budget"], rival["strategy"]) for ours, rival, _ in found] == [(40, "swap-only"), (60, "dtr")]
    assert [share for *_, share in found] == pytest.approx([1.0, 0.001])


def test_no_plan_where_a_rival_has_one_is_the_worst_way_to_be_beaten():
    rows = [row("str", 30, None), row("dtr", 30, 5.0), row("str", 40, 2.0), row("dtr", 40, 1.0)]
    rows += [row("str", 30, None, seed=8), row("dtr", 30, None, seed=8), row("str", 35, None, status="limit")]
    assert [share for *_, share in generality.beaten(rows)] == [math.inf, 1.0]
    statuses, only_rivals = generality.without_plan(rows)
    assert statuses == {"infeasible": 2, "limit": 1}
    assert [(ours["seed"], ours["budget"], rival["strategy"]) for ours, rival in only_rivals] == [(7, 30, "dtr")]


def test_not_monotone_against_the_best_of_all_smaller_budgets():
    steps = {30: 1.5, 35: 1.2, 40: 1.8, 50: 1.2011, 60: 1.2006, 75: None, 90: 1.0}
    rows = [row("str", budget, steps[budget]) for budget in (90, 40, 30, 75, 60, 35, 50)]
    rows += [row("dtr", 30, 1.0), row("dtr", 40, 1.9)]  # only the default planner is judged
    found = generality.not_monotone(rows)
    assert [(slow["budget"], best["budget"]) for slow, best, _ in found] == [(75, 35), (40, 35)]
    assert [share for *_, share in found] == pytest.approx([math.inf, 0.5])
    assert not generality.not_monotone([row("str", 30, None), row("str", 40, 2.0), row("str", 50, 2.0)])


def test_percentiles_are_values_that_occur():
    values = [value / 100 for value in range(100, 0, -1)]
    assert generality.percentile(values, 50) == 0.5
    assert generality.percentile(values, 95) == 0.95
    assert generality.percentile([3.0, 1.0], 50) == 1.0
    assert generality.percentile([3.0], 95) == 3.0
    assert generality.percentile([], 50) is None


def test_gaps_are_those_of_the_default_planners_plans():
    rows = [row("str", 30 + i, 1.0, gap=i / 100) for i in range(20)]
    rows += [row("str", 60, None), row("dtr", 30, 1.0, gap=9.0)]
    assert generality.gap_summary(rows) == {"plans": 20, "median": 0.09, "high": 0.18, "worst": 0.19}
    rows.append(row("str", 90, 1.0, gap=None))
    assert generality.gap_summary(rows)["worst"] == math.inf, "a plan without a bound proves nothing"


def test_targets():
    good = [row("str", 30, 1.1, gap=0.003), row("dtr", 30, 1.2), row("str", 40, 1.1, gap=0.003)]
    assert generality.missed_targets(good) == []
    bad = [row("str", 30, 1.0, gap=0.0031), row("dtr", 30, 0.9), row("str", 40, 1.1, gap=0.04)]
    missed = generality.missed_targets(bad)
    assert [line.split()[0] for line in missed] == ["beaten", "not", "median", "95th"]
    assert "in 1 rows" in missed[0] and "4 %" in missed[3]
    assert len(generality.missed_targets([row("str", 30, None)])) == 2, "without plans nothing is proven"


def test_tables_name_what_can_be_drawn_again(capsys):
    rows = [row("str", 30, None), row("dtr", 30, 5.0), row("str", 40, 2.0, gap=0.5), row("dtr", 40, 1.0)]
    rows += [row("str", 50, 2.5, gap=0.1), row("dtr", 50, None, status="error") | {"reason": "exit code 134: aborted"}]
    generality.print_tables(rows, ["str", "dtr"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert "1 graphs, 6 rows, 3 of str".split() in lines
    assert "40 % 1 1 1 100.0 % 100.0 % 0 - - 50.0 % 50.0 % 50.0 %".split() in lines
    assert "all 3 2 2 100.0 % no plan 1 25.0 % 25.0 % 10.0 % 50.0 % 50.0 %".split() in lines
    assert "str has no plan in 1 rows, 1 infeasible; another strategy has one in 1 of them".split() in lines
    assert "dtr 2 2 100.0 % no plan 0.50 s".split() in lines
    assert "unet:7 40 % 100 2.000000 1.000000 100.0 % dtr".split() in lines
    assert "unet:7 50 % 100 2.500000 2.000000 25.0 % budget 40 %".split() in lines
    assert "unet:7 50 % dtr error: exit code 134: aborted".split() in lines


# One small run.

SMALL = ("--graphs=2", "--seeds=5", "--budgets=60,90", "--strategies=str,chen-sqrt", "--time-limit=1s", "--gap=5%")


@pytest.fixture(name="benched", scope="module")
def fixture_benched(tmp_path_factory):
    """(folder, process, JSON)"""
    folder = tmp_path_factory.mktemp("generality")
    return folder, *run_benchmark("generality", folder, *SMALL, f"--keep={folder / 'kept'}")


def test_every_strategy_plans_every_graph_at_every_budget(benched):
    folder, process, result = benched
    assert process.returncode == 0, process.stdout + process.stderr
    keys = [generality.key(made) for made in result["rows"]]
    graphs = [("chain", 5001), ("residual", 5002)]
    expected = [(*graph, budget, name) for graph in graphs for budget in (60, 90) for name in ("str", "chen-sqrt")]
    assert sorted(keys) == sorted(expected)
    peaks = {graph: drawn_graphs.peak_bytes(drawn_graphs.draw(*graph)) for graph in graphs}
    for made in result["rows"]:
        peak = peaks[made["family"], made["seed"]]
        assert made["budget_bytes"] == pytest.approx(made["budget"] / 100 * peak, rel=1e-3)
        assert made["status"] in ("optimal", "feasible", "infeasible"), made
        if made["step_seconds"] is not None:
            assert made["peak_bytes"] <= made["budget_bytes"]
    for graph in graphs:
        budgets = {made["budget_bytes"] for made in result["rows"] if (made["family"], made["seed"]) == graph}
        assert len(budgets) == 2, "the same for every strategy"
    assert "2 graphs, 8 rows, 4 of str" in process.stdout
    assert "str: 8 of 8 plans" in process.stderr
    kept = json.loads((folder / "kept" / "chain-5001.json").read_text())
    assert kept == drawn_graphs.draw("chain", 5001)


def test_a_second_run_takes_the_rows_that_are_there(benched):
    folder, _, result = benched
    process, again = run_benchmark("generality", folder, *SMALL)
    assert "8 of 8 rows are there already" in process.stderr
    assert again["rows"] == result["rows"]
    process, more = run_benchmark("generality", folder, *SMALL[2:], "--only=residual:5002", "--check")
    assert "4 of 4 rows are there already" in process.stderr and "1 graphs, 4 rows, 2 of str" in process.stdout
    assert more["rows"] == result["rows"], "rows of other graphs stay"
    assert process.returncode == (1 if "missed: " in process.stdout else 0)


def test_a_planner_that_fails_is_a_row_with_its_message(tmp_path):
    arguments = ("--only=chain:1", "--budgets=90", "--strategies=keep-all", "--gap=none", "--time-limit=1s")
    assert run_benchmark("generality", tmp_path, *arguments)[0].returncode == 0, "it does not search"
    process, result = run_benchmark("generality", tmp_path, *arguments, "--strategies=str")
    assert process.returncode == 1
    failed = [made for made in result["rows"] if made["strategy"] == "str"]
    assert [made["status"] for made in failed] == ["error"]
    assert failed[0]["reason"].startswith("exit code 1: ") and failed[0]["reason"] in process.stdout


@pytest.mark.parametrize(
    "argument",
    ["--only=cube:1", "--only=chain", "--budgets=0", "--budgets=x", "--time-limit=1h", "--graphs=1000", "--seeds=1,1"],
)
def test_wrong_arguments(capsys, argument):
    with pytest.raises(SystemExit) as end:
        generality.parse_options([argument])
    assert end.value.code == 1
    errors = capsys.readouterr().err
    assert "usage: " in errors and "\nstr: " in errors
