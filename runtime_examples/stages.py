"""The stages of using STR on an example model, each in a process of its own and through ./str, as a user would.

    capture -> train plainly (with and without a limit) -> plan -> train with the plan
"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAUNCHER = ROOT / "str"
_TRAIN = ROOT / "runtime_examples" / "train.py"

# Share of the model's own peak at which the examples are trained: plain TensorFlow runs out of memory there.
LIMIT_SHARE = {"vgg16": 0.75, "unet": 0.60, "mobilenet": 0.45}

EXIT_INFEASIBLE = 2
EXIT_LIMIT = 3
# What a plan's "status" is where there is none.
NO_PLAN = ("infeasible", "limit")


class StageFailed(Exception):
    """A process ended otherwise than it should; the message has its last words."""


def progress(text):
    print(f"str: {text}", file=sys.stderr, flush=True)


def _failure(name, process):
    words = "\n".join((process.stdout + process.stderr).strip().splitlines()[-15:])
    return StageFailed(f"{name} ended with exit code {process.returncode}:\n{words}")


def _environment(settings):
    """The caller's environment with these STR settings and no others."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STR_")}
    return {**kept, "STR_LAUNCHER_READY": "1", "TF_CPP_MIN_LOG_LEVEL": "2", **settings}


class Workshop:
    """Runs the stages for one model; keeps every file they write in one directory. `options` go to train.py."""

    def __init__(self, directory, model, options):
        self.directory = pathlib.Path(directory).resolve()
        self.directory.mkdir(parents=True, exist_ok=True)
        self.model = model
        self._arguments = [f"--model={model}", *options]
        self._no_strategy = self.directory / "no_strategy"
        self._no_strategy.mkdir(exist_ok=True)

    def train(self, name, settings, expect_oom=False, arguments=()):
        """Trains; returns the results of train.py plus "log", what was printed. Out of memory is a result too.

        `arguments` go to train.py besides the model's.
        """
        result_file = self.directory / f"{name}.json"
        result_file.unlink(missing_ok=True)
        arguments = [*self._arguments, *arguments, f"--json={result_file}", *(["--expect-oom"] if expect_oom else [])]
        # Without a strategy of its own a run must not find one in the user's home.
        settings = {"STR_STRATEGY_FILE": str(self._no_strategy), **settings}
        process = subprocess.run(
            [LAUNCHER, "python", _TRAIN, *arguments],
            env=_environment(settings),
            capture_output=True,
            text=True,
            check=False,
        )
        (self.directory / f"{name}.log").write_text(process.stdout + process.stderr)
        # 7 is the training's own word for running out of memory, 1 that it did not although it was expected to.
        if not result_file.exists() or process.returncode not in ((0, 1) if expect_oom else (0, 7)):
            raise _failure(f"{self.model}: {name}", process)
        results = json.loads(result_file.read_text())
        results["log"] = process.stderr
        return results

    def capture(self):
        """Returns the graph file of the training step (the one with the largest peak), and the training's results."""
        directory = self.directory / "capture"
        # The index lists what earlier processes left, too.
        shutil.rmtree(directory, ignore_errors=True)
        results = self.train("captured", {"STR_CAPTURE": str(directory)})
        if results["status"] != "ok":
            raise StageFailed(f"{self.model}: out of memory while capturing")
        index = json.loads((directory / "index.json").read_text())
        if not index:
            raise StageFailed(f"{self.model}: no graph was captured in {directory}")
        return directory / index[0]["file"], results

    def capture_only(self):
        """Returns the graph file of the training step, which is traced but not run."""
        directory = self.directory / "capture_only"
        shutil.rmtree(directory, ignore_errors=True)
        process = subprocess.run(
            [LAUNCHER, "python", _TRAIN, *self._arguments, "--steps=1"],
            env=_environment({"STR_CAPTURE": str(directory), "STR_CAPTURE_ONLY": "1"}),
            capture_output=True,
            text=True,
            check=False,
        )
        index = directory / "index.json"
        # The plugin ends the process instead of running the step.
        if "STR_CAPTURE_ONLY:" not in process.stderr or not index.exists():
            raise _failure(f"{self.model}: capture", process)
        return directory / json.loads(index.read_text())[0]["file"]

    def train_plainly(self, name="plain", arguments=()):
        """Without a limit, on the device that counts bytes: the limit is the machine's memory."""
        machine_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        results = self.train(name, {"STR_MEMORY_LIMIT": str(machine_bytes)}, arguments=arguments)
        if results["status"] != "ok":
            raise StageFailed(f"{self.model}: out of memory without a limit")
        return results

    def train_at_limit(self, limit_bytes):
        return self.train("plain_at_limit", {"STR_MEMORY_LIMIT": str(limit_bytes)}, expect_oom=True)

    def train_with_plan(self, name, strategy_file, limit_bytes, arguments=()):
        settings = {"STR_MEMORY_LIMIT": str(limit_bytes), "STR_STRATEGY_FILE": str(strategy_file), "STR_STRICT": "1"}
        return self.train(name, settings, arguments=arguments)

    def plan(self, graph, budget_bytes, strategy="str", options=()):
        """Returns the JSON of `str plan`, plus "file" (the strategy) and "message".

        "status" may also be "infeasible", or "limit": of time, reached without a plan.
        """
        strategy_file = self.directory / f"{strategy}.conf"
        result_file = self.directory / f"{strategy}.plan.json"
        result_file.unlink(missing_ok=True)
        process = self._str(
            f"plan with {strategy}",
            (0, EXIT_INFEASIBLE, EXIT_LIMIT),
            "plan",
            graph,
            f"--budget={budget_bytes}",
            f"--strategy={strategy}",
            f"--output={strategy_file}",
            f"--json={result_file}",
            *options,
        )
        results = json.loads(result_file.read_text()) if result_file.exists() else {}
        if process.returncode != 0:
            results["status"] = "infeasible" if process.returncode == EXIT_INFEASIBLE else "limit"
        results["file"] = strategy_file
        results["message"] = process.stderr.strip()
        return results

    def simulate(self, graph, strategy_file):
        """Returns the trace of the simulated step, in Chrome's format."""
        trace = self.directory / f"{strategy_file.stem}.trace.json"
        self._str("simulate", (0,), "simulate", graph, strategy_file, f"--trace={trace}")
        return json.loads(trace.read_text())

    def _str(self, name, accepted, *arguments):
        process = subprocess.run(
            [LAUNCHER, *arguments], env=_environment({}), capture_output=True, text=True, check=False
        )
        if process.returncode not in accepted:
            raise _failure(f"{self.model}: {name}", process)
        return process


