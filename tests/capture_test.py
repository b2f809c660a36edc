"""What captures write, and what they leave alone."""

import json

import pytest
from conftest import ROOT
from training import Workshop


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path)


def test_capture_only_writes_the_graph_and_does_not_run_the_step(workshop):
    folder = workshop.folder / "captured"
    (run,) = workshop.train(("unet", "custom", {"STR_CAPTURE": folder, "STR_CAPTURE_ONLY": 1}))
    assert run.returncode != 0
    assert "STR_CAPTURE_ONLY" in run.errors and "the step was not run" in run.errors
    (entry,) = json.loads((folder / "index.json").read_text())
    assert entry["steps_measured"] == 0
    assert workshop.command("check", folder / entry["file"]).returncode == 0

    without_device = workshop.command("plan", folder / entry["file"], "--budget=80%")
    assert without_device.returncode == 1 and "--device" in without_device.errors
    planned = workshop.command(
        "plan", folder / entry["file"], "--budget=80%", "--device=t4-16gb", f"--output={workshop.folder}/s.conf"
    )
    assert planned.returncode == 0, planned.errors


@pytest.mark.parametrize(("model", "loop"), [("mobilenet", "fit"), ("unet", "custom")])
def test_a_capture_changes_no_bits(capture, model, loop):
    captured = capture(model, loop)
    assert captured.while_captured["losses"] == captured.plain["losses"]
    assert captured.while_captured["variables_sha256"] == captured.plain["variables_sha256"]


CONTROL_FLOW = ROOT / "tests" / "property" / "control_flow.py"


def test_loops_and_conditionals_are_left_alone(run_scripts, workshop):
    folder = workshop.folder / "captured"
    plain, captured = run_scripts(([CONTROL_FLOW], {}), ([CONTROL_FLOW], {"STR_CAPTURE": folder}))
    assert plain.returncode == 0, plain.errors
    assert captured.returncode == 0, captured.errors
    (entry,) = json.loads((folder / "index.json").read_text())
    text = (folder / entry["file"]).read_text()
    assert "RECOMPUTE_CONTROL_FLOW" in text
    strategy, verdict = workshop.plan(folder / entry["file"], "90%")
    (planned,) = run_scripts(([CONTROL_FLOW], {"STR_STRATEGY_FILE": strategy}))
    assert planned.returncode == 0, planned.errors
    assert "STR-3001 applied:" in planned.errors
    assert planned.results == plain.results == captured.results
    assert verdict["swapped_tensors"] + verdict["recomputed_nodes"] > 0
