"""The example models on plain TensorFlow: their training is a function of the seed, or no runs could be compared."""

import math

import pytest
from conftest import ROOT, finish, start

# The smallest images that the models take; keras.applications asks for 32 pixels.
TRAININGS = {
    "vgg16": "--model=vgg16 --batch=2 --image=32 --steps=2",
    "unet": "--model=unet --batch=2 --image=32 --steps=2",
    "mobilenet": "--model=mobilenet --batch=2 --image=32 --steps=2 --loop=fit",
    "vgg_unet": "--model=vgg_unet --batch=2 --image=32x48 --steps=2",
    "gpt": "--model=gpt --batch=2 --tokens=8 --blocks=1 --steps=2 --loop=fit",
    # Only at this size do ops that run side by side change places often enough to show a dependence on their order.
    "mobilenet at its own size": "--model=mobilenet --steps=3",
}
OTHER_SEED = "--model=unet --batch=2 --image=32 --steps=2 --seed=2"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """All trainings, done by each of two processes: for each process, by name, the results."""
    folder = tmp_path_factory.mktemp("trained")
    trainings = {**TRAININGS, "other seed": OTHER_SEED}
    command = [ROOT / ".venv" / "bin" / "python", ROOT / "tests" / "train_several.py", *trainings.values()]
    files = [folder / "first.json", folder / "second.json"]
    started = [start([*command, f"--json={file}"], folder, {}) for file in files]
    runs = [finish(process, file) for process, file in zip(started, files)]
    for run in runs:
        assert run.returncode == 0, run.errors
    return [dict(zip(trainings, run.results)) for run in runs]


@pytest.mark.parametrize("name", TRAININGS)
def test_same_seed_same_training(trained, name):
    first, second = (results[name] for results in trained)
    assert first["status"] == "ok"
    assert first["losses"] == second["losses"]
    assert first["variables_sha256"] == second["variables_sha256"]
    assert len(first["step_seconds"]) == first["steps"]
    assert all(math.isfinite(float.fromhex(loss)) for loss in first["losses"])


def test_other_seed_other_training(trained):
    first, _ = trained
    assert first["unet"]["losses"] != first["other seed"]["losses"]
    assert first["unet"]["variables_sha256"] != first["other seed"]["variables_sha256"]


def test_trained_where_out_of_memory_was_expected_is_a_failure(train):
    assert train(*TRAININGS["unet"].split(), "--expect-oom", plugin=False).returncode == 1
