"""One model at one limit, trained with the plans of several strategies and with TensorFlow's own means."""

import json
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "runtime_examples"))
import compare_strategies
import interleaved

MIB = 2**20


def compared(tmp_path, *arguments):
    """Returns the rows by name, and all results."""
    file = tmp_path / "strategies.json"
    assert compare_strategies.main([*arguments, f"--json={file}"]) == 0
    results = json.loads(file.read_text())
    return {row["name"]: row for row in results["rows"]}, results


def test_a_row_without_a_plan_says_why():
    infeasible = {"name": "swap-only", "status": "infeasible", "min_budget_bytes": 300 * MIB}
    text = compare_strategies.table([infeasible, {"name": "str-paper", "status": "limit"}])
    assert "infeasible; needs 300.0 MiB" in text and "limit" in text


def test_the_reason_is_the_message_that_has_a_number():
    message = "str: 0.8 s: trying\nSTR-1001: no plan fits\n  try: more"
    assert compare_strategies.reason(message) == "STR-1001: no plan fits"
    assert compare_strategies.reason("plan ended\nno such strategy") == "no such strategy"


def test_rounds_go_back_and_forth_and_compare_within_themselves():
    order = []

    def training(name, seconds):
        def run():
            order.append(name)
            # The machine is twice as slow in the second round.
            slow = 2 if order.count(name) == 2 else 1
            return {"step_seconds": [9, seconds * slow], "peak_bytes": slow, "losses": [], "variables_sha256": name}

        return run

    results = interleaved.run_interleaved({"plain": training("plain", 2), "plan": training("plan", 3)}, rounds=2)
    assert order == ["plain", "plan", "plan", "plain"]
    assert interleaved.step_ratio(results["plan"], results["plain"]) == 1.5
    assert interleaved.peak_bytes(results["plan"]) == 2
    assert not interleaved.equal(results["plan"], results["plain"])
    assert interleaved.equal(results["plain"], results["plain"])


def test_plans_of_several_strategies_train_alike(tmp_path, capsys):
    rows, results = compared(
        tmp_path,
        *["--model=linear_chain", "--batch=8", "--image=64", "--steps=3"],
        *["--strategies=str,dtr,keep-all", "--no-tensorflow"],
    )
    for name in ("str", "dtr"):
        assert rows[name]["trained"] == "ok" and rows[name]["equal"] and rows[name]["fits"]
        assert rows[name]["measured_peak_bytes"] == pytest.approx(rows[name]["predicted_peak_bytes"], rel=0.01, abs=MIB)
    assert rows["keep-all"]["status"] == "infeasible"
    assert rows["keep-all"]["min_budget_bytes"] > results["budget_bytes"]
    assert results["plain_memory_optimizer"] == "NO_MEM_OPT"
    assert "infeasible; needs" in capsys.readouterr().out


@pytest.mark.long
def test_every_strategy_that_has_a_plan_trains_alike(tmp_path):
    """Of a chain so short that integer models of its graph have solutions in seconds."""
    rows, results = compared(
        tmp_path,
        *["--model=linear_chain", "--layers=8", "--batch=8", "--image=64", "--steps=3", "--budget-bytes=16000000"],
        *["--strategies=all", "--no-tensorflow", "--time-limit=25s"],
    )
    planned = {name for name, row in rows.items() if "file" in row}
    expected = {"str", "str-exact", "swap-only", "recompute-only", "checkmate-ilp", "checkmate-lp", "dtr", "capuchin"}
    expected |= {"kusumoto-exact", "kusumoto-approx", "chen-greedy", "str-paper", "str-approx"}
    assert expected <= planned, {name: row["status"] for name, row in rows.items()}
    for name in planned:
        assert rows[name]["trained"] == "ok" and rows[name]["equal"] and rows[name]["fits"], rows[name]
        assert rows[name]["measured_peak_bytes"] == pytest.approx(rows[name]["predicted_peak_bytes"], rel=0.01, abs=MIB)
    assert rows["keep-all"]["min_budget_bytes"] > results["budget_bytes"]


@pytest.mark.long
def test_strategies_and_tensorflows_own_compare(tmp_path):
    rows, results = compared(tmp_path, "--model=vgg16", "--steps=3", "--strategies=all")
    planned = [row for row in rows.values() if "file" in row]
    assert len(planned) >= 5
    assert all(row["equal"] and row["fits"] for row in planned)
    own = [row for name, row in rows.items() if name.startswith(("grappler", "tf."))]
    # VGG16 has nothing that changes as it runs: recomputing it twice gives the same bits.
    assert len(own) == 7 and all(row["trained"] == "ok" and row["equal"] for row in own)
    assert rows["tf.recompute_grad"]["step_ratio"] > 1
    assert rows["tf.recompute_grad"]["measured_peak_bytes"] != results["plain_peak_bytes"]
