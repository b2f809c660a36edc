"""The benchmark of users' scripts: what it reads, what it counts as wrong, and that scripts train under budgets."""

import ast
import sys

import pytest
from conftest import ROOT, run_benchmark

sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "runtime_examples"))
import scripts

MIB = 2**20
APPLIED = (
    "STR-3009 training_step: a step takes 0.00 % more time than with everything kept\n"
    "STR-3001 applied: 0 recomputed, 2 swapped (32.00 MiB (33554432 bytes) a step), 0 refused. "
    "Predicted peak 100.00 MiB (104857600 bytes), measured {measured} bytes, of which outside of the step 3.10 MiB "
    "(3249408 bytes) (planned ...)\n"
)


def read(output=f"digest ab\npeak {105 * MIB}\n", errors=APPLIED.format(measured=100 * MIB), **changes):
    run = {"exit_code": 0, "seconds": 30.0, "resident_bytes": 500 * MIB}
    return scripts.read_run(run | changes, output, errors)


def judged(budget="tensors", budget_bytes=110 * MIB, plain=("ab", "ab"), **changes):
    plains = [{"digest": digest, "seconds": 20.0, "resident_bytes": 600 * MIB} for digest in plain]
    row = {"script": "gan", "budget": budget, "budget_bytes": budget_bytes}
    return scripts.judge(row, read(**changes), plains)


def test_what_scripts_and_str_print_is_read():
    run = read()
    assert run["digest"] == "ab" and run["device_peak_bytes"] == 105 * MIB
    assert run["predicted_peak_bytes"] == run["measured_peak_bytes"] == 100 * MIB
    assert run["codes"] == ["STR-3001", "STR-3009"]
    refusal = "STR-2007 step cannot be planned for STR_BUDGET 9 bytes: the process takes 1.0 KiB (1024 bytes) besides "
    assert read(errors=refusal + "tensors. Set a larger STR_BUDGET")["besides_tensors_bytes"] == 1024
    refusal = "STR-2007 step does not fit STR_BUDGET 9 bytes. 512 bytes of it is for the rest of the process"
    assert read(errors=refusal)["besides_tensors_bytes"] == 512
    assert read(output="peak unknown\n", errors="")["digest"] is None


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({}, []),
        ({"errors": ""}, ["silent"]),
        ({"output": "digest cd\n"}, ["trained something else"]),
        # Plain TensorFlow differs from itself.
        ({"output": "digest cd\n", "plain": ("ab", "ef")}, []),
        ({"exit_code": 1, "output": ""}, ["exit code 1"]),
        ({"exit_code": 1, "output": "", "errors": "STR-2007 step does not fit"}, []),
        ({"errors": APPLIED.format(measured=103 * MIB)}, ["not the predicted peak"]),
        # The first step kept it, a later one did not.
        ({"budget_bytes": 102 * MIB}, ["above the budget"]),
        ({"budget": "resident", "budget_bytes": 510 * MIB}, []),
        ({"budget": "resident", "budget_bytes": 490 * MIB}, ["above the budget"]),
    ],
)
def test_what_is_wrong_is_told(changes, wrong):
    row = judged(**changes)
    assert row["failures"] == wrong
    assert not wrong or ", ".join(wrong) in scripts.table([row])


def test_the_table_shows_sizes_and_refusals():
    refused = judged(exit_code=1, output="", errors="STR-2007 step does not fit")
    text = scripts.table([judged(plain=("ab", "ef")), refused])
    assert "100.0 MiB" in text and "105.0 MiB" in text and "600.0 MiB" in text and "1.50x" in text
    assert "yes, nor is plain" in text and "refused" in text


def test_scripts_are_as_users_write_them():
    names = scripts.script_names()
    assert len(names) >= 20
    for name in names:
        text = (ROOT / "bench" / "scripts" / f"{name}.py").read_text()
        assert ast.get_docstring(ast.parse(text)), name
        assert "STR" not in text and "sys.argv" not in text, name


@pytest.mark.parametrize("name", ["gradient_clipping", pytest.param("custom_retraced_batch", marks=pytest.mark.long)])
def test_a_script_trains_the_same_under_a_budget(tmp_path, name):
    process, written = run_benchmark("scripts", tmp_path, f"--scripts={name}", "--budgets=tensors")
    assert process.returncode == 0, process.stdout + process.stderr
    rows = written["rows"]
    assert [(row["script"], row["budget"]) for row in rows] == [(name, "plenty"), (name, "tensors")]
    for row in rows:
        assert row["equal"] and not row["failures"]
    assert all(row["fits"] for row in rows if row["budget"] == "tensors")
