"""Plans drawn training graphs with every strategy: how often is the default planner beaten, not monotone, or unproven?

The graphs come from bench/drawn_graphs.py and the seeds given, so that no planner can be tuned to them. Every strategy
plans every graph at every budget, a percentage of the peak with everything kept; one simulator judges all plans.
"beaten": another strategy has a faster plan for the same budget. "not monotone": the default planner has a faster plan
for a smaller budget. "gap": how far the plan is from its bound.

Rows go to the JSON file as they are made; the same command again continues there. A row is planned anew if the planner
was built anew, or if its limits or its graph changed.

    ./str bench generality
    ./str bench generality --seeds=4 --graphs=16 --strategies=str,swap-only,recompute-only --time-limit=5s
    ./str bench generality --only=unetpp:1004 --budgets=30,40 --keep=graphs
"""

import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "runtime_examples"))
import drawn_graphs
from json_file import write_json
from usage import Parser

DEFAULT = "str"
# Planners that search until a plan is proven to be good enough. The others plan once; their bound is not looked at.
_SEARCHES = (DEFAULT, "swap-only", "recompute-only", "str-exact")
# All but those that are variants of these, and the integer models, which take hours for such graphs.
_STRATEGIES = (
    *(DEFAULT, "swap-only", "recompute-only", "capuchin", "dtr", "str-approx"),
    *("kusumoto-exact", "kusumoto-approx", "kusumoto-chen", "griewank"),
    *("chen-greedy", "chen-greedy-noap", "chen-sqrt", "chen-sqrt-noap", "checkpoint-last", "keep-all"),
)
# Seeds of graphs are SEED times this, plus the number of the graph.
_GRAPHS_PER_SEED = 1000
# Shares of the step time. Faster by at most this counts as equal.
BEATEN, NOT_MONOTONE = 0.0005, 0.001
# Targets of the gap.
_MEDIAN_GAP, _HIGH_GAP = 0.003, 0.03
_HIGH = 95
# Fields of `str plan --json` that a row keeps.
_FIELDS = (
    *("status", "budget_bytes", "peak_bytes", "fit_bytes", "baseline_seconds", "step_seconds", "overhead"),
    *("bound_seconds", "gap", "plan_seconds", "min_budget_bytes"),
)
_DONE, _INFEASIBLE, _LIMIT = 0, 2, 3
# Seconds between two writes of all rows, and between two lines of progress.
_WRITE_EVERY = 5
_PROGRESS_EVERY = 10
_WORST_ROWS = 10
# Threads of one plan, where there are cores for them.
_THREADS = 2


# Planning.


def run_str(*arguments, timeout=None):
    environment = os.environ | {"STR_LAUNCHER_READY": "1"}
    command = [ROOT / "str", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=timeout)


def known_strategies():
    process = run_str("strategies")
    if process.returncode != 0:
        sys.exit(f"./str strategies failed:\n{process.stderr}")
    return {line.split()[0] for line in process.stdout.splitlines() if line.strip()}


def planner_digest():
    """Tells builds of the planner apart; None while it is being built."""
    try:
        return hashlib.sha256((ROOT / ".build" / "bin" / "str").read_bytes()).hexdigest()[:12]
    except FileNotFoundError:
        return None


def plan(row, graph_file, folder, options):
    """Completes a row with the verdict on its plan, or with the planner's error."""
    stem = f"{graph_file.stem}-{row['budget']:g}-{row['strategy'].replace(':', '_')}"
    result, strategy_file = folder / f"{stem}-result.json", folder / f"{stem}.conf"
    result.unlink(missing_ok=True)
    arguments = [
        f"--budget={row['budget']:g}%",
        f"--strategy={row['strategy']}",
        f"--time-limit={options.time_limit:g}s",
        f"--threads={options.threads}",
        f"--output={strategy_file}",
        f"--json={result}",
    ]
    gap = options.gap if row["strategy"] in _SEARCHES else "100%"
    if gap:
        arguments.append(f"--gap={gap}")
    try:
        process = run_str("plan", graph_file, *arguments, timeout=60 + 20 * options.time_limit)
    except subprocess.TimeoutExpired as expired:
        return row | {"status": "error", "reason": f"did not end within {expired.timeout:g} s"}
    verdict = json.loads(result.read_text()) if result.exists() else None
    if not options.keep:
        # A full run makes tens of thousands.
        result.unlink(missing_ok=True)
        strategy_file.unlink(missing_ok=True)
    if process.returncode not in (_DONE, _INFEASIBLE, _LIMIT) or verdict is None:
        words = (process.stderr.strip() or "no message").splitlines()[-1]
        return row | {"status": "error", "reason": f"exit code {process.returncode}: {words}"}
    row |= {name: verdict[name] for name in _FIELDS if name in verdict}
    if row["step_seconds"] is not None and row["peak_bytes"] > row["budget_bytes"]:
        return row | {"status": "error", "reason": f"the plan needs {row['peak_bytes']} bytes", "step_seconds": None}
    return row


