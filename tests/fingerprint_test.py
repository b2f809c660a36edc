"""One script is one graph: its fingerprint is the same in every process, so that its plan is found again."""

import json
import sys

import pytest
from conftest import ROOT
from training import Workshop

sys.path.insert(0, str(ROOT / "runtime_examples"))
import stages
import zoo
from models import EXAMPLES

OPEN_CHOICES = ROOT / "tests" / "open_choices.py"
PROCESSES = 3


def captured_file(folder):
    (entry,) = json.loads((folder / "index.json").read_text())
    return folder / entry["file"]


@pytest.mark.parametrize(("model", "settings"), [("sums", {"STR_CAPTURE_ONLY": 1}), ("loop", {})])
def test_choices_of_tensorflow_do_not_change_the_fingerprint(run_scripts, tmp_path, model, settings):
    folders = [tmp_path / f"captured{seed}" for seed in range(PROCESSES)]
    # Without oneDNN there is nothing to choose.
    settings = settings | {"TF_ENABLE_ONEDNN_OPTS": 1}
    run_scripts(
        *[
            ([OPEN_CHOICES, model], {"STR_CAPTURE": folder, "PYTHONHASHSEED": seed, **settings})
            for seed, folder in enumerate(folders)
        ]
    )
    graphs = [captured_file(folder) for folder in folders]
    assert "str/own_source/" in graphs[0].read_text(), "the model leaves TensorFlow a choice"
    assert len({graph.name for graph in graphs}) == 1


# A loop's inside is not planned: there is nothing to save.
@pytest.mark.parametrize(("model", "budget"), [("sums", "95%"), ("loop", "100%")])
def test_a_plan_is_found_again_and_computes_the_same(run_scripts, tmp_path, model, budget):
    workshop = Workshop(tmp_path)
    folder = tmp_path / "captured"
    (captured,) = run_scripts(([OPEN_CHOICES, model], {"STR_CAPTURE": folder}))
    assert captured.returncode == 0, captured.errors
    strategy, _ = workshop.plan(captured_file(folder), budget)
    (trained,) = run_scripts(([OPEN_CHOICES, model], {"STR_STRATEGY_FILE": strategy, "STR_STRICT": 1}))
    assert trained.returncode == 0, trained.errors
    assert "STR-3001 applied:" in trained.errors
    assert trained.results == captured.results


@pytest.mark.long
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_model_of_the_zoo_has_one_fingerprint(monkeypatch, tmp_path, name):
    graphs = set()
    for seed in range(PROCESSES):
        monkeypatch.setenv("PYTHONHASHSEED", str(seed))
        shop = stages.Workshop(tmp_path / str(seed), name, zoo.smallest_options(EXAMPLES[name]))
        graphs.add(shop.capture_only().name)
    assert len(graphs) == 1


@pytest.mark.long
@pytest.mark.parametrize("turn", range(10))
def test_resnet50v2_is_captured_planned_and_trained(tmp_path, turn):
    workshop = Workshop(tmp_path)
    folder = tmp_path / "captured"
    (captured,) = workshop.train(("resnet50v2", "custom", {"STR_CAPTURE": folder}))
    assert captured.returncode == 0, captured.errors
    strategy, _ = workshop.plan(captured_file(folder), "90%")
    (trained,) = workshop.train(("resnet50v2", "custom", {"STR_STRATEGY_FILE": strategy, "STR_STRICT": 1}))
    assert trained.returncode == 0, trained.errors
    assert "STR-3001 applied:" in trained.errors
    assert trained.results["losses"] == captured.results["losses"]
    assert trained.results["variables_sha256"] == captured.results["variables_sha256"]
