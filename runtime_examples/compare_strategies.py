"""Trains one model at one limit with the plans of several strategies, and with TensorFlow's own ways to save memory.

Step times are against plain training, which has no limit and no memory optimizer (NO_MEM_OPT); in each round all train
in turn. TensorFlow's own ways take no budget: they train without a limit, and "fits" says whether that one would do.

    ./str python runtime_examples/compare_strategies.py --model=unet
    ./str python runtime_examples/compare_strategies.py --model=mobilenet --strategies=str,swap-only --rounds=3
    ./str python runtime_examples/compare_strategies.py --model=vgg16 --strategies=all --json=strategies.json
    ./str python runtime_examples/compare_strategies.py --model=linear_chain --layers=6 --strategies=all --no-tensorflow

Exit code: 0 every plan that was trained gave the bits of plain training; 1 not.
"""

import math
import sys

import interleaved
import stages
from json_file import write_json
from tensorflow_memory import MEMORY_OPTIMIZERS
from usage import Parser

_PLAIN_MODE = "NO_MEM_OPT"
_DEFAULT_SHARE = 0.6
_DEFAULT_STRATEGIES = "str,swap-only,recompute-only,str-approx,chen-sqrt,chen-greedy,kusumoto-approx,dtr"


def tensorflow_rows(loop):
    """TensorFlow's own, with what train.py is told for each."""
    modes = [mode for mode in MEMORY_OPTIMIZERS if mode != _PLAIN_MODE]
    rows = [{"name": f"grappler {mode}", "arguments": [f"--memory-optimizer={mode}"]} for mode in modes]
    if loop == "custom":
        rows.insert(0, {"name": "tf.recompute_grad", "arguments": ["--recompute-grad"]})
    return rows


def plan_row(shop, graph, budget_bytes, strategy, options):
    """The strategy's plan as a row; "status" says why there is none."""
    stages.progress(f"{shop.model}: planning with {strategy} for {stages.as_size(budget_bytes)}")
    row = {"name": strategy}
    try:
        plan = shop.plan(graph, budget_bytes, strategy, options)
    except stages.StageFailed as failure:
        return {**row, "status": "refused", "message": str(failure)}
    row["status"] = plan["status"]
    if plan["status"] in stages.NO_PLAN:
        return {**row, "min_budget_bytes": plan.get("min_budget_bytes"), "message": plan["message"]}
    row["file"] = str(plan["file"])
    row["plan_seconds"] = plan["plan_seconds"]
    row["predicted_peak_bytes"] = plan["peak_bytes"]
    row["predicted_step_seconds"] = plan["step_seconds"]
    row["predicted_step_ratio"] = plan["step_seconds"] / plan["baseline_seconds"]
    row["swapped_bytes"] = plan["swapped_bytes"]
    row["swapped_tensors"], row["recomputed_nodes"] = stages.actions(plan["file"])
    return row


def compare(shop, options):
    """Returns what is written to JSON; "rows" has one entry for each strategy and each of TensorFlow's own ways."""
    stages.progress(f"{shop.model}: capturing")
    graph, captured = shop.capture()
    budget_bytes = options.budget_bytes or math.floor(options.budget_share * captured["peak_bytes"])
    runs = {f"plain, {_PLAIN_MODE}": lambda: shop.train_plainly(arguments=[f"--memory-optimizer={_PLAIN_MODE}"])}
    rows = [plan_row(shop, graph, budget_bytes, strategy, options.planning) for strategy in options.strategies]
    for row in rows:
        if "file" in row:
            runs[row["name"]] = lambda row=row: shop.train_with_plan(
                f"trained_{row['name']}", row["file"], budget_bytes
            )
    for row in tensorflow_rows(options.loop) if options.tensorflow else []:
        arguments = row.pop("arguments")
        rows.append({**row, "status": "no plan"})
        name = f"trained_{row['name'].replace(' ', '_')}"
        runs[row["name"]] = lambda name=name, arguments=arguments: shop.train_plainly(name, arguments)

    results = interleaved.run_interleaved(runs, options.rounds)
    plain = next(iter(results.values()))
    for row in rows:
        trained = results.get(row["name"])
        if trained is None:
            continue
        row["trained"] = "oom" if any(one["status"] == "oom" for one in trained) else "ok"
        row["measured_peak_bytes"] = interleaved.peak_bytes(trained)
        row["fits"] = row["measured_peak_bytes"] is not None and row["measured_peak_bytes"] <= budget_bytes
        row["step_ratio"] = interleaved.step_ratio(trained, plain)
        row["equal"] = interleaved.equal(trained, plain)
    return {
        "model": shop.model,
        "loop": options.loop,
        "plain_memory_optimizer": _PLAIN_MODE,
        "plain_peak_bytes": interleaved.peak_bytes(plain),
        "budget_bytes": budget_bytes,
        "rounds": options.rounds,
        "rows": rows,
    }


