"""Plans for models at full size, made without running them."""

import json
import re

import pytest
from conftest import ROOT

PLAN = "runtime_examples/plan_full_size.py"


def readme_commands():
    lines = (ROOT / "README.md").read_text().splitlines()
    return [line.removeprefix("./str ").split() for line in lines if line.startswith(f"./str python {PLAN}")]


def checked(str_command, folder, arguments):
    """Runs the command in `folder`; returns the verdict on the strategy that it wrote."""
    (script,) = [word for word in arguments if word == PLAN]
    words = [str(ROOT / word) if word == script else word for word in arguments]
    run = str_command(*words, f"--output={folder}/plan.conf", f"--graph={folder}/step.graph", cwd=folder)
    assert run.returncode == 0, run.errors
    (device,) = re.findall(r"--device=(\S+)", " ".join(arguments)) or ["rtx-3090-24gb"]
    simulated = str_command("simulate", folder / "step.graph", folder / "plan.conf", f"--device={device}", "--json=-")
    assert simulated.returncode == 0, simulated.errors
    return json.loads(simulated.output)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--model=vgg16", "--batch=40", "--image=64", "--budget=80%"],
        ["--model=vgg_unet", "--batch=4", "--image=64x96", "--budget=75%"],
        ["--model=gpt", "--batch=4", "--tokens=256", "--blocks=6", "--budget=85%", "--device=t4"],
    ],
)
def test_small_models_are_planned_without_running(str_command, tmp_path, arguments):
    verdict = checked(str_command, tmp_path, ["python", PLAN, *arguments])
    assert verdict["status"] == "feasible"
    assert verdict["peak_bytes"] <= verdict["budget_bytes"] < verdict["baseline_peak_bytes"]
    assert verdict["tensors_decided"] > 0
    assert verdict["bfc_peak_bytes"] >= verdict["peak_bytes"]


def test_what_cannot_be_captured_or_planned_is_said(str_command, tmp_path):
    unknown = str_command("python", ROOT / PLAN, "--model=vgg16", "--tokens=3", "--budget=80%", cwd=tmp_path)
    assert unknown.returncode == 1 and "--tokens" in unknown.errors
    small = ["--model=unet", "--batch=1", "--image=32"]
    tight = str_command("python", ROOT / PLAN, *small, "--budget=1MiB", cwd=tmp_path)
    assert tight.returncode == 2 and "STR-1001" in tight.errors


@pytest.mark.long
def test_commands_of_the_readme_at_full_size(str_command, tmp_path):
    commands = readme_commands()
    assert len(commands) == 6, "three models, two budgets"
    for i, arguments in enumerate(commands):
        (tmp_path / str(i)).mkdir()
        words = [word for word in arguments if not word.startswith("--output")]
        assert checked(str_command, tmp_path / str(i), words)["status"] == "feasible"
