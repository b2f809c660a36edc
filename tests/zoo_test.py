"""The model zoo: models by name, captured as graphs without running them."""

import json
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "runtime_examples"))
import train as train_script
import zoo
from models import EXAMPLES, list_of_examples


def assert_plannable(str_command, graph, tmp_path):
    """A training graph: a plan with memory to spare exists and costs nothing."""
    planned = str_command(
        *["plan", graph, "--budget=200%", "--device=t4", "--strategy=keep-all"],
        *[f"--output={tmp_path}/plan.conf", "--json=-"],
    )
    assert planned.returncode == 0, planned.errors
    verdict = json.loads(planned.output)
    assert verdict["step_seconds"] == pytest.approx(verdict["baseline_seconds"])
    assert verdict["baseline_peak_bytes"] > 0


def test_models_of_every_family_are_listed():
    families = "vgg19 resnet152v2 mobilenetv3small densenet201 inceptionresnetv2 xception nasnetlarge efficientnetb7"
    others = "fcn_8 fcn_32 segnet pspnet unet vgg_unet resnet50_unet mobilenet_unet linear_chain gpt bert"
    listed = [line.split()[0] for line in list_of_examples().splitlines()]
    assert listed == ["name", *EXAMPLES]
    assert set(f"{families} {others}".split()) <= set(listed)


@pytest.mark.parametrize("name", ["segnet", "bert"])
def test_a_model_is_captured_by_name(str_command, tmp_path, name):
    graph = tmp_path / "step.graph"
    assert zoo.main(["capture", name, "--smallest", f"--output={graph}"]) == 0
    assert_plannable(str_command, graph, tmp_path)


@pytest.mark.long
def test_every_model_is_captured(str_command, tmp_path):
    assert zoo.main(["capture", "all", "--smallest", f"--output={tmp_path}/graphs"]) == 0
    for name in EXAMPLES:
        assert_plannable(str_command, tmp_path / "graphs" / f"{name}.graph", tmp_path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model=pspnet", "--image=100"], "multiples of 192"),
        (["--model=xception", "--image=64"], "at least 71"),
        (["--model=vgg19", "--layers=3"], "no --blocks or --layers"),
        (["--model=bert", "--image=64"], "takes --tokens"),
        (["--model=vgg19", "--batch=0"], "--batch must be at least 1"),
        (["--model=vgg17"], "invalid choice: 'vgg17'"),
    ],
)
def test_sizes_that_a_model_does_not_take_are_refused(capsys, arguments, words):
    with pytest.raises(SystemExit) as ended:
        train_script.parse_options(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_sizes_are_as_asked_for_or_the_models_own():
    chain = train_script.parse_options(["--model=linear_chain", "--layers=5", "--image=32x48"])
    assert (chain.blocks, chain.shape, chain.batch, chain.classes) == (5, (32, 48), 16, 10)
    model = EXAMPLES["linear_chain"].make(chain.shape, chain.classes, chain.blocks)
    assert [layer.name for layer in model.layers if layer.name.startswith("conv")] == [f"conv{i}" for i in range(5)]
    assert train_script.parse_options(["--model=bert", "--tokens=9"]).shape == (9,)


@pytest.mark.parametrize(("name", "places"), [("fcn_8", (72, 104)), ("segnet", (32, 48)), ("mobilenet_unet", (32, 48))])
def test_segmentation_has_a_logit_per_class_and_place(name, places):
    assert EXAMPLES[name].make((64, 96), classes=7).output_shape == (None, *places, 7)
