"""Training under a limit of the system's own: plain training is killed, the same script with STR_BUDGET trains.

Each example is trained plainly without a limit, then in a memory control group that is smaller than what it took: plainly,
and with STR_BUDGET set to a share of the group. The kernel kills whoever takes more, so nothing here rests on STR's own
counting. Needs root, or a control group that may be written to.

    ./str bench real_limit
    ./str bench real_limit --models=unet --share=0.75
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "runtime_examples"))
import stages
from json_file import write_json
from usage import Parser

# Options of train.py for which the tensors are most of the process.
_SIZES = {
    "unet": ("--batch=16", "--image=128"),
    "mobilenet": ("--batch=64", "--image=128"),
    "vgg16": ("--batch=64", "--image=96"),
}
# Of the control group, so that files in the kernel's cache have some room.
_BUDGET = "95%"
_KILLED = -9


class NoControlGroup(Exception):
    """No memory control group can be made here."""


class ControlGroup:
    """A memory control group of version 1 or 2, removed at the end."""

    def __init__(self, limit_bytes):
        self._folder = self._make()
        version1 = (self._folder / "memory.limit_in_bytes").exists()
        limit = self._folder / ("memory.limit_in_bytes" if version1 else "memory.max")
        try:
            limit.write_text(str(limit_bytes))
        except OSError as error:
            self._folder.rmdir()
            raise NoControlGroup(f"{limit}: {error}") from error
        # Memory that is swapped to a disk would not count.
        for name, value in (("memory.memsw.limit_in_bytes", str(limit_bytes)), ("memory.swap.max", "0")):
            if (self._folder / name).exists():
                (self._folder / name).write_text(value)

    @staticmethod
    def _make():
        own = dict(line.split(":")[1:] for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines())
        folders = [pathlib.Path("/sys/fs/cgroup/memory" + own["memory"])] if "memory" in own else []
        folders += [pathlib.Path("/sys/fs/cgroup" + own[""])] if "" in own else []
        reasons = []
        for folder in folders:
            made = folder / f"str-bench-{os.getpid()}-{time.time_ns()}"
            try:
                made.mkdir()
            except OSError as error:
                reasons.append(str(error))
                continue
            if (made / "memory.limit_in_bytes").exists() or (made / "memory.max").exists():
                return made
            made.rmdir()
            reasons.append(f"{folder} has no memory controller for groups in it")
        raise NoControlGroup("; ".join(reasons) or "the system has none")

    def enter(self):
        """Called in the child, before it becomes the training process."""
        (self._folder / "cgroup.procs").write_text(str(os.getpid()))

    def close(self):
        self._folder.rmdir()


def train(options, settings, limit_bytes=None):
    """Trains in a process of its own; a row of what it came to."""
    with tempfile.TemporaryDirectory() as folder:
        result_file = pathlib.Path(folder) / "result.json"
        group = ControlGroup(limit_bytes) if limit_bytes else None
        environment = {name: value for name, value in os.environ.items() if not name.startswith("STR_")}
        environment |= {"STR_LAUNCHER_READY": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "STR_CACHE_DIR": folder, **settings}
        process = subprocess.Popen(
            [ROOT / "str", "python", ROOT / "runtime_examples" / "train.py", *options, f"--json={result_file}"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=group.enter if group else None,
        )
        try:
            errors = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            if group:
                group.close()
        row = {"exit": process.returncode, "resident_bytes": usage.ru_maxrss * 1024, "digest": None, "lines": []}
        row["lines"] = [line for line in errors.splitlines() if line.startswith("STR-")]
        if process.returncode == 0:
            results = json.loads(result_file.read_text())
            row["digest"] = results["variables_sha256"]
            row["step_seconds"] = sorted(results["step_seconds"][1:])[len(results["step_seconds"][1:]) // 2]
        elif process.returncode != _KILLED:
            row["error"] = "\n".join(errors.strip().splitlines()[-5:])
        return row


def measure(model, share, steps):
    options = [f"--model={model}", "--loop=fit", f"--steps={steps}", *_SIZES[model]]
    stages.progress(f"{model}: training without a limit")
    plain = train(options, {"STR_DISABLE": "1"})
    if plain["digest"] is None:
        raise stages.StageFailed(f"{model}: plain training ended with {plain['exit']}: {plain.get('error')}")
    limit_bytes = int(share * plain["resident_bytes"])
    stages.progress(f"{model}: plainly in a control group of {stages.as_size(limit_bytes)}")
    at_limit = train(options, {"STR_DISABLE": "1"}, limit_bytes)
    stages.progress(f"{model}: with STR_BUDGET={_BUDGET} in the same")
    planned = train(options, {"STR_BUDGET": _BUDGET}, limit_bytes)
    return {
        "model": model,
        "limit_bytes": limit_bytes,
        "plain": plain,
        "plain_at_limit": at_limit,
        "planned": planned,
        "equal": planned["digest"] is not None and planned["digest"] == plain["digest"],
    }


def outcome(run):
    if run["exit"] == _KILLED:
        return "killed"
    return "trained" if run["exit"] == 0 else f"exit {run['exit']}"


def table(rows):
    header = ["model", "plain takes", "limit", "plain", "planned", "takes", "equal", "step time"]
    lines = []
    for row in rows:
        trained = row["planned"]["exit"] == 0
        lines.append(
            [
                row["model"],
                stages.as_size(row["plain"]["resident_bytes"]),
                stages.as_size(row["limit_bytes"]),
                outcome(row["plain_at_limit"]),
                outcome(row["planned"]),
                stages.as_size(row["planned"]["resident_bytes"]) if trained else "-",
                "yes" if row["equal"] else "NO",
                stages.as_ratio(row["planned"]["step_seconds"] / row["plain"]["step_seconds"]) if trained else "-",
            ]
        )
    return stages.format_table(header, lines)


def main(arguments):
    parser = Parser(__doc__, prog="str bench real_limit")
    parser.add_argument("--models", default=",".join(_SIZES), help="comma-separated; default: %(default)s")
    parser.add_argument("--share", type=float, default=0.8, help="of the plain run's memory; default: %(default)s")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--json", default=str(ROOT / ".build" / "bench" / "real_limit.json"))
    options = parser.parse_args(arguments)
    models = options.models.split(",")
    for model in models:
        if model not in _SIZES:
            parser.error(f"no model '{model}'; there are {', '.join(_SIZES)}")
    try:
        rows = [measure(model, options.share, options.steps) for model in models]
    except NoControlGroup as reason:
        print(f"skipped: no memory control group can be made here: {reason}")
        return 0
    pathlib.Path(options.json).parent.mkdir(parents=True, exist_ok=True)
    print(table(rows))
    write_json(options.json, {"benchmark": "real_limit", "share": options.share, "rows": rows})
    print(f"written: {options.json}")
    return 0 if all(row["equal"] and row["plain_at_limit"]["exit"] == _KILLED for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
