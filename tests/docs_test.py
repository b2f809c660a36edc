"""Every command in docs/reproducing_figures.md and in runtime_examples/README.md works, block by block; the examples of
the file formats are what the tool writes."""

import json
import re
import subprocess

import pytest

from conftest import ROOT, environment

DATA = ROOT.parent / "shared" / "data"
FIGURES = ROOT / "docs" / "reproducing_figures.md"
EXAMPLES = ROOT / "runtime_examples" / "README.md"
# What takes seconds; everything else is for the long campaigns.
SHORT = {"Largest batch: Checkmate, figure 5"}


def blocks(path):
    """By the heading above it, each block of commands."""
    found = {}
    heading = ""
    for part in re.split(r"^(#.*)$", path.read_text(), flags=re.MULTILINE):
        if part.startswith("#"):
            heading = part.strip("# ")
        for block in re.findall(r"^```bash\n(.*?)^```", part, re.MULTILINE | re.DOTALL):
            assert heading not in found, f"{path.name}: two blocks under {heading!r}"
            found[heading] = block
    return found


def cases():
    """The blocks of the one file, and each command of the other, whose commands do not depend on each other."""
    found = dict(blocks(FIGURES))
    for block in blocks(EXAMPLES).values():
        for line in block.splitlines():
            found[re.search(r"\w+\.py", line).group()] = line
    return [
        pytest.param(script, id=name, marks=() if name in SHORT else pytest.mark.long)
        for name, script in found.items()
    ]


def test_what_is_short_is_there():
    assert SHORT <= {case.id for case in cases()}


def test_the_example_strategy_has_the_figures_of_the_judge(str_command, tmp_path):
    examples = {}
    for name in ("graph", "strategy"):
        text = (ROOT / "docs" / f"{name}_format.md").read_text()
        (examples[name],) = re.findall(r"^```textproto\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        (tmp_path / name).write_text(examples[name])
    simulated = str_command("simulate", tmp_path / "graph", tmp_path / "strategy", "--json=-")
    assert simulated.returncode == 0, simulated.errors
    verdict = json.loads(simulated.output)
    written = dict(re.findall(r"^(\w+): ([\d.]+)$", examples["strategy"], re.MULTILINE))
    assert verdict["status"] == "feasible"
    assert int(written["predicted_peak_bytes"]) == verdict["peak_bytes"]
    assert float(written["predicted_step_seconds"]) == pytest.approx(verdict["step_seconds"], rel=1e-3)
    assert float(written["baseline_step_seconds"]) == pytest.approx(verdict["baseline_seconds"], rel=1e-3)


@pytest.mark.parametrize("script", cases())
def test_commands(script, tmp_path, home):
    if not DATA.exists() and ("bench" in script or "cg_vgg19.txt" in script):
        pytest.skip("skipped: no ../shared/data")
    for name in ("str", "runtime_examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    # What a reader has of the projects themselves.
    for graph in (DATA / "mksch").glob("*.txt"):
        (tmp_path / graph.name).symlink_to(graph)
    process = subprocess.run(
        ["bash", "-c", f"set -euxo pipefail\n{script}"],
        cwd=tmp_path,
        env=environment(home, {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    for page in re.findall(r"--html=(\S+)", script):
        assert "plotly" in (tmp_path / page).read_text()
