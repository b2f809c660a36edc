"""Plans a graph by an integer program like POET's, which recomputes and pages; needs ortools.

The model (Patil et al., ICML 2022): as in Checkmate, each stage ends with the first run of one node, and each value is
in memory at the start of a stage or not. Besides, a value may be paged out in a stage, and in where it was paged out
before; each is complete within its stage. Least energy is looked for, here taken as proportional to time, of computing
and of copying alike; copies share no bandwidth and stop nobody, which the judge sees otherwise. Written anew, solved by
SCIP.

    ./str bench poet_paging graph.json --budget=15000000000 --json=-
"""

import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "runtime_examples"))
from moccasin_cp import read_graph, require_ortools, write_answer
from usage import Parser

# Of a cost in node-link JSON, as ./str takes it by default.
_UNIT_SECONDS = 1e-4
# Of the budget, for what the solver takes as equal.
_TOLERANCE = 1e-6


def read_rate(path):
    """Copied bytes per second as the graph says, None if it does not; and the seconds of a cost of 1 in read_graph."""
    data = json.loads(pathlib.Path(path).read_text())
    return data.get("pcie"), _UNIT_SECONDS if "links" in data else 1e-9


class Model:
    """Variables by (stage, position): `computed`, `held` at the start, `paged` at the start, `page_in`, `page_out`."""

    def __init__(self, solver, nodes, budget, page_costs, most_cost):
        self._solver = solver
        self._nodes = nodes
        self._size = len(nodes)
        # Shares of the budget.
        self._bytes = [node["bytes"] / budget for node in nodes]
        self._consumers = [[] for _ in nodes]
        for i, node in enumerate(nodes):
            for source in node["inputs"]:
                self._consumers[source].append(i)
        below = [(stage, i) for stage in range(self._size) for i in range(stage)]
        self.computed = {key: solver.BoolVar("") if nodes[key[1]]["may_recompute"] else 0 for key in below}
        self.computed |= {(stage, stage): 1 for stage in range(self._size)}
        self.held = {key: solver.BoolVar("") for key in below}
        self.page_in = {key: solver.BoolVar("") for key in below}
        self.page_out = {key: solver.BoolVar("") for key in below}
        # Whole where what they follow from is.
        self.paged = {key: solver.NumVar(0, 1, "") for key in below}
        for stage in range(self._size):
            self._follow(stage)
            self._fit(stage)
        total = sum(node["cost"] for node in nodes)
        again = [key for key in below if nodes[key[1]]["may_recompute"]]
        computing = [nodes[key[1]]["cost"] / total * self.computed[key] for key in again]
        paging = [page_costs[key[1]] / total * (self.page_in[key] + self.page_out[key]) for key in below]
        if most_cost is not None:
            solver.Add(solver.Sum(computing) <= most_cost / total - 1)
        solver.Minimize(solver.Sum(computing) + solver.Sum(paging))

    def _follow(self, stage):
        """What a stage computes, holds and pages follows from the one before."""
        for i in range(stage):
            self._solver.Add(self.page_in[stage, i] <= self.paged[stage, i])
            self._solver.Add(self.page_out[stage, i] <= self.held[stage, i])
        for i in range(stage + 1):
            if isinstance(self.computed[stage, i], int) and i < stage:
                continue
            for source in self._nodes[i]["inputs"]:
                self._solver.Add(self.computed[stage, source] + self.held[stage, source] >= self.computed[stage, i])
        if stage + 1 == self._size:
            return
        for i in range(stage):
            there = self.held[stage, i] + self.computed[stage, i] + self.page_in[stage, i]
            self._solver.Add(self.held[stage + 1, i] <= there)
            self._solver.Add(self.paged[stage + 1, i] <= self.paged[stage, i] + self.page_out[stage, i])
        # Nothing is paged out before it was there at the start of a stage.
        self._solver.Add(self.paged[stage + 1, stage] <= 0)

    def _fit(self, stage):
        """What is in use after each node of a stage fits."""
        before = self._solver.Sum([self._bytes[i] * self.held[stage, i] for i in range(stage)])
        for i in range(stage + 1):
            in_use = self._solver.NumVar(0, 1 - _TOLERANCE, "")
            self._solver.Add(in_use == before + self._bytes[i] * self.computed[stage, i])
            freed = [self._bytes[source] * self._freed(stage, source, i) for source in self._nodes[i]["inputs"]]
            before = in_use - self._solver.Sum(freed)

    def _freed(self, stage, source, taker):
        """Whether a value goes with its last taker in a stage: 1 only if it may."""
        freed = self._solver.NumVar(0, 1, "")
        self._solver.Add(freed <= self.computed[stage, taker])
        if stage + 1 < self._size:
            self._solver.Add(freed + self.held[stage + 1, source] <= 1)
        for later in self._consumers[source]:
            if taker < later <= stage:
                self._solver.Add(freed + self.computed[stage, later] <= 1)
        return freed

    def steps(self):
        """Of a solution, as (action, position); copies out start with their stage."""

        def chosen(variables, stage, i):
            value = variables[stage, i]
            return value == 1 if isinstance(value, int) else value.solution_value() > 0.5

        steps = []
        for stage in range(self._size):
            steps += [("swap_out", i) for i in range(stage) if chosen(self.page_out, stage, i)]
            for i in range(stage + 1):
                if chosen(self.computed, stage, i):
                    steps.append(("run" if i == stage else "rerun", i))
            steps += [("swap_in", i) for i in range(stage) if chosen(self.page_in, stage, i)]
        return with_waits(without_untaken(without_repeated_copies(steps), self._nodes), self._nodes)


