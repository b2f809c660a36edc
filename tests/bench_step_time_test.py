"""The benchmark of step times: what it says of a run, and that runs end as predicted."""

import json
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "runtime_examples"))
import interleaved
import step_time

MIB = 2**20


def judged(seconds, peak_bytes, **changes):
    """A row whose plan was predicted 1.5 times as slow as with everything kept, with a peak of 100 MiB."""
    row = {"model": "unet", "share": 0.6, "predicted_peak_bytes": 100 * MIB, "predicted_step_ratio": 1.5}
    plain = {"status": "ok", "step_seconds": [9.0, 2.0, 2.0], "losses": [1], "variables_sha256": "a"}
    trained = {**plain, "step_seconds": [9.0, seconds, seconds], "peak_bytes": peak_bytes, **changes}
    kept = {**plain, "peak_bytes": 300 * MIB}
    step_time.judge(row, trained, kept, {**kept, "step_seconds": [9.0, 1.6, 1.6]})
    return row


def test_close_and_far_are_told_apart():
    close = judged(3.2, 101 * MIB)
    assert close["measured_over_predicted"] == pytest.approx(3.2 / 2 / 1.5)
    assert close["step_ratio_to_plain"] == pytest.approx(2)
    assert close["time_close"] and close["peak_close"] and close["equal"]
    assert not judged(3.4, 101 * MIB)["time_close"]
    assert not judged(3.2, 103 * MIB)["peak_close"]
    assert not judged(3.2, 101 * MIB, variables_sha256="b")["equal"]


def test_a_slow_moment_weighs_on_neither_training():
    kept = {"step_seconds": [9.0, 2.0, 2.0, 2.0, 6.0, 6.0]}
    trained = {"step_seconds": [9.0, 2.2, 2.2, 6.6, 6.6, 6.6]}
    assert interleaved.turn_ratio(trained, kept) == pytest.approx(1.1)
    assert interleaved.turn_ratio({"step_seconds": [9.0]}, kept) is None


def test_the_table_shows_measurements_and_missing_plans():
    text = step_time.table([judged(3.2, 101 * MIB), {"model": "unet", "share": 0.1, "status": "infeasible"}])
    assert "1.60x" in text and "1.50x" in text and "infeasible" in text


@pytest.mark.long
def test_a_small_model_trains_as_predicted(tmp_path):
    file = tmp_path / "step_time.json"
    sizes = ["--batch=2", "--image=64", "--steps=4"]
    assert step_time.main(["--models=unet", "--shares=0.7", *sizes, f"--json={file}"]) == 0
    (row,) = json.loads(file.read_text())["rows"]
    assert row["trained"] == "ok" and row["peak_close"] and row["equal"]