def key(row):
    return (row["family"], row["seed"], row["budget"], row["strategy"])


def origin(row):
    """Everything that a row depends on besides its key."""
    return tuple(row.get(name) for name in ("graph", "planner", "time_limit", "threads", "asked_gap"))


class Rows:
    """All rows of the JSON file, those of earlier runs included."""

    def __init__(self, path, fresh):
        self.path = pathlib.Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.rows = {}
        self.written = time.monotonic()
        if not fresh and self.path.exists():
            try:
                self.rows = {key(row): row for row in json.loads(self.path.read_text())["rows"]}
            except (ValueError, KeyError, TypeError):
                sys.exit(f"str: {self.path} has no rows of this benchmark; --fresh replaces it")

    def has(self, row):
        """Whether the row was made before, by the same planner, and without an error."""
        made = self.rows.get(key(row))
        return made is not None and made["status"] != "error" and origin(made) == origin(row)

    def add(self, row):
        self.rows[key(row)] = row
        if time.monotonic() - self.written > _WRITE_EVERY:
            self.write()

    def write(self, **more):
        write_json(self.path, {"benchmark": "generality", **more, "rows": list(self.rows.values())})
        self.written = time.monotonic()


class Progress:
    """One line on stderr, rewritten on a terminal, and repeated now and then elsewhere."""

    def __init__(self, count):
        self.count, self.done = count, 0
        self.started = time.monotonic()
        self.printed = -math.inf
        self.terminal = sys.stderr.isatty()

    def step(self, row):
        self.done += 1
        now = time.monotonic()
        if now - self.printed < (0.2 if self.terminal else _PROGRESS_EVERY) and self.done < self.count:
            return
        self.printed = now
        left = (now - self.started) / self.done * (self.count - self.done)
        text = f"str: {self.done} of {self.count} plans, about {duration(left)} left; last: {row_name(row)}"
        end = "\n" if not self.terminal or self.done == self.count else ""
        print(f"\r\033[K{text}" if self.terminal else text, end=end, file=sys.stderr, flush=True)


def duration(seconds):
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def row_name(row):
    return f"{row['family']}:{row['seed']} {row['budget']:g} % {row['strategy']} {row['status']}"


def drawn(options):
    """(family, seed) of each graph."""
    if options.only:
        return options.only
    families = list(drawn_graphs.FAMILIES)
    numbers = range(1, options.graphs + 1)
    return [
        (families[(number - 1) % len(families)], seed * _GRAPHS_PER_SEED + number)
        for seed in options.seeds
        for number in numbers
    ]


def wanted_rows(family, seed, graph, strategies, options):
    text = json.dumps(graph).encode()
    common = {"family": family, "seed": seed, "nodes": len(graph["nodes"])}
    made_of = {
        "graph": hashlib.sha256(text).hexdigest()[:12],
        "planner": options.planner,
        "time_limit": options.time_limit,
        "threads": options.threads,
        "asked_gap": options.gap,
    }
    return [
        common | {"budget": budget, "strategy": strategy} | made_of
        for budget in options.budgets
        for strategy in strategies
    ]


def make_rows(strategies, options, rows):
    """Makes the rows that are missing. Returns all rows of this run."""
    wanted, todo = [], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for family, seed in drawn(options):
            graph = drawn_graphs.draw(family, seed)
            file = folder / f"{graph['name']}.json"
            write_json(file, graph)
            of_graph = wanted_rows(family, seed, graph, strategies, options)
            wanted += map(key, of_graph)
            todo += [(row, file) for row in of_graph if not rows.has(row)]
        if len(todo) < len(wanted):
            print(f"str: {len(wanted) - len(todo)} of {len(wanted)} rows are there already", file=sys.stderr)
        progress = Progress(len(todo))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            try:
                plans = [pool.submit(plan, row, file, folder, options) for row, file in todo]
                for made in concurrent.futures.as_completed(plans):
                    rows.add(made.result())
                    progress.step(made.result())
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                sys.exit("\nstr: stopped; the same command continues")
            finally:
                rows.write()
    if options.planner != planner_digest():
        print("str: the planner was built anew meanwhile; run this again for rows of one build", file=sys.stderr)
    return [rows.rows[name] for name in wanted]


