"""Checkmate's graph and cost model, built from Keras models, against graphs of its authors' time."""

import json
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "runtime_examples"))
import checkmate_graph
import layer_flops
from models import EXAMPLES

GRAPHS = ROOT.parent / "shared" / "data" / "checkmate_graphs"


def built(name, batch):
    example = EXAMPLES[name]
    model = checkmate_graph.published_model(name, example.full_shape, example.full_classes)
    return checkmate_graph.training_graph(model, batch, name)


@pytest.mark.parametrize(("name", "batch"), [("vgg16", 256), ("vgg_unet", 32), ("mobilenet", 512)])
def test_structure_and_bytes_are_the_published_ones(name, batch):
    file = GRAPHS / f"{name}_b{batch}.json"
    if not file.exists():
        pytest.skip("skipped: no ../shared/data")
    published, graph = json.loads(file.read_text()), built(name, batch)
    for field in ("id", "backward", "cost_ram"):
        assert [node[field] for node in graph["nodes"]] == [node[field] for node in published["nodes"]]

    def links(of):
        return sorted((link["source"], link["target"]) for link in of["links"])

    assert links(graph) == links(published)


# Nodes, links and the sum of FLOPs as peers' files have them.
@pytest.mark.parametrize(
    ("name", "batch", "nodes", "links", "flops"),
    [("fcn_8", 32, 73, 149, 10275337746048), ("segnet", 32, 77, 151, None), ("resnet50", 256, 353, 751, None)],
)
def test_counts_are_the_published_ones(name, batch, nodes, links, flops):
    graph = built(name, batch)
    assert (len(graph["nodes"]), len(graph["links"])) == (nodes, links)
    if flops is not None:
        assert sum(node["cost_cpu"] for node in graph["nodes"]) == flops


def test_the_planner_reads_it(str_command, tmp_path):
    """Weights and their gradients count at every moment."""
    graph, verdict = tmp_path / "vgg19.json", tmp_path / "verdict.json"
    assert checkmate_graph.main(["--model=vgg19", "--batch=1", "--image=32", f"--output={graph}"]) == 0
    weights = json.loads(graph.read_text())["graph"]["const_bytes"]
    planned = str_command(
        *["plan", graph, "--budget=100%", "--cost-unit=1ns", "--strategy=keep-all"],
        *[f"--output={tmp_path}/plan.conf", f"--json={verdict}"],
    )
    assert planned.returncode == 0, planned.errors
    results = json.loads(verdict.read_text())
    assert weights < results["peak_bytes"] < weights + 2**24
    flops = sum(node["cost_cpu"] for node in json.loads(graph.read_text())["nodes"])
    assert results["step_seconds"] == pytest.approx(flops * 1e-9)


def test_a_layer_of_unknown_cost_is_named():
    class Strange:
        name = "middle"

    with pytest.raises(ValueError, match="middle, a Strange"):
        layer_flops.layer_flops(Strange(), [(1, 2)], (1, 2))
