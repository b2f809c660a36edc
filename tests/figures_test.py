"""One meaning of each figure: what is planned, what the file says and what the plugin reports of a step agree."""

import json
import pathlib
import re

import pytest
from conftest import ROOT, finish, start
from training import Workshop

SCRIPT = ROOT / "tests" / "two_functions.py"


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("figures"))


@pytest.fixture(scope="module")
def captured(workshop):
    """The folder of a capture of two functions; the batch size of one is not known when it is traced."""
    folder = workshop.folder / "captured"
    result = f"--json={workshop.folder}/captured.json"
    run = finish(start([ROOT / "str", "python", SCRIPT, result], workshop.home, {"STR_CAPTURE": folder}))
    assert run.returncode == 0, run.errors
    return folder


def plan_folder(workshop, captured, plans, *options):
    """Plans into the folder `plans`; the rows of the command's JSON by fingerprint."""
    verdict = plans / "plans.json"
    planned = workshop.command("plan", captured, f"--output={plans}", f"--json={verdict}", *options)
    assert planned.returncode == 0, planned.errors
    return {row["fingerprint"]: row for row in json.loads(verdict.read_text())["plans"]}


def header_counts(file):
    """(swapped, recomputed) of the comment on top of a strategy file."""
    found = re.search(r"^# Changes: +(\d+) tensors? swapped .*, (\d+) nodes? recomputed$", file.read_text(), re.M)
    return int(found[1]), int(found[2])


def applied_counts(errors):
    """(swapped, recomputed, bytes) by fingerprint, of the plugin's lines."""
    found = re.findall(
        r"STR-3001 applied: (\d+) recomputed, (\d+) swapped \((?:.*?\()?(\d+) bytes\)? a step.* Graph ([0-9a-f]{16})",
        errors,
    )
    return {graph: (int(swapped), int(recomputed), int(size)) for recomputed, swapped, size, graph in found}


# Swaps; and runs of some nodes more than twice.
@pytest.mark.parametrize("options", [("--budget=60%",), ("--budget=60%", "--strategy=dtr")])
def test_plan_header_and_plugin_count_alike(workshop, captured, run_scripts, tmp_path, options):
    plans = tmp_path / "plans"
    plans.mkdir()
    rows = plan_folder(workshop, captured, plans, *options)
    plain, trained = run_scripts(([SCRIPT], {}), ([SCRIPT], {"STR_STRATEGY_FILE": plans, "STR_STRICT": 1}))
    assert trained.returncode == 0, trained.errors
    assert trained.results == plain.results
    applied = applied_counts(trained.errors)
    assert applied.keys() == rows.keys() and len(rows) == 2
    for fingerprint, row in rows.items():
        planned = (row["swapped_tensors"], row["recomputed_nodes"])
        assert sum(planned) > 0
        assert header_counts(pathlib.Path(row["file"])) == planned
        assert applied[fingerprint] == (*planned, row["swapped_bytes"])


def test_graphs_are_named_after_their_functions(captured):
    files = [entry["file"] for entry in json.loads((captured / "index.json").read_text())]
    assert sorted(file.rsplit("-", 1)[0] for file in files) == ["train_d", "train_g"]


def test_a_budget_in_percent_is_of_the_peak_with_everything_kept(workshop, captured):
    for entry in json.loads((captured / "index.json").read_text()):
        assert entry["measured_peak_bytes"] == entry["peak_bytes"] > 0
        verdict = workshop.folder / "plan.json"
        planned = workshop.command(
            "plan", captured / entry["file"], "--budget=90%", f"--json={verdict}", f"--output={workshop.folder}/p.conf"
        )
        assert planned.returncode == 0, planned.errors
        figures = json.loads(verdict.read_text())
        assert figures["budget_bytes"] == int(0.9 * figures["baseline_peak_bytes"])
        assert figures["measured_peak_bytes"] == entry["measured_peak_bytes"]
        assert ", 90% of the peak with everything kept\n" in planned.output
        line = r"^peak, everything kept .*\((\d+) bytes\); measured in training: .*\((\d+) bytes\)$"
        kept = re.search(line, planned.output, re.M)
        assert [int(size) for size in kept.groups()] == [figures["baseline_peak_bytes"], figures["measured_peak_bytes"]]


def test_a_budget_without_unit_is_asked_back(workshop, captured):
    graph = captured / json.loads((captured / "index.json").read_text())[0]["file"]
    for arguments in (
        ("plan", graph, "--budget=60"),
        ("compare", graph, "--budgets=80%,60", "--strategies=keep-all"),
        ("max-batch", graph, "--batch=2048", "--budget=60"),
    ):
        refused = workshop.command(*arguments)
        assert refused.returncode == 1 and "did you mean" in refused.errors, refused.errors