# Analysis. Rows without a plan have no step time.


def by_graph(rows, strategy=None):
    """{(family, seed): {budget: {strategy: row}}}"""
    graphs = {}
    for row in rows:
        if strategy in (None, row["strategy"]):
            budgets = graphs.setdefault((row["family"], row["seed"]), {})
            budgets.setdefault(row["budget"], {})[row["strategy"]] = row
    return graphs


def step_seconds(row):
    """Infinite without a plan."""
    seconds = row.get("step_seconds")
    return math.inf if seconds is None else seconds


def excess(seconds, best):
    """By which share `seconds` is above `best`."""
    return 0.0 if seconds == best else seconds / best - 1


def comparisons(rows):
    """For each row of the default planner with a rival that has a plan: (row, the fastest rival, how much slower)."""
    found = []
    for budgets in by_graph(rows).values():
        for strategies in budgets.values():
            rivals = [row for name, row in strategies.items() if name != DEFAULT and step_seconds(row) < math.inf]
            if DEFAULT in strategies and rivals:
                row, rival = strategies[DEFAULT], min(rivals, key=step_seconds)
                found.append((row, rival, excess(step_seconds(row), rival["step_seconds"])))
    return found


def beaten(rows):
    """(row, rival, share) where the default planner is slower, or has no plan (share: infinity); the worst first."""
    found = [comparison for comparison in comparisons(rows) if comparison[2] > BEATEN]
    return sorted(found, key=lambda comparison: -comparison[2])


def not_monotone(rows):
    """(row, row of a smaller budget with a faster plan, share) of the default planner; the worst first."""
    found = []
    for budgets in by_graph(rows, DEFAULT).values():
        best = None
        for _, strategies in sorted(budgets.items()):
            row = strategies[DEFAULT]
            if best is not None and (share := excess(step_seconds(row), best["step_seconds"])) > NOT_MONOTONE:
                found.append((row, best, share))
            if step_seconds(row) < (step_seconds(best) if best else math.inf):
                best = row
    return sorted(found, key=lambda comparison: -comparison[2])


def percentile(values, percent):
    """The least value that at least `percent` of all values do not exceed; None without values."""
    return sorted(values)[max(0, math.ceil(percent / 100 * len(values)) - 1)] if values else None


def gaps(rows):
    """The gap of each plan of the default planner; infinite if there is no bound."""
    plans = [row for row in rows if row["strategy"] == DEFAULT and step_seconds(row) < math.inf]
    return [math.inf if row.get("gap") is None else row["gap"] for row in plans]


def gap_summary(rows):
    values = gaps(rows)
    return {
        "plans": len(values),
        "median": percentile(values, 50),
        "high": percentile(values, _HIGH),
        "worst": max(values, default=None),
    }


def without_plan(rows):
    """How many rows of the default planner have no plan, by status, and where a rival has one."""
    missing = [row for row in rows if row["strategy"] == DEFAULT and step_seconds(row) == math.inf]
    statuses = {}
    for row in missing:
        statuses[row["status"]] = statuses.get(row["status"], 0) + 1
    return statuses, [(row, rival) for row, rival, share in beaten(rows) if share == math.inf]


def errors(rows):
    return [row for row in rows if row["status"] == "error"]


def missed_targets(rows):
    """One line for each target that these rows miss."""
    missed = []
    if found := beaten(rows):
        missed.append(f"beaten by more than {as_percent(BEATEN)} in {len(found)} rows; target: none")
    if found := not_monotone(rows):
        missed.append(f"not monotone by more than {as_percent(NOT_MONOTONE)} in {len(found)} rows; target: none")
    summary = gap_summary(rows)
    for name, words, target in (("median", "median", _MEDIAN_GAP), ("high", f"{_HIGH}th percentile", _HIGH_GAP)):
        if summary[name] is None or summary[name] > target:
            missed.append(f"{words} of the gap is {as_percent(summary[name])}; target: at most {as_percent(target)}")
    return missed