def _cells(row):
    """One row of the table."""
    if "trained" not in row:
        why = row["status"]
        if row.get("min_budget_bytes"):
            why = f"{why}; needs {stages.as_size(row['min_budget_bytes'])}"
        return [row["name"], why, *["-"] * 7]
    planned = "predicted_peak_bytes" in row
    return [
        row["name"],
        stages.as_size(row["predicted_peak_bytes"]) if planned else "-",
        stages.as_size(row["measured_peak_bytes"]),
        "yes" if row["fits"] else "no",
        stages.as_ratio(row["predicted_step_ratio"]) if planned else "-",
        stages.as_ratio(row["step_ratio"]) if row["trained"] == "ok" else "out of memory",
        f"{row['swapped_bytes'] / 1e6:.1f} MB" if planned else "-",
        row["recomputed_nodes"] if planned else "-",
        "yes" if row["equal"] else "NO",
    ]


def table(rows):
    header = ["strategy", "predicted peak", "measured peak", "fits", "step predicted", "step measured"]
    return stages.format_table([*header, "swapped", "recomputed nodes", "bit-equal"], [_cells(row) for row in rows])


def reason(message):
    """The line of str plan's words that says why, not its progress before nor the details after."""
    lines = message.splitlines()
    return next((line for line in lines if line.startswith("STR-")), lines[-1] if lines else "no reason given")


def parse_options(arguments):
    parser = Parser(__doc__)
    parser.add_argument("--model", default="unet", help="as for train.py; default: %(default)s")
    parser.add_argument("--loop", choices=("custom", "fit"), default="custom")
    parser.add_argument("--budget-share", type=float, help="of the model's own peak; default: the demo's, else 0.6")
    parser.add_argument("--budget-bytes", type=int, help="instead: the peak depends on the order that TensorFlow runs")
    parser.add_argument(
        "--strategies",
        default=_DEFAULT_STRATEGIES,
        help="comma-separated, or all that str strategies lists; default: %(default)s",
    )
    parser.add_argument("--time-limit", default="60s", help="for each plan; default: %(default)s")
    parser.add_argument("--no-tensorflow", dest="tensorflow", action="store_false", help="leave TensorFlow's own away")
    parser.add_argument("--rounds", type=int, default=1, help="how often each trains; default: %(default)s")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--image")
    parser.add_argument("--blocks", "--layers", type=int, help="of models of equal parts, how many")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", help="write the rows here")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    options.strategies = stages.strategies() if options.strategies == "all" else options.strategies.split(",")
    options.budget_share = options.budget_share or stages.LIMIT_SHARE.get(options.model, _DEFAULT_SHARE)
    options.planning = [f"--time-limit={options.time_limit}"]
    return options


def main(arguments):
    options = parse_options(arguments)
    directory = stages.ROOT / ".build" / "compare_strategies" / f"{options.model}-{options.loop}"
    blocks = [f"--blocks={options.blocks}"] if options.blocks else []
    shop = stages.Workshop(directory, options.model, [*stages.training_options(options), *blocks])
    try:
        results = compare(shop, options)
    except stages.StageFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    budget = results["budget_bytes"]
    print(f"{options.model} at {stages.as_size(budget)} ({budget} bytes); plain training is with {_PLAIN_MODE}")
    print(table(results["rows"]))
    for row in results["rows"]:
        if "message" in row:
            print(f"{row['name']}: {reason(row['message'])}", file=sys.stderr)
    if options.json:
        write_json(options.json, results)
    planned = [row for row in results["rows"] if "file" in row]
    if not planned:
        print("no strategy has a plan for this budget: nothing was trained", file=sys.stderr)
    return 0 if planned and all(row["trained"] == "ok" and row["equal"] for row in planned) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
