"""Training scripts as users write them, under STR_BUDGET: do they keep the budget, and train the same?

Each script of bench/scripts is run plainly, twice, to see whether TensorFlow repeats itself; then with everything kept,
to learn the peak of its tensors; then under two budgets:

    tensors     the CPU stands for an accelerator (STR_MEMORY_LIMIT), and the budget is a share of that peak
    resident    the budget is for the process; it is what the plain process took, less what that share saves
    retried     where that was refused: what STR said the process takes besides tensors, and the share for these

A row that STR says nothing of is a failure, and so is one that trains something else than plain TensorFlow. A budget
that STR refuses, with the reason (STR-2007), is kept in no way but no failure.

    ./str bench scripts
    ./str bench scripts --scripts=gan,lstm --share=0.6
    ./str bench scripts --budgets=tensors
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "runtime_examples"))
import stages
from json_file import write_json
from usage import Parser

_SCRIPTS = ROOT / "bench" / "scripts"
_NOT_A_SCRIPT = {"digest"}
_BUDGETS = ("tensors", "resident")
# More than any of the scripts takes.
_PLENTY = "16GiB"
# What a peak may differ from its prediction, and a process may be above its budget.
_PEAK_SHARE = 0.01
_PEAK_BYTES = 2**20
# A run that takes longer hangs.
_LONGEST_SECONDS = 600

_SIZE = r"[^(,]*?(?:\((\d+) bytes\)|(\d+) bytes)"
_APPLIED = re.compile(rf"STR-3001 applied: .*?Predicted peak {_SIZE}(?:, measured {_SIZE})?")


def script_names():
    return sorted(path.stem for path in _SCRIPTS.glob("*.py") if path.stem not in _NOT_A_SCRIPT)


def run_script(name, settings, directory):
    """Runs a script under ./str python with these STR settings and no others; returns what can be seen from outside."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("STR_")}
    kept |= {"STR_LAUNCHER_READY": "1", "TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONDONTWRITEBYTECODE": "1"}
    output, errors = directory / f"{name}.out", directory / f"{name}.err"
    start = time.monotonic()
    with output.open("wb") as to_output, errors.open("wb") as to_errors:
        process = subprocess.Popen(
            ["timeout", str(_LONGEST_SECONDS), stages.LAUNCHER, "python", _SCRIPTS / f"{name}.py"],
            env={**kept, **settings},
            cwd=directory,
            stdout=to_output,
            stderr=to_errors,
        )
        # Of the process and those that it waited for: the launcher becomes the script's Python, the planner is small.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return read_run(
        {
            "exit_code": process.returncode,
            "seconds": time.monotonic() - start,
            "resident_bytes": usage.ru_maxrss * 1024,
        },
        output.read_text(errors="replace"),
        errors.read_text(errors="replace"),
    )


def read_run(run, output, errors):
    """Adds what the script and STR printed."""
    digest = re.search(r"^digest (\w+)$", output, re.MULTILINE)
    peak = re.search(r"^peak (\d+)$", output, re.MULTILINE)
    applied = [[int(number) for number in match if number] for match in _APPLIED.findall(errors)]
    besides = re.search(rf"STR-2007 .*(?:the process takes|bytes\)?\.) {_SIZE} (?:besides tensors|of it is for)", errors)
    return run | {
        "digest": digest and digest[1],
        # Of the whole run; STR reports the first step that was planned.
        "device_peak_bytes": peak and int(peak[1]),
        # Of the steps that were planned, the one with the largest peak.
        "predicted_peak_bytes": max((peaks[0] for peaks in applied), default=None),
        "measured_peak_bytes": max((peaks[1] for peaks in applied if len(peaks) > 1), default=None),
        "off_by_bytes": max((peaks[1] - peaks[0] for peaks in applied if len(peaks) > 1), key=abs, default=None),
        "besides_tensors_bytes": besides and int(besides[1] or besides[2]),
        "codes": sorted(set(re.findall(r"STR-\d{4}", errors))),
        "messages": [line for line in errors.splitlines() if "STR-" in line],
    }


def measure(name, share, budgets, work):
    """Returns the rows of one script: with everything kept, and one for each kind of budget."""

    def run(kind, **settings):
        stages.progress(f"{name}: {kind}")
        directory = work / name / kind
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        settings = {key: str(value) for key, value in settings.items()}
        return run_script(name, {"STR_CACHE_DIR": str(directory / "cache"), **settings}, directory)

    plain = [run(f"plain-{i}", STR_DISABLE=1) for i in (1, 2)]
    if any(one["exit_code"] != 0 for one in plain):
        raise stages.StageFailed(f"{name} fails without STR; see {work / name}")
    kept = run("kept", STR_BUDGET=_PLENTY, STR_MEMORY_LIMIT=_PLENTY)
    peak_bytes = kept["measured_peak_bytes"] or kept["device_peak_bytes"]
    rows = [judge({"script": name, "budget": "plenty", "budget_bytes": None}, kept, plain)]

    def add(kind, budget_bytes, **settings):
        planned = run(kind, STR_BUDGET=budget_bytes, **settings)
        rows.append(judge({"script": name, "budget": kind, "budget_bytes": budget_bytes}, planned, plain))
        return rows[-1]

    if peak_bytes is None:
        return rows
    if "tensors" in budgets:
        add("tensors", int(share * peak_bytes), STR_MEMORY_LIMIT=_PLENTY)
    if "resident" in budgets:
        row = add("resident", rows[0]["plain_resident_bytes"] - int((1 - share) * peak_bytes))
        if row["refused"] and row["besides_tensors_bytes"] is not None:
            add("retried", row["besides_tensors_bytes"] + int(share * peak_bytes))
    return rows


