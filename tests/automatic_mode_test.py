"""STR_BUDGET: a script is measured, planned and trained in one process, bit for bit as without."""

import os
import re
import signal

import pytest
from applied_plans import applied_plans
from conftest import ROOT, TRAIN, finish, start

SCRIPTS = ROOT / "bench" / "scripts"
MOBILENET = [TRAIN, "--model=mobilenet", "--batch=16", "--image=96", "--steps=3"]
# With everything kept it takes 145 MiB of tensors, and at least 60 MiB under any plan.
MOBILENET_BUDGET = "100MiB"
# The CPU stands for an accelerator with more memory than anything here takes.
ACCELERATOR = {"STR_MEMORY_LIMIT": "8GiB"}


class Scripts:
    """Runs Python scripts in processes of their own, under ./str python."""

    def __init__(self, home):
        self._home = home

    def start(self, command, settings):
        return start([ROOT / "str", "python", *command], self._home, settings)

    def run(self, command, **settings):
        return finish(self.start(command, settings))

    def check(self, folder):
        """Every file under its own name is one that `str check` takes; returns their names."""
        files = sorted(file for file in folder.iterdir() if ".tmp-" not in file.name)
        assert files
        checked = finish(start([ROOT / "str", "check", *files], self._home, {}))
        assert checked.returncode == 0, checked.output + checked.errors
        return [file.name for file in files]


@pytest.fixture
def scripts(home):
    return Scripts(home)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def digest(run):
    """Of the variables, as the scripts of bench/scripts print it."""
    return re.search(r"^digest (\w+)$", run.output, re.MULTILINE)[1]


def assert_as_predicted(run):
    plans = applied_plans(run.errors)
    assert plans, run.errors
    for plan in plans:
        assert abs(plan.peak_bytes - plan.predicted_bytes) <= plan.predicted_bytes / 100 + 2**20, run.errors


def results_of(process):
    """(variables, losses) of train.py."""
    assert process.returncode == 0, process.errors
    return process.results["variables_sha256"], process.results["losses"]


# Training.


def test_a_custom_loop_trains_the_same_and_as_predicted(run_scripts, cache):
    settings = {"STR_BUDGET": MOBILENET_BUDGET, "STR_CACHE_DIR": cache, **ACCELERATOR}
    plain, planned = run_scripts((MOBILENET, {"STR_DISABLE": 1}), (MOBILENET, settings))
    assert results_of(planned) == results_of(plain)
    assert "0 recomputed, 0 swapped" not in planned.errors
    assert_as_predicted(planned)
    again = run_scripts((MOBILENET, settings))[0]
    assert results_of(again) == results_of(plain)
    assert "Plan of an earlier run" in again.errors and "Planned in" not in again.errors
    assert_as_predicted(again)


def test_fit_with_an_unknown_batch_and_a_smaller_last_one_trains_the_same(scripts, cache):
    script = [SCRIPTS / "fit_checkpoint.py"]
    plain = scripts.run(script, STR_DISABLE=1)
    assert plain.returncode == 0, plain.errors
    planned = scripts.run(script, STR_BUDGET="50MiB", STR_CACHE_DIR=cache, **ACCELERATOR)
    assert planned.returncode == 0, planned.errors
    assert digest(planned) == digest(plain)
    assert "0 recomputed, 0 swapped" not in planned.errors
    assert_as_predicted(planned)


def test_a_larger_batch_gets_a_plan_of_its_own_and_a_smaller_one_does_not(scripts, cache):
    script = [SCRIPTS / "growing_batch.py"]
    plain = scripts.run(script, STR_DISABLE=1)
    assert plain.returncode == 0, plain.errors
    planned = scripts.run(script, STR_BUDGET="8GiB", STR_CACHE_DIR=cache, **ACCELERATOR)
    assert planned.returncode == 0, planned.errors
    assert digest(planned) == digest(plain)
    assert len(re.findall("STR-3009 .* Planned in", planned.errors)) == 2
    small, large = (plan.predicted_bytes for plan in applied_plans(planned.errors))
    assert 1.8 * small < large < 2.2 * small


