"""The product's promises on the example models: it fits, the peak is the predicted one, and the bits are the same."""

import pytest
from training import Workshop


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path)


def assert_kept_its_promises(run, verdict, plain):
    assert run.returncode == 0, run.errors
    results = run.results
    assert results["status"] == "ok"
    assert "STR-3001 applied:" in run.errors and ", 0 refused" in run.errors
    assert results["losses"] == plain["losses"]
    assert results["variables_sha256"] == plain["variables_sha256"]
    tolerance = 0.01 * verdict["peak_bytes"] + 2**20
    for peak in results["step_peak_bytes"]:
        assert abs(peak - verdict["peak_bytes"]) <= tolerance
    # The first step still makes the constants of kernels.
    assert len(set(results["step_peak_bytes"][1:])) == 1, "the peak is the same every step"


@pytest.mark.parametrize(
    ("model", "loop"),
    [
        ("vgg16", "custom"),
        ("unet", "custom"),
        ("mobilenet", "fit"),
        pytest.param("vgg16", "fit", marks=pytest.mark.long),
        pytest.param("unet", "fit", marks=pytest.mark.long),
        pytest.param("mobilenet", "custom", marks=pytest.mark.long),
    ],
)
def test_a_model_trains_within_the_limit_it_was_planned_for(workshop, capture, model, loop):
    captured = capture(model, loop)
    # Swapping and recomputing alike, and as little memory as can be.
    loose, loose_verdict = workshop.plan(captured.graph, "85%", "loose.conf")
    least = loose_verdict["min_budget_bytes"]
    tight, tight_verdict = workshop.plan(captured.graph, int(1.03 * least), "tight.conf")
    assert tight_verdict["peak_bytes"] <= tight_verdict["budget_bytes"]

    at_loose, at_tight = workshop.train(
        (model, loop, {"STR_STRATEGY_FILE": loose, "STR_MEMORY_LIMIT": loose_verdict["budget_bytes"]}),
        (model, loop, {"STR_STRATEGY_FILE": tight, "STR_MEMORY_LIMIT": tight_verdict["budget_bytes"]}),
    )
    assert_kept_its_promises(at_loose, loose_verdict, captured.plain)
    assert_kept_its_promises(at_tight, tight_verdict, captured.plain)

    (without,) = workshop.train((model, loop, {"STR_MEMORY_LIMIT": tight_verdict["budget_bytes"]}))
    assert without.returncode == 7, "plain TensorFlow does not fit: " + without.errors
    assert without.results["status"] == "oom"
    assert "out of device memory" in without.results["error"]


def test_swapping_only_and_recomputing_only_compute_the_same(workshop, capture):
    captured = capture("unet", "custom")
    by_order_alone = workshop.smallest_budget(captured.graph, "keep-all")
    runs, verdicts = [], []
    for strategy in ("swap-only", "recompute-only"):
        # A share of the peak will not do: where TensorFlow's own order is wasteful, a better order alone saves as much.
        least = workshop.smallest_budget(captured.graph, strategy)
        assert least < by_order_alone
        budget = (least + by_order_alone) // 2
        file, verdict = workshop.plan(captured.graph, budget, f"{strategy}.conf", strategy=strategy)
        settings = {"STR_STRATEGY_FILE": file, "STR_MEMORY_LIMIT": verdict["budget_bytes"]}
        runs.append(("unet", "custom", settings))
        verdicts.append(verdict)
    assert verdicts[0]["swapped_bytes"] > 0 and verdicts[0]["recomputed_nodes"] == 0
    assert verdicts[1]["swapped_bytes"] == 0 and verdicts[1]["recomputed_nodes"] > 0
    for run, verdict in zip(workshop.train(*runs), verdicts):
        assert_kept_its_promises(run, verdict, captured.plain)