def strategies():
    """What --strategy of `str plan` takes."""
    listed = subprocess.run([LAUNCHER, "strategies"], env=_environment({}), capture_output=True, text=True, check=True)
    return [line.split()[0] for line in listed.stdout.splitlines()]


def training_options(options):
    """What train.py is told, from options of that name that were given."""
    names = ("loop", "batch", "image", "steps", "seed")
    return [f"--{name}={value}" for name in names if (value := getattr(options, name)) is not None]


def actions(strategy_file):
    """Returns how many different tensors a strategy swaps, and how many nodes it runs again."""
    text = pathlib.Path(strategy_file).read_text()
    swapped = set(re.findall(r'\bswap_out: *"([^"]*)"', text))
    recomputed = re.findall(r'\brerun: *"([^"]*)"', text)
    return len(swapped), len(recomputed)


def least_plain_peak(*runs):
    """The least that training without a plan was seen to need.

    TensorFlow's order of execution, and with it the peak, differs from process to process: a limit below one run's
    peak may be above another's.
    """
    return min(run["peak_bytes"] for run in runs)


def step_ratio(results, plain):
    """Median step time against plain training's; first steps trace and measure, so they do not count."""
    if min(len(results["step_seconds"]), len(plain["step_seconds"])) < 2:
        return None
    return statistics.median(results["step_seconds"][1:]) / statistics.median(plain["step_seconds"][1:])


def applied_line(results):
    """The plugin's own word on what it did, or None."""
    return next((line for line in results["log"].splitlines() if line.startswith("STR-3001 applied:")), None)


def as_size(count):
    return "-" if count is None else f"{count / 2**20:.1f} MiB"


def as_ratio(value):
    return "-" if value is None else f"{value:.2f}x"


def format_table(header, rows):
    """Plain text, columns as wide as needed."""
    cells = [header, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])
