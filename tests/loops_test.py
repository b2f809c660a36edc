"""Models with loops and conditionals: with a plan they train as without it, and need no more memory than predicted."""

import concurrent.futures
import dataclasses
import pathlib
import re
import sys

import pytest
from applied_plans import applied_plans
from conftest import ROOT, Run, finish, start

sys.path.insert(0, str(ROOT / "tests" / "loops"))
import loop_zoo

SCRIPT = ROOT / "tests" / "loops" / "loop_zoo.py"
# The smallest budget, and a little more.
BUDGET = 1.01
# Plans need not be good here, but there are many to make.
PLANNING = ["--gap=10%", "--time-limit=5s"]
# One model after the other. What is cheaper, a copy or a recomputation, depends on how busy the machine was while the
# graph was captured: plans of one strategy may all do the same.
STRATEGIES = ["str", "str", "recompute-only"]
# With 1 %, the promise that no step needs more than predicted.
PEAK_TOLERANCE_BYTES = 2**20
# How far below the predicted peak one may stay. What loops hold counts as there during the whole step; where they let go
# of it before the peak, that is lower. Seen: 0.77 and more.
LOWEST_PEAK = 0.7
# At least one loop of a model holds more.
LOOP_BYTES = 2**19


@dataclasses.dataclass(frozen=True)
class Planned:
    """One model's plan: a Run of the command, which may have failed, and the graph that it is for."""

    run: Run
    fingerprint: str = ""
    # Outside of the step, as captured.
    external_bytes: int = 0


@dataclasses.dataclass(frozen=True)
class Trained:
    """All models, by name: what they computed without the plugin's help, while captured, and under their plans."""

    plain: dict
    captured: dict
    under_plan: dict
    plans: dict
    applied: list
    # What was printed while captured, and under the plans.
    capture_errors: str
    errors: str


class Workshop:
    """Runs the zoo and ./str commands in one folder."""

    def __init__(self, folder):
        self._folder = folder
        self._strategies = folder / "strategies"
        self._strategies.mkdir()

    def _run_zoo(self, purpose, settings, capture=False):
        """All models, in two processes at the same time; returns the results by model, and what was printed."""
        names = list(loop_zoo.CASES)
        started = []
        for i in range(2):
            result_file = self._folder / f"{purpose}{i}.json"
            command = [ROOT / "str", "python", SCRIPT, f"--models={','.join(names[i::2])}", f"--json={result_file}"]
            if capture:
                folder = self._folder / f"captures{i}"
                command.append(f"--watch={folder}")
                settings = {"STR_CAPTURE": folder}
            started.append((start(command, self._folder, settings), result_file))
        results, errors = {}, ""
        for process, result_file in started:
            run = finish(process, result_file)
            assert run.returncode == 0, run.errors
            results |= run.results
            errors += run.errors
        return results, errors

    def _command(self, *arguments, result_file):
        return finish(start([ROOT / "str", *arguments, f"--json={result_file}"], self._folder, {}), result_file)

    def _plan(self, name, files):
        if len(files) != 1:
            return Planned(Run(1, "", f"{len(files)} graphs were captured instead of one"))
        graph = pathlib.Path(files[0])
        strategy = f"--strategy={STRATEGIES[list(loop_zoo.CASES).index(name) % len(STRATEGIES)]}"
        least = self._command("plan", graph, "--budget=1B", strategy, result_file=self._folder / f"{name}-least.json")
        if least.results is None:
            return Planned(least)
        budget = f"--budget={int(BUDGET * least.results['min_budget_bytes'])}"
        output = f"--output={self._strategies}/{name}.conf"
        options = [strategy, budget, output, *PLANNING]
        run = self._command("plan", graph, *options, result_file=self._folder / f"{name}-plan.json")
        text = graph.read_text()
        external_bytes = int(re.search(r"^external_bytes: (\d+)", text, re.M)[1])
        return Planned(run, re.search(r'^fingerprint: "(\w+)"', text, re.M)[1], external_bytes)

    def train(self):
        plain, _ = self._run_zoo("plain", {})
        captured, capture_errors = self._run_zoo("captured", {}, capture=True)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            files = [captured[name]["files"] for name in loop_zoo.CASES]
            plans = dict(zip(loop_zoo.CASES, pool.map(self._plan, loop_zoo.CASES, files)))
        settings = {"STR_STRATEGY_FILE": self._strategies, "STR_STRICT": 1}
        under_plan, errors = self._run_zoo("planned", settings)
        return Trained(plain, captured, under_plan, plans, applied_plans(errors), capture_errors, errors)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("loops")).train()