# Tables.


def as_percent(share):
    if share is None:
        return "-"
    return "no plan" if share == math.inf else f"{100 * share:.3g} %" if share < 0.1 else f"{100 * share:.1f} %"


def table(header, lines):
    """Columns as wide as they need to be: names to the left, figures to the right."""
    cells = [header, *([str(cell) for cell in line] for line in lines)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(header))]

    def aligned(cell, i):
        return cell.rjust(widths[i]) if re.match(r"[-\d]|no plan", cells[1][i]) else cell.ljust(widths[i])

    return "\n".join("  " + "  ".join(aligned(cell, i) for i, cell in enumerate(line)).rstrip() for line in cells)


def counted(comparisons_found):
    shares = [share for *_, share in comparisons_found]
    return [len(shares), as_percent(percentile(shares, 50)), as_percent(max(shares, default=None))]


def table_by(rows, name, title):
    """One line for each budget or family, and one for all."""
    groups = [(value, [row for row in rows if row[name] == value]) for value in sorted({row[name] for row in rows})]
    all_not_monotone = not_monotone(rows)
    lines = []
    for value, group in [*groups, ("all", rows)]:
        ours = [row for row in group if row["strategy"] == DEFAULT]
        slower = [found for found in all_not_monotone if value in ("all", found[0][name])]
        summary = gap_summary(group)
        shown = f"{value:g} %" if isinstance(value, float) else value
        lines.append(
            [
                *(shown, len(ours), summary["plans"]),
                *counted(beaten(group)),
                *counted(slower),
                *(as_gap(summary[name]) for name in ("median", "high", "worst")),
            ]
        )
    header = [title, "rows", "plans", "beaten", "median", "worst", "not monotone", "median", "worst"]
    return table([*header, "gap: median", f"{_HIGH}th", "worst"], lines)


def as_gap(share):
    return "no bound" if share == math.inf else as_percent(share)


def table_of_rivals(rows):
    names = [name for name in dict.fromkeys(row["strategy"] for row in rows) if name != DEFAULT]
    lines = []
    for name in names:
        pair = [row for row in rows if row["strategy"] in (DEFAULT, name)]
        plans = [row for row in pair if row["strategy"] == name and step_seconds(row) < math.inf]
        seconds = [row["plan_seconds"] for row in pair if row["strategy"] == name and row.get("plan_seconds")]
        lines.append([name, len(plans), *counted(beaten(pair)), f"{percentile(seconds, 50) or 0:.2f} s"])
    return table(["strategy", "plans", "beats the default", "median", "worst", "plans in (median)"], lines)


def table_of_worst(found, what):
    lines = []
    for row, other, share in found[:_WORST_ROWS]:
        ours = "-" if row.get("step_seconds") is None else f"{row['step_seconds']:.6f}"
        faster = other["strategy"] if other["strategy"] != DEFAULT else f"budget {other['budget']:g} %"
        name = f"{row['family']}:{row['seed']}"
        theirs = f"{other['step_seconds']:.6f}"
        lines.append([name, f"{row['budget']:g} %", row["nodes"], ours, theirs, as_percent(share), faster])
    return table(["graph", "budget", "nodes", "step s", "faster s", what, "by"], lines)


def table_of_worst_gaps(rows):
    plans = [row for row in rows if row["strategy"] == DEFAULT and step_seconds(row) < math.inf]
    plans.sort(key=lambda row: -(math.inf if row.get("gap") is None else row["gap"]))
    lines = [
        [
            f"{row['family']}:{row['seed']}",
            *(f"{row['budget']:g} %", row["nodes"], f"{row['step_seconds']:.6f}"),
            *(as_percent(row["overhead"]), as_gap(math.inf if row.get("gap") is None else row["gap"])),
        ]
        for row in plans[:_WORST_ROWS]
    ]
    return table(["graph", "budget", "nodes", "step s", "overhead", "gap"], lines)