def test_random_numbers_go_on_where_a_batch_is_larger(scripts, cache):
    """The generators of a second plan would start from their seeds: there is none, and a line says so."""
    script = [SCRIPTS / "noise_growing_batch.py"]
    plain = scripts.run(script, STR_DISABLE=1)
    planned = scripts.run(script, STR_BUDGET="8GiB", STR_CACHE_DIR=cache, **ACCELERATOR)
    assert digest(planned) == digest(plain)
    assert "STR-2008" in planned.errors and "random numbers" in planned.errors


def test_a_budget_for_the_process_swaps_nothing(run_scripts, cache):
    """The host is the device: a copy there would free nothing."""
    plain = run_scripts((MOBILENET, {"STR_DISABLE": 1}))[0]
    planned = run_scripts((MOBILENET, {"STR_BUDGET": "900MiB", "STR_CACHE_DIR": cache}))[0]
    assert results_of(planned) == results_of(plain)
    assert " 0 swapped (0 bytes a step)" in planned.errors
    assert_as_predicted(planned)
    resident = re.search(r"whole process had at most .*?\((\d+) bytes\) in RAM", planned.errors)
    assert int(resident[1]) <= 900 * 2**20


def test_a_step_with_loops_runs_once_to_be_measured(scripts, cache):
    script = [SCRIPTS / "lstm.py"]
    plain = scripts.run(script, STR_DISABLE=1)
    planned = scripts.run(script, STR_BUDGET="8GiB", STR_CACHE_DIR=cache, **ACCELERATOR)
    assert digest(planned) == digest(plain)
    assert "STR-3010" in planned.errors and "STR-3001" in planned.errors


def test_a_script_without_a_graph_gets_a_word(scripts, cache):
    run = scripts.run([SCRIPTS / "eager.py"], STR_BUDGET="8GiB", STR_CACHE_DIR=cache)
    assert "STR-3011 STR_BUDGET had no effect" in run.errors


# Budgets that cannot be met, and settings that cannot be meant.


def test_a_budget_that_cannot_be_met_stops_training_and_names_the_smallest(run_scripts, cache):
    settings = {"STR_CACHE_DIR": cache, **ACCELERATOR}
    run = run_scripts((MOBILENET, {"STR_BUDGET": "20MiB", **settings}))[0]
    # What train.py makes of running out of memory.
    assert run.returncode == 7, run.errors
    error = run.results["error"]
    assert "STR-2007" in error and not run.results["losses"]
    smallest = re.search(r"smallest feasible budget: .*\((\d+) bytes\)", error)
    assert smallest, error
    fitting = run_scripts((MOBILENET, {"STR_BUDGET": smallest[1], **settings}))[0]
    assert fitting.returncode == 0, fitting.errors
    assert_as_predicted(fitting)


@pytest.mark.parametrize("settings", [{"STR_BUDGET": "60"}, {"STR_BUDGET": "60%", "STR_STRATEGY_FILE": "plan.conf"}])
def test_what_cannot_be_meant_is_refused(scripts, settings):
    run = scripts.run(["-c", "import tensorflow"], **settings)
    assert run.returncode == 1
    assert "STR-2001 STR_BUDGET=60" in run.errors


# Processes beside each other.


def test_two_processes_share_a_cache(run_scripts, scripts, cache):
    settings = {"STR_BUDGET": MOBILENET_BUDGET, "STR_CACHE_DIR": cache, **ACCELERATOR}
    one, other = run_scripts((MOBILENET, settings), (MOBILENET, settings))
    assert results_of(one) == results_of(other)
    assert [name.rpartition(".")[2] for name in scripts.check(cache)] == ["conf", "graph"]
    assert not list(cache.glob("*.tmp-*"))


def test_a_process_that_is_killed_while_planning_leaves_no_half_file(run_scripts, scripts, cache):
    settings = {"STR_BUDGET": MOBILENET_BUDGET, "STR_CACHE_DIR": cache, **ACCELERATOR}
    process = scripts.start(MOBILENET, settings)
    for line in process.stderr:
        if "STR-3009 planning" in line:
            break
    os.kill(process.pid, signal.SIGKILL)
    finish(process)
    assert process.returncode == -signal.SIGKILL
    scripts.check(cache)
    after, plain = run_scripts((MOBILENET, settings), (MOBILENET, {"STR_DISABLE": 1}))
    assert results_of(after) == results_of(plain)
    assert "STR-3001 applied" in after.errors
    scripts.check(cache)
