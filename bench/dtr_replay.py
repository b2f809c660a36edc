"""`str replay` beside DTR's own simulator: every recorded run, its results and its time.

For each row of ../shared/data/expected/dtr_simrd.jsonl: whether status, overhead and peak are the same, and how many
times faster than the seconds recorded there, which are those of the simulation without reading the log. Ours likewise,
the best of several runs; `command_seconds` in the JSON is all that the command takes. --html draws them: figure 2 of
DTR.

    ./str bench dtr_replay --html=figure2.html
    ./str bench dtr_replay --at-least=50 --repeat=5
"""

import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "runtime_examples"))
from json_file import write_json
from usage import Parser

_DATA = ROOT.parent / "shared" / "data"
_LOGS = {"ResNet-32 (56)": "resnet32.log", "U-Net (6)": "unet.log"}
_STATUS = {"ok": "ok", "thrash": "thrash", "OOM": "out-of-memory"}
_SAME = 1e-6


def replay(log, row, options):
    """The result as the command tells it, with the seconds of the replay alone and of the whole command."""
    arguments = [f"--heuristic={row['heuristic']}", f"--dealloc={row['variant']}", f"--budget={row['budget']}"]
    environment = os.environ | {"STR_LAUNCHER_READY": "1"}
    result, seconds = None, []
    for _ in range(options.repeat):
        start = time.perf_counter()
        process = subprocess.run(
            [options.binary, "replay", log, *arguments, "--json=-"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        command_seconds = time.perf_counter() - start
        if process.returncode not in (0, 2):
            sys.exit(f"str replay failed:\n{process.stderr}")
        result = json.loads(process.stdout)
        seconds.append((result["replay_seconds"], command_seconds))
    return result, min(pair[0] for pair in seconds), min(pair[1] for pair in seconds)


def same(row, result):
    return result["status"] == _STATUS[row["status"]] and all(
        abs(result[ours] - row[theirs]) <= _SAME * abs(row[theirs])
        for ours, theirs in (("dtr_overhead", "overhead"), ("peak_bytes", "peak"))
    )


def run(options):
    cases = []
    for line in (_DATA / "expected" / "dtr_simrd.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["kind"] != "run" or (options.heuristics and row["heuristic"] not in options.heuristics.split(",")):
            continue
        result, seconds, command_seconds = replay(_DATA / "dtr" / _LOGS[row["model"]], row, options)
        cases.append(
            {name: row[name] for name in ("model", "heuristic", "ratio")}
            | {name: result[name] for name in ("status", "overhead", "dtr_overhead", "peak_bytes")}
            | {
                "their_status": _STATUS[row["status"]],
                "their_dtr_overhead": row["overhead"],
                "their_peak_bytes": row["peak"],
                "same": same(row, result),
                "their_seconds": row["sec"],
                "seconds": seconds,
                "command_seconds": command_seconds,
                "faster": row["sec"] / seconds,
            }
        )
    return cases


def print_table(cases):
    print(f"{'model':<16}{'heuristic':<13}{'ratio':>6}{'status':>15}{'overhead':>10}{'same':>6}", end="")
    print(f"{'simrd s':>9}{'ours ms':>9}{'faster':>8}")
    for case in cases:
        print(f"{case['model']:<16}{case['heuristic']:<13}{case['ratio']:>6}{case['status']:>15}", end="")
        print(f"{case['dtr_overhead']:>10.4f}{'yes' if case['same'] else 'NO':>6}{case['their_seconds']:>9.2f}", end="")
        print(f"{1000 * case['seconds']:>9.3f}{case['faster']:>8.0f}")


def main(arguments):
    parser = Parser(__doc__, prog="str bench dtr_replay")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each, of which the fastest counts")
    parser.add_argument("--heuristics", metavar="LIST", help="only the runs of these, separated by commas")
    parser.add_argument("--at-least", type=float, help="exit 1 if one is not this many times faster")
    parser.add_argument("--binary", default=ROOT / "str", help="of the command line (default: ./str)")
    parser.add_argument("--json", metavar="FILE", default=str(ROOT / ".build" / "bench" / "dtr_replay.json"))
    parser.add_argument("--html", metavar="FILE", help="draw overhead against memory, one line a heuristic")
    options = parser.parse_args(arguments)
    if not _DATA.exists():
        sys.exit("no ../shared/data: nothing to compare with")
    cases = run(options)
    if not cases:
        sys.exit(f"no recorded run has one of the heuristics {options.heuristics}")
    print_table(cases)
    total = sum(case["their_seconds"] for case in cases) / sum(case["seconds"] for case in cases)
    summary = {
        "command": "dtr_replay",
        "rows": cases,
        "different": sum(not case["same"] for case in cases),
        "least_faster": min(case["faster"] for case in cases),
        "total_faster": total,
    }
    print(f"\n{len(cases)} runs, {summary['different']} different; ", end="")
    print(f"{summary['least_faster']:.0f} times faster at least, {total:.0f} times in all")
    path = pathlib.Path(options.json)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, summary)
    print(f"written to {path}", file=sys.stderr)
    if options.html:
        environment = os.environ | {"STR_LAUNCHER_READY": "1"}
        subprocess.run([ROOT / "str", "report", path, f"--html={options.html}"], env=environment, check=True)
    too_slow = options.at_least is not None and summary["least_faster"] < options.at_least
    return 1 if summary["different"] or too_slow else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