def print_tables(rows, strategies):
    ours = [row for row in rows if row["strategy"] == DEFAULT]
    print(f"{len({(row['family'], row['seed']) for row in rows})} graphs, {len(rows)} rows, {len(ours)} of {DEFAULT}")
    if ours:
        print(f"\n{table_by(rows, 'budget', 'budget')}\n\n{table_by(rows, 'family', 'family')}")
        statuses, only_rivals = without_plan(rows)
        print(f"\n{DEFAULT} has no plan in {sum(statuses.values())} rows", end="")
        print("".join(f", {count} {status}" for status, count in sorted(statuses.items())), end="; ")
        print(f"another strategy has one in {len(only_rivals)} of them")
    if ours and len(strategies) > 1:
        print(f"\n{table_of_rivals(rows)}")
    if found := beaten(rows):
        print(f"\nbeaten, the worst rows\n{table_of_worst(found, 'beaten by')}")
    if found := not_monotone(rows):
        print(f"\nnot monotone, the worst rows\n{table_of_worst(found, 'slower by')}")
    if gaps(rows):
        print(f"\nlargest gaps\n{table_of_worst_gaps(rows)}")
    if found := errors(rows):
        print(f"\n{len(found)} planners failed")
        for row in found[:_WORST_ROWS]:
            print(f"  {row_name(row)}: {row['reason']}")


# Arguments.


def _list_of(kind, check):
    def parse(text):
        values = [kind(word) for word in text.split(",")]
        if not all(map(check, values)) or len(set(values)) < len(values):
            raise ValueError(text)
        return values

    # argparse names the type in its message.
    parse.__name__ = "list"
    return parse


def _seconds(text):
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(s|m)?", text)
    if not found or float(found[1]) == 0:
        raise argparse.ArgumentTypeError(f'"{text}" is no duration; write 20s or 2m')
    return float(found[1]) * (60 if found[2] == "m" else 1)


def _at_least_one(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'"{text}" is no number from 1')
    return int(text)


def parse_options(arguments):
    parser = Parser(__doc__, prog="str bench generality")
    seeds = _list_of(int, lambda seed: seed >= 0)
    budgets = _list_of(float, lambda percent: 0 < percent <= 1000)
    graphs = _list_of(drawn_graphs.parse_name, bool)
    parser.add_argument("--seeds", type=seeds, default="1,2,3", metavar="LIST", help="default: 1,2,3")
    parser.add_argument("--graphs", type=_at_least_one, default=100, metavar="N", help="for each seed; default: 100")
    parser.add_argument("--only", type=graphs, metavar="FAMILY:SEED,…", help="these graphs, as the tables name them")
    percentages = "percent of the peak with everything kept; default: 30,35,40,50,60,75,90"
    parser.add_argument("--budgets", type=budgets, default="30,35,40,50,60,75,90", metavar="LIST", help=percentages)
    parser.add_argument("--strategies", metavar="LIST", help=f"default: {','.join(_STRATEGIES)}")
    parser.add_argument("--time-limit", type=_seconds, default="20s", metavar="DURATION", help="default: 20s a plan")
    parser.add_argument("--gap", metavar="PERCENT", help="passed to planners that search; default: their own")
    parser.add_argument("--jobs", type=_at_least_one, default=1, metavar="N", help="plans at the same time; default: 1")
    parser.add_argument("--check", action="store_true", help="exit 1 if a target is missed")
    parser.add_argument("--fresh", action="store_true", help="forget the rows in the JSON file")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep graphs and plans there")
    parser.add_argument("--json", metavar="FILE", default=str(ROOT / ".build" / "bench" / "generality.json"))
    options = parser.parse_args(arguments)
    if options.graphs >= _GRAPHS_PER_SEED:
        parser.error(f"at most {_GRAPHS_PER_SEED - 1} graphs for each seed; give more seeds")
    options.threads = max(1, min(_THREADS, (os.cpu_count() or 1) // options.jobs))
    return options


def main(arguments):
    options = parse_options(arguments)
    known = known_strategies()
    strategies = [name for name in _STRATEGIES if name in known]
    if options.strategies:
        strategies = list(dict.fromkeys(options.strategies.split(",")))
        if unknown := [name for name in strategies if name not in known]:
            sys.exit(f"str: there is no strategy {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    options.planner = planner_digest()
    all_rows = Rows(options.json, options.fresh)
    rows = make_rows(strategies, options, all_rows)
    print_tables(rows, strategies)
    missed = missed_targets(rows) if DEFAULT in strategies else []
    print()
    for line in missed:
        print(f"missed: {line}")
    all_rows.write(missed=missed)
    print(f"written: {options.json}")
    return 1 if errors(rows) or (options.check and missed) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
