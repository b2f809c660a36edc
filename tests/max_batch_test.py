"""Published largest batches of VGG19 on 16 GB, from the Keras model to the table of docs/reproducing_figures.md."""

import json

import pytest
from conftest import ROOT, finish, start


@pytest.fixture(scope="module")
def vgg19(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vgg19")
    graph = folder / "vgg19.json"
    script = ROOT / "runtime_examples" / "checkmate_graph.py"
    command = [ROOT / "str", "python", script, "--model=vgg19", "--batch=64", f"--output={graph}"]
    made = finish(start(command, folder, {}))
    assert made.returncode == 0, made.errors
    return graph


def largest(str_command, graph, folder, *options):
    rows = folder / "rows.json"
    result = str_command(
        "max-batch", graph, "--batch=64", "--budget=16GB", "--cost-unit=1ns", f"--json={rows}", *options
    )
    assert result.returncode == 0, result.errors
    return {row["strategy"]: row["batch"] for row in json.loads(rows.read_text())["rows"]}


def test_as_published(str_command, vgg19, tmp_path):
    strategies = "--strategy=keep-all,chen-sqrt,recompute-only"
    batches = largest(str_command, vgg19, tmp_path, strategies, "--yardstick=checkmate")
    assert batches == {"keep-all": 167, "chen-sqrt": 197, "recompute-only": 289}


def test_as_rerun_by_the_authors(str_command, vgg19, tmp_path):
    strategies = "--strategy=keep-all,chen-sqrt,chen-greedy"
    batches = largest(str_command, vgg19, tmp_path, strategies, "--yardstick=checkmate", "--batches=4:512:8")
    assert batches == {"keep-all": 164, "chen-sqrt": 196, "chen-greedy": 260}


def test_judged(str_command, vgg19, tmp_path):
    batches = largest(str_command, vgg19, tmp_path, "--strategy=keep-all,chen-sqrt,chen-greedy,recompute-only")
    assert batches == {"keep-all": 222, "chen-sqrt": 272, "chen-greedy": 289, "recompute-only": 289}
