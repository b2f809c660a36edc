"""Kusumoto's planners against their authors' tool mksch: recomputed time, peak and time to plan, row by row.

The rows are what the tool itself did on its graphs (../shared/data/expected/mksch_*.jsonl): time units recomputed,
bytes of values and gradients at the peak, seconds. Ours are the judge's, and the seconds that the planner took.

    ./str bench mksch
    ./str bench mksch --kinds=approx --graphs=cg_resnet50.txt --repeat=5
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "runtime_examples"))
from json_file import write_json
from usage import Parser

_DATA = ROOT.parent / "shared" / "data"
_PLANNERS = {"exact": "kusumoto-exact", "approx": "kusumoto-approx", "chen": "kusumoto-chen"}
_MODES = {"T": ":time", "M": ":memory", "-": ""}


def plan(graph, budget, strategy, folder):
    """What `str plan` says about one plan, with a cost of 1 taken as a second."""
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    process = subprocess.run(
        [
            ROOT / "str",
            "plan",
            graph,
            f"--budget={budget}",
            f"--strategy={strategy}",
            "--cost-unit=1s",
            # How far the plan is from the best is not what this is about.
            "--gap=100%",
            "--format=mksch",
            f"--output={folder / 'schedule.txt'}",
            f"--json={result}",
        ],
        env=os.environ | {"STR_LAUNCHER_READY": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if not result.exists():
        sys.exit(f"str plan {graph.name} --budget={budget} --strategy={strategy} failed:\n{process.stderr[-2000:]}")
    return json.loads(result.read_text())


def run_row(row, kind, options, folder):
    strategy = _PLANNERS[kind] + _MODES[row["mode"]]
    # Chen's rule has no budget: as much as the tool's schedule needs.
    budget = row["budget"] if isinstance(row["budget"], int) else row["peak_noparam"]
    plans = [plan(_DATA / "mksch" / row["graph"], budget, strategy, folder) for _ in range(options.repeat)]
    ours = plans[0]
    found = ours["status"] in ("optimal", "feasible")
    return {
        "graph": row["graph"],
        "strategy": strategy,
        "budget_bytes": budget,
        "status": ours["status"],
        "recompute": round(ours["step_seconds"] - ours["baseline_seconds"], 6) if found else None,
        "tool_recompute": row["recompute"],
        "peak_bytes": ours["peak_bytes"],
        "tool_peak_bytes": row["peak_noparam"],
        "planner_seconds": min(each["planner_seconds"] for each in plans),
        "tool_seconds": row["sec"],
    }


def read_rows(kind, graphs):
    file = _DATA / "expected" / f"mksch_{kind}.jsonl"
    if not file.exists():
        sys.exit(f"skipped: no ../shared/data: {file.name} is missing")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    # "noopt": without forgetting early, which no plan here does.
    return [row for row in rows if row["budget"] != "noopt" and (not graphs or row["graph"] in graphs)]


def main():
    parser = Parser(__doc__)
    parser.add_argument("--kinds", default=",".join(_PLANNERS), help="of exact, approx, chen")
    parser.add_argument("--graphs", default="", help="such as cg_vgg19.txt; default: all there are rows for")
    parser.add_argument("--repeat", type=int, default=3, help="runs per row; the fastest counts")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / ".build" / "bench" / "mksch.json")
    options = parser.parse_args()
    graphs = [name for name in options.graphs.split(",") if name]
    results = []
    print(f"{'graph':16} {'strategy':23} {'budget':>12} {'recomputed':>11} {'peak':>24} {'seconds':>16}")
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.kinds.split(","):
            if kind not in _PLANNERS:
                sys.exit(f"--kinds: there is no {kind!r}; there are {', '.join(_PLANNERS)}")
            for row in read_rows(kind, graphs):
                result = run_row(row, kind, options, pathlib.Path(folder))
                results.append(result)
                start = f"{result['graph']:16} {result['strategy']:23} {result['budget_bytes']:>12} "
                print(
                    f"{start}{result['recompute']:>5.0f}/{result['tool_recompute']:<5} "
                    f"{result['peak_bytes']:>12}/{result['tool_peak_bytes']:<12} "
                    f"{result['planner_seconds']:.4f}/{result['tool_seconds']:.4f}"
                    if result["recompute"] is not None
                    else start + result["status"],
                    flush=True,
                )
    worse = [
        r
        for r in results
        if r["recompute"] is None
        or r["recompute"] > r["tool_recompute"]
        or r["peak_bytes"] > r["tool_peak_bytes"]
    ]
    slower = [r for r in results if r["planner_seconds"] > r["tool_seconds"]]
    print(f"{len(results)} rows, ours/the tool's; worse in time or peak: {len(worse)}; slower to plan: {len(slower)}")
    options.json.parent.mkdir(parents=True, exist_ok=True)
    write_json(options.json, {"rows": results, "worse": len(worse), "slower": len(slower)})
    if not results:
        sys.exit("no rows: no such graph, or no recorded figures for it")
    if worse:
        sys.exit(1)


if __name__ == "__main__":
    main()
