"""Planners side by side on the same graphs and budgets: time to plan and the step time that the judge predicts.

In one run: STR's planners, Checkmate's integer model on HiGHS, and, if ortools is installed, a constraint model like
Moccasin's and an integer program with paging like POET's. Each plan is judged by the same simulator. "faster" is how
many times faster than Checkmate's model the default planner was in reaching the same or a better step time.

    ./str bench planner
    ./str bench planner graph.json --budgets=80%,60% --time-limit=600 --at-least=50
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "runtime_examples"))
from json_file import write_json
from usage import Parser

_GRAPHS = ROOT.parent / "shared" / "data" / "planning_graphs"
# Graphs that are planned if none are given, with their budgets.
_DEFAULT_CASES = (("vgg16_b256.json", ("90%", "80%", "70%")), ("unet_b32.json", ("75%", "60%")))
_STRATEGIES = ("str", "recompute-only", "str-exact", "checkmate-ilp")
_RIVAL = "checkmate-ilp"
# Models that need ortools: scripts that print a plan's steps.
_SCRIPTS = {"moccasin-cp": ROOT / "bench" / "moccasin_cp.py", "poet-paging": ROOT / "bench" / "poet_paging.py"}
# A line of progress: seconds since planning began, and the step time of the best plan by then.
_FOUND = re.compile(r"^str: ([0-9.]+) s: best ([0-9.]+) s", re.MULTILINE)
# Seconds: what those lines are rounded to.
_FOUND_AFTER, _FOUND_STEP = 1e-3, 1e-6
# Two sums of the same times in another order are the same time.
_SAME = 1 + 1e-9


def run_str(*arguments):
    environment = os.environ | {"STR_LAUNCHER_READY": "1"}
    return subprocess.run(
        [ROOT / "str", *map(str, arguments)], env=environment, capture_output=True, text=True, check=False
    )


def known_strategies():
    process = run_str("strategies")
    if process.returncode != 0:
        sys.exit(f"./str strategies failed:\n{process.stderr}")
    return {line.split()[0] for line in process.stdout.splitlines() if line.strip()}


def plan(graph, budget, strategy, options, folder):
    """One row: what `str plan` says, how long its planner took, and which plans it had by when."""
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    arguments = [
        f"--budget={budget}",
        f"--strategy={strategy}",
        f"--time-limit={options.time_limit}s",
        f"--seed={options.seed}",
        f"--solver={options.solver}",
        f"--output={folder / 'plan.conf'}",
        f"--json={result}",
    ]
    if options.device:
        arguments.append(f"--device={options.device}")
    process = run_str("plan", graph, *arguments)
    if not result.exists():
        return {"strategy": strategy, "status": "error", "reason": last_words(process)}
    found = [(float(after), float(step)) for after, step in _FOUND.findall(process.stderr)]
    return json.loads(result.read_text()) | {"found": found}


def last_words(process):
    """Why a process failed, as far as it says."""
    return (process.stderr.strip() or f"ended with {process.returncode}").splitlines()[-1]


def plan_by_script(name, graph, budget_bytes, options, folder):
    """The same for a model with ortools: its steps become a strategy file, which the judge simulates."""
    row = {"strategy": name}
    process = subprocess.run(
        [
            options.cp_python,
            _SCRIPTS[name],
            graph,
            f"--budget={budget_bytes}",
            f"--time-limit={options.time_limit}",
            f"--seed={options.seed}",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        return row | {"status": "skipped", "reason": last_words(process)}
    answer = json.loads(process.stdout)
    row |= {name: answer[name] for name in ("status", "planner_seconds", "solver")}
    if not answer["steps"]:
        return row
    strategy = folder / f"{name}.conf"
    strategy.write_text(strategy_file(name, graph, budget_bytes, answer["steps"], options, folder))
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    device = [f"--device={options.device}"] if options.device else []
    process = run_str("simulate", graph, strategy, f"--json={result}", *device)
    if not result.exists():
        return row | {"status": "error", "reason": last_words(process)}
    verdict = json.loads(result.read_text())
    # The model knows bytes, not where buffers lie; what does not fit as placed is told, not hidden.
    if max(verdict["peak_bytes"], verdict["fit_bytes"]) > budget_bytes:
        row |= {"status": "over budget", "reason": f"needs {max(verdict['peak_bytes'], verdict['fit_bytes'])} bytes"}
    return verdict | row


def strategy_file(planner, graph, budget_bytes, steps, options, folder):
    """The header and outputs of a plan that keeps everything, with these steps."""
    template = folder / "keep-all.conf"
    device = [f"--device={options.device}"] if options.device else []
    process = run_str("plan", graph, "--budget=200%", "--strategy=keep-all", f"--output={template}", *device)
    if process.returncode != 0:
        sys.exit(f"./str plan --strategy=keep-all failed:\n{process.stderr}")
    header, outputs, node = [], {}, None
    for line in template.read_text().splitlines():
        words = line.strip().split(": ", 1)
        if words[0] == "run":
            node = words[1]
        elif words[0] == "output":
            outputs.setdefault(node, []).append(line)
        elif node is None and words[0] in ("format_version", "graph_name", "graph_fingerprint", "external_bytes"):
            header.append(line)
    text = [*header, f'planner: "{planner}"', f"budget_bytes: {budget_bytes}"]
    for step in steps:
        ((action, name),) = step.items()
        quoted = json.dumps(name)
        text += ["step {", f"  {action}: {quoted}", *(outputs.get(quoted, []) if action == "run" else []), "}"]
    return "\n".join(text) + "\n"


def run_case(graph, budget, strategies, options, folder):
    rows = []
    for strategy in strategies:
        row = plan(graph, budget, strategy, options, folder)
        rows.append(row)
        print(f"str: {graph.stem} {budget} {strategy}: {row['status']}", file=sys.stderr, flush=True)
    budget_bytes = next((row["budget_bytes"] for row in rows if row.get("budget_bytes")), None)
    if budget_bytes is not None:
        for name in _SCRIPTS:
            rows.append(plan_by_script(name, graph, budget_bytes, options, folder))
            print(f"str: {graph.stem} {budget} {name}: {rows[-1]['status']}", file=sys.stderr, flush=True)
    case = {"graph": graph.name, "budget": budget, "budget_bytes": budget_bytes, "rows": rows}
    by_name = {row["strategy"]: row for row in rows}
    ours, rival = by_name.get("str"), by_name.get(_RIVAL)
    case["reached"] = case["faster"] = None
    if ours and rival and ours.get("step_seconds") and rival.get("planner_seconds"):
        rival_step = rival.get("step_seconds") or float("inf")
        case["reached"] = time_to_reach(ours, rival_step * _SAME)
        if case["reached"] is not None:
            case["faster"] = rival["planner_seconds"] / case["reached"]
    return case


def time_to_reach(row, step_seconds):
    """How long the default planner took to a step time, rounded up; None if it did not get there."""
    if row["step_seconds"] > step_seconds:
        return None
    times = [after for after, step in row["found"] if step <= step_seconds + _FOUND_STEP / 2]
    return min([after + _FOUND_AFTER for after in times] + [row["planner_seconds"]])


def print_case(case):
    print(f"\n{case['graph']} at {case['budget']}")
    print(f"  {'planner':<16}{'status':<12}{'plan s':>10}{'step s':>12}{'overhead':>10}{'peak GB':>9}  note")
    for row in case["rows"]:
        cells = [
            f"{row['planner_seconds']:.3f}" if row.get("planner_seconds") is not None else "-",
            f"{row['step_seconds']:.6f}" if row.get("step_seconds") is not None else "-",
            f"{100 * row['overhead']:.3f}%" if row.get("overhead") is not None else "-",
            f"{row['peak_bytes'] / 1e9:.2f}" if row.get("peak_bytes") is not None else "-",
        ]
        note = row.get("reason") or row.get("solver") or ""
        figures = f"{cells[0]:>10}{cells[1]:>12}{cells[2]:>10}{cells[3]:>9}"
        print(f"  {row['strategy']:<16}{row['status']:<12}{figures}  {note}")
    if case["faster"] is not None:
        print(
            f"  str reaches the step time of {_RIVAL}, or a better one, in {case['reached']:.3f} s:"
            f" {case['faster']:.0f} times faster"
        )
    else:
        print(f"  str does not reach the step time of {_RIVAL}, or one of them has no plan")


def parse_options(arguments):
    parser = Parser(__doc__, prog="str bench planner")
    parser.add_argument("graphs", nargs="*", type=pathlib.Path, help="default: VGG16 and U-Net of ../shared/data")
    parser.add_argument("--budgets", default="90%,80%,70%", help="for the graphs given")
    parser.add_argument("--strategies", help=f"default: those of {','.join(_STRATEGIES)} that there are")
    parser.add_argument("--time-limit", type=float, default=300, metavar="SECONDS", help="for each planner")
    parser.add_argument("--solver", choices=("highs", "gurobi"), default="highs")
    parser.add_argument("--device", help="of graphs without copy rates")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cp-python", default=sys.executable, help="a Python with ortools (default: this one)")
    parser.add_argument("--at-least", type=float, help="exit 1 if str is not this many times faster in every case")
    parser.add_argument("--json", metavar="FILE", default=str(ROOT / ".build" / "bench" / "planner.json"))
    return parser.parse_args(arguments)


def cases(options):
    if options.graphs:
        return [(graph, budget) for graph in options.graphs for budget in options.budgets.split(",")]
    found = [(_GRAPHS / name, budget) for name, budgets in _DEFAULT_CASES for budget in budgets]
    if not found[0][0].exists():
        sys.exit("str: there is no ../shared/data here; name graphs to plan (./str bench planner --help)")
    return found


def main(arguments):
    options = parse_options(arguments)
    todo = cases(options)
    known = known_strategies()
    strategies = [name for name in _STRATEGIES if name in known]
    if options.strategies:
        strategies = options.strategies.split(",")
        if unknown := [name for name in strategies if name not in known]:
            sys.exit(f"str: there is no strategy {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for graph, budget in todo:
            results.append(run_case(graph, budget, strategies, options, pathlib.Path(folder)))
            print_case(results[-1])
    pathlib.Path(options.json).parent.mkdir(parents=True, exist_ok=True)
    write_json(options.json, {"benchmark": "planner", "cases": results})
    print(f"\nwritten: {options.json}")
    slow = [case for case in results if case["faster"] is None or case["faster"] < (options.at_least or 0)]
    return 1 if options.at_least is not None and slow else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
