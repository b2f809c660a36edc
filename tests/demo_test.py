"""What ./str demo says of a run: its table, its report, and the promises that it checks."""

import json
import math
import sys

import pytest
from conftest import ROOT, finish, start

sys.path.insert(0, str(ROOT / "runtime_examples"))
import demo
import picture
import report
import stages

MIB = 2**20

ROW = {
    "model": "unet",
    "batch": 4,
    "plain_peak_bytes": 400 * MIB,
    "limit_bytes": 240 * MIB,
    "plain_at_limit": "oom",
    "with_plan": "ok",
    "predicted_peak_bytes": 230 * MIB,
    "measured_peak_bytes": 231 * MIB,
    "losses_equal": True,
    "weights_equal": True,
    "step_ratio": 1.2,
    "predicted_step_ratio": 1.1,
    "swapped_tensors": 2,
    "recomputed_nodes": 1,
}

APPLIED = {"log": "some line\nSTR-3001 applied: 1 recomputed, 2 swapped\n"}


def broken(results=APPLIED, **changes):
    row = {**ROW, **changes}
    return demo.broken_promises(row, results, row["limit_bytes"])


def test_a_run_as_promised_breaks_nothing():
    assert broken() == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"plain_at_limit": "ok"}, "did not run out of memory"),
        ({"with_plan": "oom"}, "with the plan ran out of memory"),
        ({"losses_equal": False}, "losses differ"),
        ({"weights_equal": False}, "variables after training differ"),
        ({"measured_peak_bytes": 234 * MIB}, "predicted"),
        ({"predicted_peak_bytes": 241 * MIB, "measured_peak_bytes": 241 * MIB}, "limit"),
        ({"measured_peak_bytes": None}, "no peak"),
        ({"results": {"log": ""}}, "did not say"),
    ],
)
def test_a_broken_promise_is_named(changes, words):
    promises = broken(**changes)
    assert len(promises) == 1 and words in promises[0]


def test_actions_are_counted_from_the_strategy_file(tmp_path):
    file = tmp_path / "strategy.conf"
    file.write_text(
        'step { run: "a" }\nstep { swap_out: "a:0" }\nstep { swap_out_wait: "a:0" }\nstep { swap_in: "a:0" }\n'
        'step { swap_out: "a:0" }\nstep {\n  rerun: "b"\n}\n'
    )
    assert stages.actions(file) == (1, 1)


def test_table_and_report_show_the_row(tmp_path):
    assert "240.0 MiB" in demo.table([ROW])
    trace = {"traceEvents": [{"ph": "C", "name": "device", "ts": 1000 * i, "args": {"bytes": i * MIB}} for i in (1, 2)]}
    page = tmp_path / "report.html"
    report.write_report(page, [ROW], {"unet": trace})
    text = page.read_text()
    assert "unet: memory over one planned step" in text
    assert "<script src=" not in text, "the report must not need the network"
    assert report.memory_series(trace) == [("device", [0.001, 0.002], [1, 2])]


def test_the_limit_is_below_what_any_plain_run_needed():
    assert stages.least_plain_peak({"peak_bytes": 7}, {"peak_bytes": 5}) == 5


def test_the_picture_shows_every_model():
    drawn = picture.draw([ROW, {**ROW, "model": "vgg16"}])
    assert "U-Net" in drawn and "VGG16" in drawn and "400 MiB" in drawn


def run_demo(tmp_path, home, *arguments):
    run = finish(start([ROOT / "str", "demo", *arguments], home, {}, cwd=tmp_path))
    assert run.returncode == 0, run.errors
    assert (tmp_path / "str-report.html").exists()
    return json.loads((tmp_path / "str-demo.json").read_text())


def test_the_demo_keeps_what_it_promises_on_a_small_model(tmp_path, home):
    (row,) = run_demo(tmp_path, home, "--models=unet", "--batch=4", "--image=96", "--steps=3")
    assert set(ROW) <= set(row)
    assert row["limit_bytes"] == math.floor(0.6 * row["plain_peak_bytes"])
    assert row["plain_at_limit"] == "oom" and row["with_plan"] == "ok"
    assert row["losses_equal"] is True and row["weights_equal"] is True


@pytest.mark.long
@pytest.mark.parametrize("loop", ["custom", "fit"])
def test_the_demo_keeps_what_it_promises_on_all_models(tmp_path, home, loop):
    rows = run_demo(tmp_path, home, f"--loop={loop}")
    assert [row["model"] for row in rows] == ["vgg16", "unet", "mobilenet"]
