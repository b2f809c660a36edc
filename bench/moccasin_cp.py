"""Plans a graph by a constraint model like Moccasin's; needs ortools.

The model (Bartan et al., ICML 2023): each node has up to --copies retention intervals; the first starts in its own
stage, later ones where it is recomputed. Whoever takes a value lies within one of its intervals, all intervals together
never take more than the budget, and recomputing takes least. Written anew on CP-SAT, with one choice of interval per
taken value instead of reservoirs, and without the first phase that looks for any solution.

    ./str bench moccasin_cp graph.json --budget=15000000000 --json=-
"""

import json
import math
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "runtime_examples"))
from json_file import write_json
from usage import Parser


def read_graph(path):
    """Nodes in order as dicts of name, cost, bytes, inputs, may_recompute; and the bytes that are always there."""
    data = json.loads(pathlib.Path(path).read_text())
    if "links" in data:
        nodes = sorted(data["nodes"], key=lambda node: node["id"])
        position = {node["id"]: i for i, node in enumerate(nodes)}
        inputs = [[] for _ in nodes]
        for link in data["links"]:
            inputs[position[link["target"]]].append(position[link["source"]])
        return [
            {
                "name": node["name"],
                "cost": node["cost_cpu"],
                "bytes": node["cost_ram"],
                "inputs": sorted(set(inputs[i])),
                "may_recompute": not node["backward"],
            }
            for i, node in enumerate(nodes)
        ], 0
    return [
        {
            "name": node["name"],
            # Whole numbers, for the solver: nanoseconds.
            "cost": round(node["cost"] * 1e9),
            "bytes": node["bytes"],
            "inputs": sorted(set(node["deps"])),
            "may_recompute": not node["is_backward"],
        }
        for node in data["nodes"]
    ], data["const_bytes"]


def require_ortools():
    try:
        import ortools
    except ImportError:
        sys.exit("str: ortools is not installed: pip install -r requirements-optional.txt")
    return ortools


def write_answer(file, status, seconds, solver, steps):
    """What `planner` reads: steps as dicts of action and name."""
    answer = {"status": status, "planner_seconds": seconds, "solver": solver, "steps": steps}
    if file == "-":
        print(json.dumps(answer))
    else:
        write_json(file, answer)


def event(stage, position):
    """Events are numbered through: the nodes up to and including its own may be computed in a stage, in order."""
    return stage * (stage + 1) // 2 + position


class Model:
    def __init__(self, cp_model, nodes, budget, copies):
        self._nodes = nodes
        self.model = cp_model.CpModel()
        self._horizon = event(len(nodes), 0)
        unit = math.gcd(budget, *(node["bytes"] for node in nodes))
        # By node, a list of (start, end, present).
        self.copies = [
            self._node_copies(cp_model, i, copies if node["may_recompute"] else 1) for i, node in enumerate(nodes)
        ]
        intervals, demands = [], []
        for i, node in enumerate(nodes):
            for start, end, present in self.copies[i]:
                size = self.model.new_int_var(1, self._horizon, "")
                intervals.append(self.model.new_optional_interval_var(start, size, end + 1, present, ""))
                demands.append(node["bytes"] // unit)
            for input_node in node["inputs"]:
                for copy in self.copies[i]:
                    self._take(input_node, copy)
        self.model.add_cumulative(intervals, demands, budget // unit)
        cost_unit = math.gcd(*(node["cost"] for node in nodes)) or 1
        recomputing = [
            node["cost"] // cost_unit * present for i, node in enumerate(nodes) for _, _, present in self.copies[i][1:]
        ]
        self.model.minimize(sum(recomputing))

    def _node_copies(self, cp_model, i, count):
        copies = []
        for number in range(count):
            if number == 0:
                start, present = self.model.new_constant(event(i, i)), self.model.new_constant(1)
            else:
                stages = [event(stage, i) for stage in range(i + 1, len(self._nodes))]
                start = self.model.new_int_var_from_domain(cp_model.Domain.from_values(stages), f"start{i}.{number}")
                present = self.model.new_bool_var(f"present{i}.{number}")
            end = self.model.new_int_var(0, self._horizon - 1, f"end{i}.{number}")
            self.model.add(end >= start).only_enforce_if(present)
            if copies:
                self.model.add_implication(present, copies[-1][2])
                self.model.add(start > copies[-1][1]).only_enforce_if(present)
            copies.append((start, end, present))
            if i + 1 == len(self._nodes):
                break
        return copies

    def _take(self, source, copy):
        """Some interval of `source` holds it when `copy` starts."""
        start, _, present = copy
        chosen = []
        for source_start, source_end, source_present in self.copies[source]:
            choice = self.model.new_bool_var("")
            self.model.add_implication(choice, source_present)
            self.model.add(source_start < start).only_enforce_if(choice)
            self.model.add(source_end >= start).only_enforce_if(choice)
            chosen.append(choice)
        self.model.add_bool_or(chosen).only_enforce_if(present)


def solve(nodes, budget, copies, time_limit, threads, seed):
    """Status, and the steps as (name, again) if there is a plan."""
    from ortools.sat.python import cp_model

    if any(node["bytes"] > budget for node in nodes):
        return "infeasible", []
    model = Model(cp_model, nodes, budget, copies)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = time_limit
    solver.parameters.num_workers = threads
    solver.parameters.random_seed = seed
    status = solver.solve(model.model)
    if status == cp_model.INFEASIBLE:
        return "infeasible", []
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return "limit", []
    starts = []
    for i, node_copies in enumerate(model.copies):
        for number, (start, _, present) in enumerate(node_copies):
            if solver.value(present):
                starts.append((solver.value(start), i, number > 0))
    steps = [(nodes[i]["name"], again) for _, i, again in sorted(starts)]
    return "optimal" if status == cp_model.OPTIMAL else "feasible", steps


def main(arguments):
    parser = Parser(__doc__, prog="str bench moccasin_cp")
    parser.add_argument("graph", help="plain or node-link JSON of a training step")
    parser.add_argument("--budget", type=int, required=True, help="bytes")
    parser.add_argument("--copies", type=int, default=3, help="most times a node is computed (default 3; Moccasin: 2)")
    parser.add_argument("--time-limit", type=float, default=300, help="seconds")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", metavar="FILE", default="-")
    options = parser.parse_args(arguments)
    ortools = require_ortools()
    nodes, always = read_graph(options.graph)
    start = time.monotonic()
    status, steps = solve(
        nodes, options.budget - always, options.copies, options.time_limit, options.threads, options.seed
    )
    seconds = time.monotonic() - start
    named = [{"rerun" if again else "run": name} for name, again in steps]
    write_answer(options.json, status, seconds, f"CP-SAT {ortools.__version__}", named)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