def assert_trained_the_same(trained, name):
    plain, captured, under_plan = trained.plain[name], trained.captured[name], trained.under_plan[name]
    plan = trained.plans[name]
    assert "error" not in plain, plain["error"]
    assert "error" not in captured, captured["error"]
    assert plan.run.returncode == 0, plan.run.errors
    assert "error" not in under_plan, under_plan["error"]
    assert len(set(plain["losses"])) == len(plain["losses"]), "every step should change something"
    assert captured["losses"] == plain["losses"] and captured["sha256"] == plain["sha256"]
    assert under_plan["losses"] == plain["losses"] and under_plan["sha256"] == plain["sha256"]
    applied = [line for line in trained.applied if line.fingerprint == plan.fingerprint]
    assert len(applied) == 1, trained.errors


# They have tests of their own below.
FAILED_ONCE = ["bidirectional_lstm_with_clipping", "fit_with_gru"]


@pytest.mark.parametrize("name", [name for name in loop_zoo.CASES if name not in FAILED_ONCE])
def test_a_model_with_loops_trains_the_same_under_a_plan(trained, name):
    assert_trained_the_same(trained, name)


def test_bidirectional_lstm_with_clipping_trains(trained):
    """A plan once put a use of the loop's result before what the loop needs: the step ended early, and in silence."""
    assert_trained_the_same(trained, "bidirectional_lstm_with_clipping")


def test_fit_with_gru_trains(trained):
    """The same order, under fit: Keras found no result where it looked for the next batch."""
    assert_trained_the_same(trained, "fit_with_gru")


@pytest.mark.parametrize("name", loop_zoo.CASES)
def test_a_step_with_loops_needs_about_what_was_predicted(trained, name):
    plan = trained.plans[name]
    assert plan.run.returncode == 0, plan.run.errors
    (applied,) = [line for line in trained.applied if line.fingerprint == plan.fingerprint]
    # Models that were trained before may leave more behind in the process than when the graph was captured.
    left_behind = max(0, applied.outside_bytes - plan.external_bytes)
    # What loops hold is outside of the step, and need not be there at the same time as when it was captured.
    less_outside = max(0, plan.external_bytes - applied.outside_bytes)
    predicted = plan.run.results["peak_bytes"]
    assert applied.peak_bytes - left_behind <= 1.01 * predicted + PEAK_TOLERANCE_BYTES
    assert applied.peak_bytes + less_outside >= LOWEST_PEAK * predicted


@pytest.mark.parametrize("name", ["lstm", "gru_sequences", "while", "scan"])
def test_what_loops_hold_is_said_when_the_graph_is_captured(trained, name):
    line = re.search(rf"STR-3005 .* Graph {trained.plans[name].fingerprint}$", trained.capture_errors, re.M)
    assert line, trained.capture_errors
    held = [int(count) for count in re.findall(r"'[^']+' [^']*?(\d+) bytes", line[0])]
    assert held and max(held) >= LOOP_BYTES, line[0]


def test_most_plans_swap_or_recompute(trained):
    verdicts = [plan.run.results for plan in trained.plans.values() if plan.run.returncode == 0]
    decided = [verdict["swapped_tensors"] + verdict["recomputed_nodes"] > 0 for verdict in verdicts]
    assert sum(decided) >= 0.8 * len(loop_zoo.CASES), "too little would be tested"
    assert any(verdict["swapped_tensors"] for verdict in verdicts)
    assert any(verdict["recomputed_nodes"] for verdict in verdicts)
