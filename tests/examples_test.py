"""The example models on plain TensorFlow: their training is a function of the seed, or no runs could be compared."""

import math

import pytest
from conftest import TRAIN

# The smallest images that the models take; keras.applications asks for 32 pixels.
TINY = {
    "vgg16": ["--model=vgg16", "--batch=2", "--image=32", "--steps=2"],
    "unet": ["--model=unet", "--batch=2", "--image=32", "--steps=2"],
    "mobilenet": ["--model=mobilenet", "--batch=2", "--image=32", "--steps=2"],
    "vgg_unet": ["--model=vgg_unet", "--batch=2", "--image=32x48", "--steps=2"],
    "gpt": ["--model=gpt", "--batch=2", "--tokens=8", "--blocks=1", "--steps=2"],
    # Only at this size do ops that run side by side change places often enough to show a dependence on their order.
    "mobilenet at its own size": ["--model=mobilenet", "--steps=3"],
}


@pytest.mark.parametrize(
    ("model", "loop"),
    [
        ("vgg16", "custom"),
        ("unet", "custom"),
        ("mobilenet", "fit"),
        ("vgg_unet", "custom"),
        ("gpt", "fit"),
        ("mobilenet at its own size", "custom"),
    ],
)
def test_same_seed_same_training(run_scripts, model, loop):
    script = ([TRAIN, *TINY[model], f"--loop={loop}"], {})
    first, second = run_scripts(script, script, plugin=False)
    assert first.returncode == 0, first.errors
    assert second.returncode == 0, second.errors
    assert first.results["status"] == "ok"
    assert first.results["losses"] == second.results["losses"]
    assert first.results["variables_sha256"] == second.results["variables_sha256"]
    assert len(first.results["step_seconds"]) == first.results["steps"]
    assert all(math.isfinite(float.fromhex(loss)) for loss in first.results["losses"])


def test_other_seed_other_training(run_scripts):
    first, second = run_scripts(
        ([TRAIN, *TINY["unet"], "--seed=1"], {}), ([TRAIN, *TINY["unet"], "--seed=2"], {}), plugin=False
    )
    assert first.results["losses"] != second.results["losses"]
    assert first.results["variables_sha256"] != second.results["variables_sha256"]


def test_trained_where_out_of_memory_was_expected_is_a_failure(train):
    assert train(*TINY["unet"], "--expect-oom", plugin=False).returncode == 1
