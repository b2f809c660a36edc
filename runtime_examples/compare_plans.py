"""Trains one model at one limit under three plans: only swapping, only recomputing, and both.

    ./str python runtime_examples/compare_plans.py --model=unet
    ./str python runtime_examples/compare_plans.py --model=mobilenet --budget-share=0.6 --json=plans.json
"""

import argparse
import math
import sys

import stages
from json_file import write_json

# How str plan calls them, and what they are here.
_PLANS = (("swap-only", "swap-heavy"), ("recompute-only", "recompute-heavy"), ("str", "mixed"))


def compare(shop, budget_share):
    """Returns one row per plan."""
    stages.progress(f"{shop.model}: capturing")
    graph, captured = shop.capture()
    stages.progress(f"{shop.model}: training without a limit")
    plain = shop.train_plainly()
    budget_bytes = math.floor(budget_share * stages.least_plain_peak(captured, plain))
    rows = []
    for strategy, label in _PLANS:
        stages.progress(f"{shop.model}: {label} plan for {stages.as_size(budget_bytes)}")
        plan = shop.plan(graph, budget_bytes, strategy)
        row = {"plan": label, "strategy": strategy, "status": plan["status"], "budget_bytes": budget_bytes}
        rows.append(row)
        if plan["status"] == "infeasible":
            row["min_budget_bytes"] = plan.get("min_budget_bytes")
            continue
        row["predicted_peak_bytes"] = plan["peak_bytes"]
        row["predicted_step_ratio"] = plan["step_seconds"] / plan["baseline_seconds"]
        row["swapped_bytes"] = plan["swapped_bytes"]
        row["swapped_tensors"], row["recomputed_nodes"] = stages.actions(plan["file"])
        trained = shop.train_with_plan(f"trained_{strategy}", plan["file"], budget_bytes)
        row["trained"] = trained["status"]
        row["measured_peak_bytes"] = trained["peak_bytes"]
        row["step_ratio"] = stages.step_ratio(trained, plain)
        row["equal"] = (
            trained["losses"] == plain["losses"] and trained["variables_sha256"] == plain["variables_sha256"]
        )
    return rows


def table(rows):
    header = ["plan", "predicted peak", "measured peak", "step predicted", "step measured"]
    header += ["swapped", "recomputed nodes", "bit-equal"]
    lines = []
    for row in rows:
        if row["status"] == "infeasible":
            smallest = f"infeasible; needs {stages.as_size(row['min_budget_bytes'])}"
            lines.append([row["plan"], smallest, "-", "-", "-", "-", "-", "-"])
            continue
        lines.append(
            [
                row["plan"],
                stages.as_size(row["predicted_peak_bytes"]),
                stages.as_size(row["measured_peak_bytes"]),
                stages.as_ratio(row["predicted_step_ratio"]),
                stages.as_ratio(row["step_ratio"]),
                f"{row['swapped_bytes'] / 1e6:.1f} MB",
                row["recomputed_nodes"],
                "yes" if row["equal"] else "NO",
            ]
        )
    return stages.format_table(header, lines)


def parse_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.strip(), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=sorted(stages.LIMIT_SHARE), default="unet")
    parser.add_argument("--loop", choices=("custom", "fit"), default="custom")
    parser.add_argument("--budget-share", type=float, help="of the model's own peak; default: the demo's")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--image", type=int)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", help="write the rows here")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse_options(arguments)
    directory = stages.ROOT / ".build" / "compare_plans" / f"{options.model}-{options.loop}"
    shop = stages.Workshop(directory, options.model, stages.training_options(options))
    try:
        rows = compare(shop, options.budget_share or stages.LIMIT_SHARE[options.model])
    except stages.StageFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    print(f"{options.model} at {stages.as_size(rows[0]['budget_bytes'])} ({rows[0]['budget_bytes']} bytes)")
    print(table(rows))
    if options.json:
        write_json(options.json, rows)
    return 0 if all(row["status"] == "infeasible" or row["equal"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