def without_repeated_copies(steps):
    """A value is copied out once: the host keeps it."""
    out = set()
    kept = []
    for action, i in steps:
        if action == "swap_out":
            if i in out:
                continue
            out.add(i)
        kept.append((action, i))
    return kept


def without_untaken(steps, nodes):
    """Without reruns and copies that nobody takes."""
    kept = []
    # By position: whether a later step takes the instance that is there now, and whether one copies it in.
    taken, fetched = [False] * len(nodes), [False] * len(nodes)
    for action, i in reversed(steps):
        if action == "swap_out":
            if not fetched[i]:
                continue
            taken[i] = True
        elif action == "swap_in":
            if not taken[i]:
                continue
            taken[i], fetched[i] = False, True
        else:
            if action == "rerun" and not taken[i]:
                continue
            taken[i] = False
            for source in nodes[i]["inputs"]:
                taken[source] = True
        kept.append((action, i))
    return kept[::-1]


def with_waits(steps, nodes):
    """A copy out is waited for after the last step that takes the instance; without any, after the next node."""
    waits = {}
    for start, (action, i) in enumerate(steps):
        if action != "swap_out":
            continue
        last = None
        for at in range(start + 1, len(steps)):
            other, j = steps[at]
            if j == i and other in ("rerun", "swap_in"):
                break
            if last is None and other in ("run", "rerun"):
                last = at
            if other in ("run", "rerun") and i in nodes[j]["inputs"]:
                last = at
        waits.setdefault(start if last is None else last, []).append(("swap_out_wait", i))
    return [step for at, one in enumerate(steps) for step in [one, *waits.get(at, [])]]


def solve(nodes, budget, page_costs, options):
    """Status, the solver's name, and the steps if there is a plan."""
    from ortools.linear_solver import pywraplp

    solver = pywraplp.Solver.CreateSolver("SCIP")
    if solver is None:
        sys.exit("str: this ortools is built without SCIP: pip install -r requirements-optional.txt")
    name = solver.SolverVersion()
    if budget <= 0 or any(node["bytes"] > budget for node in nodes):
        return "infeasible", name, []
    most = None
    if options.runtime_budget is not None:
        most = sum(node["cost"] for node in nodes) * options.runtime_budget / 100
    solver.SetTimeLimit(round(options.time_limit * 1000))
    solver.SetSolverSpecificParametersAsString(f"randomization/randomseedshift = {options.seed}")
    model = Model(solver, nodes, budget, page_costs, most)
    status = solver.Solve()
    if status == pywraplp.Solver.INFEASIBLE:
        return "infeasible", name, []
    if status not in (pywraplp.Solver.OPTIMAL, pywraplp.Solver.FEASIBLE):
        return "limit", name, []
    return "optimal" if status == pywraplp.Solver.OPTIMAL else "feasible", name, model.steps()


def main(arguments):
    parser = Parser(__doc__, prog="str bench poet_paging")
    parser.add_argument("graph", help="plain or node-link JSON of a training step")
    parser.add_argument("--budget", type=int, required=True, help="bytes")
    parser.add_argument("--copy-rate", type=float, help="bytes per second (default: what the graph says)")
    parser.add_argument("--runtime-budget", type=float, metavar="PERCENT", help="most computing, of all nodes once")
    parser.add_argument("--time-limit", type=float, default=300, help="seconds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", metavar="FILE", default="-")
    options = parser.parse_args(arguments)
    require_ortools()
    nodes, always = read_graph(options.graph)
    rate, unit_seconds = read_rate(options.graph)
    rate = options.copy_rate or rate
    if not rate:
        sys.exit("str: the graph does not say how fast copies are; give --copy-rate=BYTES_PER_SECOND")
    page_costs = [max(1, round(node["bytes"] / rate / unit_seconds)) for node in nodes]
    start = time.monotonic()
    status, solver, steps = solve(nodes, options.budget - always, page_costs, options)
    seconds = time.monotonic() - start
    named = [{action: nodes[i]["name"] + (":0" if action.startswith("swap") else "")} for action, i in steps]
    write_answer(options.json, status, seconds, solver, named)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