def judge(row, run, plain):
    """The run, and what is to be said of it against plain runs of the same script."""
    row = row | run
    row["plain_resident_bytes"] = min(one["resident_bytes"] for one in plain)
    row["repeats"] = len({one["digest"] for one in plain}) == 1
    row["refused"] = run["exit_code"] != 0 and "STR-2007" in run["codes"]
    row["trained"] = run["exit_code"] == 0 and run["digest"] is not None
    row["equal"] = run["digest"] in {one["digest"] for one in plain}
    row["silent"] = not run["codes"]
    row["time_ratio"] = run["seconds"] / min(one["seconds"] for one in plain)
    row["peak_close"] = None
    if run["off_by_bytes"] is not None:
        allowed = _PEAK_SHARE * run["predicted_peak_bytes"] + _PEAK_BYTES
        row["peak_close"] = abs(run["off_by_bytes"]) <= allowed
    # Of the whole run: measuring, the first step and later ones.
    taken = run["device_peak_bytes"] if row["budget"] == "tensors" else run["resident_bytes"]
    row["fits"] = None
    if row["trained"] and row["budget_bytes"] is not None and taken is not None:
        row["fits"] = taken <= (1 + _PEAK_SHARE) * row["budget_bytes"] + _PEAK_BYTES
    row["failures"] = failures(row)
    return row


def failures(row):
    """What is wrong with a row, in words; empty if nothing is."""
    found = []
    if row["silent"]:
        found.append("silent")
    if not row["trained"] and not row["refused"]:
        found.append(f"exit code {row['exit_code']}")
    if row["trained"] and row["repeats"] and not row["equal"]:
        found.append("trained something else")
    if row["fits"] is False:
        found.append("above the budget")
    if row["peak_close"] is False:
        found.append("not the predicted peak")
    return found


def table(rows):
    header = ["script", "budget for", "of", "fits", "equal", "predicted peak", "measured peak"]
    header += ["peak of the run", "resident plain", "planned", "run time", "messages", "wrong"]
    lines = []
    for row in rows:
        equal = "yes" if row["equal"] else "NO" if row["trained"] else "-"
        lines.append(
            [
                row["script"],
                row["budget"],
                stages.as_size(row["budget_bytes"]),
                "refused" if row["refused"] else {None: "-", True: "yes", False: "NO"}[row["fits"]],
                equal if row["repeats"] else f"{equal}, nor is plain",
                stages.as_size(row["predicted_peak_bytes"]),
                stages.as_size(row["measured_peak_bytes"]),
                stages.as_size(row["device_peak_bytes"]),
                stages.as_size(row["plain_resident_bytes"]),
                stages.as_size(row["resident_bytes"]),
                stages.as_ratio(row["time_ratio"]),
                " ".join(code.removeprefix("STR-") for code in row["codes"]) or "SILENT",
                ", ".join(row["failures"]) or "-",
            ]
        )
    return stages.format_table(header, lines)


def parse_options(arguments):
    parser = Parser(__doc__, prog="str bench scripts")
    parser.add_argument("--scripts", help="comma-separated; default: all in bench/scripts")
    parser.add_argument("--share", type=float, default=0.7, help="of the peak of a script's tensors (default 0.7)")
    parser.add_argument("--budgets", default=",".join(_BUDGETS), help="comma-separated; default: %(default)s")
    parser.add_argument("--json", metavar="FILE", default=str(ROOT / ".build" / "bench" / "scripts.json"))
    options = parser.parse_args(arguments)
    options.scripts = options.scripts.split(",") if options.scripts else script_names()
    if unknown := set(options.scripts) - set(script_names()):
        parser.error(f"no such script: {', '.join(sorted(unknown))}")
    options.budgets = options.budgets.split(",")
    if unknown := set(options.budgets) - set(_BUDGETS):
        parser.error(f"no such budget: {', '.join(sorted(unknown))}")
    if not 0 < options.share <= 1:
        parser.error("--share must be above 0 and at most 1")
    return options


def main(arguments):
    options = parse_options(arguments)
    rows = []
    for name in options.scripts:
        try:
            rows += measure(name, options.share, options.budgets, ROOT / ".build" / "scripts")
        except stages.StageFailed as failure:
            print(failure, file=sys.stderr)
            return 1
    print(table(rows))
    pathlib.Path(options.json).parent.mkdir(parents=True, exist_ok=True)
    write_json(options.json, {"benchmark": "scripts", "share": options.share, "rows": rows})
    print(f"written: {options.json}")
    return 1 if any(row["failures"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
