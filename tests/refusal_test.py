"""A strategy that does not fit or cannot be read is refused by name, and training is unharmed."""

import random

import pytest
from training import Workshop

OTHER_BATCH = ["--batch=3", "--image=64"]
OTHER_MODEL = ["--batch=2", "--image=32"]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("refusals"))


@pytest.fixture(scope="module")
def captured(capture):
    return capture("unet", "custom")


@pytest.fixture(scope="module")
def strategy(workshop, captured):
    return workshop.plan(captured.graph, "80%")[0]


def cut_in_the_middle(text):
    return text[: len(text) // 2]


def cut_between_steps(text):
    return text[: text.rindex("\nstep {", 0, len(text) // 2) + 1]


def cut_between_steps_without_count(text):
    """As files were before they had a count."""
    return cut_between_steps("\n".join(line for line in text.split("\n") if not line.startswith("step_count:")))


def random_bytes(_):
    return random.Random(1).randbytes(5000)


def original_ini(_):
    return "[solution]\nstrategy=hybrid\n[hybrid]\nr=R\np=P\nq=Q\n"


@pytest.mark.parametrize(
    ("damage", "cause"),
    [
        (cut_in_the_middle, "STR-2002"),
        (cut_between_steps, "STR-2002"),
        (cut_between_steps_without_count, "STR-2003"),
        (random_bytes, "STR-2002"),
        (original_ini, "STR-2002"),
    ],
)
def test_a_damaged_file_is_refused_and_training_goes_on(workshop, captured, strategy, damage, cause):
    damaged = workshop.folder / f"{damage.__name__}.conf"
    content = damage(strategy.read_text())
    damaged.write_bytes(content if isinstance(content, bytes) else content.encode())
    lenient, strict = workshop.train(
        ("unet", "custom", {"STR_STRATEGY_FILE": damaged}),
        ("unet", "custom", {"STR_STRATEGY_FILE": damaged, "STR_STRICT": 1}),
    )
    assert lenient.returncode == 0, lenient.errors
    assert cause in lenient.errors and damaged.name in lenient.errors
    assert lenient.errors.count("STR-200") == 1, "said once"
    assert lenient.results["variables_sha256"] == captured.plain["variables_sha256"]
    assert strict.returncode != 0 and cause in strict.errors
    checked = workshop.command("simulate", captured.graph, damaged)
    assert checked.returncode == 1
    assert damaged.name in checked.errors


def test_another_batch_size_is_refused_with_the_first_shape_that_differs(workshop, strategy):
    other, plain = workshop.train(
        ("unet", "custom", {"STR_STRATEGY_FILE": strategy, "arguments": OTHER_BATCH}),
        ("unet", "custom", {"arguments": OTHER_BATCH}),
    )
    assert other.returncode == 0, other.errors
    assert "STR-2003" in other.errors
    assert "float[2,64,64" in other.errors and "float[3,64,64" in other.errors
    assert other.results["variables_sha256"] == plain.results["variables_sha256"]


def test_another_model_is_refused_by_a_node_it_does_not_have(workshop, strategy):
    (run,) = workshop.train(("vgg16", "custom", {"STR_STRATEGY_FILE": strategy, "arguments": OTHER_MODEL}))
    assert run.returncode == 0, run.errors
    assert "STR-2003" in run.errors and "is not in this graph" in run.errors


def test_a_missing_file_that_was_asked_for_is_said(workshop, captured):
    (run,) = workshop.train(("unet", "custom", {"STR_STRATEGY_FILE": workshop.folder / "nowhere.conf"}))
    assert run.returncode == 0, run.errors
    assert "STR-2002" in run.errors and "nowhere.conf" in run.errors
    assert run.results["variables_sha256"] == captured.plain["variables_sha256"]


def test_the_home_directory_is_where_strategies_are_found(workshop, captured, strategy):
    folder = workshop.home / ".str"
    folder.mkdir()
    (folder / "strategy.conf").write_text(strategy.read_text())
    applied, disabled = workshop.train(("unet", "custom", {}), ("unet", "custom", {"STR_DISABLE": 1}))
    (folder / "strategy.conf").unlink()
    folder.rmdir()
    assert "STR-3001 applied:" in applied.errors
    assert "STR-" not in disabled.errors
    assert applied.results["variables_sha256"] == disabled.results["variables_sha256"]
    assert applied.results["variables_sha256"] == captured.plain["variables_sha256"]


def test_bad_settings_stop_the_process_with_what_would_be_good(workshop):
    bad = {"STR_MEMORY_LIMIT": "lots", "STR_VERBOSE": "9", "STR_CAPTURE_ONLY": "1"}
    runs = workshop.train(*(("unet", "custom", {name: value}) for name, value in bad.items()))
    for name, run in zip(bad, runs):
        assert run.returncode != 0
        assert "STR-2001" in run.errors and name in run.errors


def test_budgets_that_cannot_be_met_or_read(workshop, captured):
    infeasible = workshop.command("plan", captured.graph, "--budget=1MiB", f"--output={workshop.folder}/none.conf")
    assert infeasible.returncode == 2
    assert "STR-1001" in infeasible.errors and "smallest feasible" in infeasible.errors
    assert not (workshop.folder / "none.conf").exists(), "a plan over budget is never written"
    for budget in ("0", "-5MiB", "lots", "99999999999999GiB"):
        assert workshop.command("plan", captured.graph, f"--budget={budget}").returncode == 1
