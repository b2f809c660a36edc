"""./str demo: models that do not fit a memory limit train within it, bit-equal.

For each model: capture its graph, train it plainly, see it run out of memory at a limit below its own peak, plan for
that limit, train with the plan. Prints one table; writes str-demo.json and str-report.html into the current directory.
Exit code: 0 everything as promised; 1 not, and the last lines say what.

    ./str demo
    ./str demo --models=mobilenet --loop=fit
"""

import math
import sys

import stages
from json_file import write_json
from report import write_report
from usage import Parser

_MODELS = tuple(stages.LIMIT_SHARE)

# The measured peak may differ from the predicted one by this share plus this many bytes.
_PEAK_SHARE = 0.01
_PEAK_BYTES = 2**20


def broken_promises(row, with_plan, limit_bytes):
    """What in this row is not as STR promises it."""
    broken = []
    if row["plain_at_limit"] != "oom":
        broken.append("plain training did not run out of memory at the limit")
    if row["with_plan"] != "ok":
        broken.append("training with the plan ran out of memory")
        return broken
    if stages.applied_line(with_plan) is None:
        broken.append("the plugin did not say that it applied the plan")
    if not row["losses_equal"]:
        broken.append("the losses differ from plain training")
    if not row["weights_equal"]:
        broken.append("the variables after training differ from plain training")
    predicted, measured = row["predicted_peak_bytes"], row["measured_peak_bytes"]
    if measured is None:
        broken.append("no peak was measured")
    else:
        if abs(measured - predicted) > _PEAK_SHARE * predicted + _PEAK_BYTES:
            broken.append(f"measured peak {measured} bytes, predicted {predicted}")
        if measured > limit_bytes:
            broken.append(f"measured peak {measured} bytes, limit {limit_bytes}")
    return broken


def run_model(shop):
    """Returns the model's row of str-demo.json, its trace, and the broken promises."""
    model = shop.model
    stages.progress(f"{model}: capturing the graph that TensorFlow runs")
    graph, captured = shop.capture()
    stages.progress(f"{model}: training without a limit")
    plain = shop.train_plainly()
    plain_peak_bytes = stages.least_plain_peak(captured, plain)
    limit_bytes = math.floor(stages.LIMIT_SHARE[model] * plain_peak_bytes)
    row = {
        "model": model,
        "loop": plain["loop"],
        "batch": plain["batch"],
        "image": plain["image"],
        "steps": plain["steps"],
        "plain_peak_bytes": plain_peak_bytes,
        "limit_bytes": limit_bytes,
    }
    stages.progress(f"{model}: training at {stages.as_size(limit_bytes)} without a plan")
    row["plain_at_limit"] = shop.train_at_limit(limit_bytes)["status"]
    stages.progress(f"{model}: planning for {stages.as_size(limit_bytes)}")
    plan = shop.plan(graph, limit_bytes)
    if plan["status"] in stages.NO_PLAN:
        raise stages.StageFailed(f"{model}: no plan for {limit_bytes} bytes:\n{plan['message']}")
    row["predicted_peak_bytes"] = plan["peak_bytes"]
    row["predicted_step_ratio"] = plan["step_seconds"] / plan["baseline_seconds"]
    row["plan_seconds"] = plan["plan_seconds"]
    row["swapped_tensors"], row["recomputed_nodes"] = stages.actions(plan["file"])
    stages.progress(f"{model}: training at {stages.as_size(limit_bytes)} with the plan")
    with_plan = shop.train_with_plan("with_plan", plan["file"], limit_bytes)
    row["with_plan"] = with_plan["status"]
    row["measured_peak_bytes"] = with_plan["peak_bytes"]
    row["losses_equal"] = with_plan["losses"] == plain["losses"]
    row["weights_equal"] = with_plan["variables_sha256"] == plain["variables_sha256"]
    row["step_ratio"] = stages.step_ratio(with_plan, plain)
    return row, shop.simulate(graph, plan["file"]), broken_promises(row, with_plan, limit_bytes)


def table(rows):
    header = ["model", "batch", "plain peak", "limit", "plain", "planned", "predicted peak", "measured peak"]
    header += ["equal", "step predicted", "step measured", "swapped", "recomputed"]
    return stages.format_table(
        header,
        [
            [
                row["model"],
                row["batch"],
                stages.as_size(row["plain_peak_bytes"]),
                stages.as_size(row["limit_bytes"]),
                row["plain_at_limit"],
                row["with_plan"],
                stages.as_size(row["predicted_peak_bytes"]),
                stages.as_size(row["measured_peak_bytes"]),
                "yes" if row["losses_equal"] and row["weights_equal"] else "NO",
                stages.as_ratio(row["predicted_step_ratio"]),
                stages.as_ratio(row["step_ratio"]),
                row["swapped_tensors"],
                row["recomputed_nodes"],
            ]
            for row in rows
        ],
    )


def parse_options(arguments):
    parser = Parser(__doc__, prog="str demo")
    parser.add_argument("--models", default=",".join(_MODELS), help="comma-separated; default: %(default)s")
    parser.add_argument("--loop", choices=("custom", "fit"), default="custom")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--batch", type=int, help="default: each model's own")
    parser.add_argument("--image", type=int, help="side in pixels; default: each model's own")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    options.models = options.models.split(",")
    for model in options.models:
        if model not in _MODELS:
            parser.error(f"no model '{model}'; there are {', '.join(_MODELS)}")
    return options


def main(arguments):
    options = parse_options(arguments)
    rows, traces, broken = [], {}, []
    for model in options.models:
        directory = stages.ROOT / ".build" / "demo" / f"{model}-{options.loop}"
        shop = stages.Workshop(directory, model, stages.training_options(options))
        try:
            row, traces[model], promises = run_model(shop)
        except stages.StageFailed as failure:
            broken.append(str(failure))
            continue
        rows.append(row)
        broken += [f"{model}: {promise}" for promise in promises]
    if rows:
        print(table(rows))
        write_json("str-demo.json", rows)
        write_report("str-report.html", rows, traces)
        print("\nWritten: str-demo.json, str-report.html")
    for promise in broken:
        print(f"NOT AS PROMISED: {promise}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
