"""Peak and step time with a plan: predicted against measured.

Each example is trained plainly, with a plan that keeps everything, and with plans for several budgets, all at once and
in turns step by step. A plan's step time counts as a ratio to the one with everything kept, measured (the median over
the turns) and predicted alike: how fast the machine was when the graph was captured drops out, and so does what a plan
changes for all of them (one op at a time, in a fixed order, in memory that is allocated once).

    ./str bench step_time
    ./str bench step_time --models=unet --shares=0.6,0.75 --steps=20
"""

import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "runtime_examples"))
import interleaved
import stages
from json_file import write_json
from usage import Parser

# Shares of the model's own peak.
_SHARES = {"vgg16": (0.75, 0.85, 0.95), "unet": (0.6, 0.75, 0.9), "mobilenet": (0.45, 0.6, 0.8)}
# For the plan that keeps everything: placed buffers may need more than the peak.
_SHARE_WITH_EVERYTHING = 1.2
# What is aimed at: the peak within this share and so many bytes, the step time within this share.
_PEAK_SHARE = 0.01
_PEAK_BYTES = 2**20
_TIME_SHARE = 0.1


def planned(shop, graph, plain_peak_bytes, share, strategy="str"):
    """A row with the plan's predictions; no "file" in it if there is no plan."""
    budget_bytes = math.floor(share * plain_peak_bytes)
    stages.progress(f"{shop.model}: planning for {stages.as_size(budget_bytes)}")
    row = {"model": shop.model, "share": share, "budget_bytes": budget_bytes}
    plan = shop.plan(graph, budget_bytes, strategy)
    row["status"] = plan["status"]
    if plan["status"] in stages.NO_PLAN:
        return row
    # The next plan would overwrite it.
    file = plan["file"].rename(plan["file"].with_name(f"{strategy}-{share}.conf"))
    return {
        **row,
        "file": str(file),
        "predicted_peak_bytes": plan["peak_bytes"],
        "predicted_step_ratio": plan["step_seconds"] / plan["baseline_seconds"],
    }


def measure(shop, shares):
    """Returns a row for each share, with predictions and measurements."""
    stages.progress(f"{shop.model}: capturing")
    graph, captured = shop.capture()
    rows = [planned(shop, graph, captured["peak_bytes"], share) for share in shares]
    kept = planned(shop, graph, captured["peak_bytes"], _SHARE_WITH_EVERYTHING, "keep-all")
    if "file" not in kept:
        raise stages.StageFailed(f"{shop.model}: no plan with everything kept")

    def with_plan(row):
        return lambda arguments: shop.train_with_plan(
            f"trained-{row['share']}", row["file"], row["budget_bytes"], arguments
        )

    runs = {"plain": lambda arguments: shop.train_plainly(arguments=arguments), "kept": with_plan(kept)}
    runs |= {row["share"]: with_plan(row) for row in rows if "file" in row}
    stages.progress(f"{shop.model}: training in turns, {len(runs)} times")
    results = interleaved.run_in_turns(runs)
    for row in rows:
        if "file" in row:
            judge(row, results[row["share"]], results["kept"], results["plain"])
    return rows


def judge(row, trained, kept, plain):
    """Adds the measurements, and whether they are as close to the predictions as is aimed at."""
    row["trained"] = trained["status"]
    row["equal"] = interleaved.equal([trained, kept], [plain])
    row["measured_peak_bytes"] = peak = trained["peak_bytes"]
    row["step_ratio"] = interleaved.turn_ratio(trained, kept)
    row["step_ratio_to_plain"] = interleaved.turn_ratio(trained, plain)
    predicted = row["predicted_peak_bytes"]
    row["peak_close"] = peak is not None and abs(peak - predicted) <= _PEAK_SHARE * predicted + _PEAK_BYTES
    row["measured_over_predicted"] = None
    if row["step_ratio"] is not None:
        row["measured_over_predicted"] = row["step_ratio"] / row["predicted_step_ratio"]
    row["time_close"] = (
        row["measured_over_predicted"] is not None and abs(row["measured_over_predicted"] - 1) <= _TIME_SHARE
    )


def table(rows):
    header = ["model", "budget", "predicted peak", "measured peak", "close"]
    header += ["step predicted", "step measured", "measured / predicted", "close", "against plain", "bit-equal"]
    lines = []
    for row in rows:
        start = [row["model"], f"{row['share']:.0%}"]
        if "trained" not in row:
            lines.append([*start, row["status"], *["-"] * 8])
            continue
        lines.append(
            [
                *start,
                stages.as_size(row["predicted_peak_bytes"]),
                stages.as_size(row["measured_peak_bytes"]),
                "yes" if row["peak_close"] else "NO",
                stages.as_ratio(row["predicted_step_ratio"]),
                stages.as_ratio(row["step_ratio"]),
                stages.as_ratio(row["measured_over_predicted"]),
                "yes" if row["time_close"] else "no",
                stages.as_ratio(row["step_ratio_to_plain"]),
                "yes" if row["equal"] else "NO",
            ]
        )
    return stages.format_table(header, lines)


def parse_options(arguments):
    parser = Parser(__doc__, prog="str bench step_time")
    parser.add_argument("--models", default=",".join(_SHARES), help="comma-separated; default: %(default)s")
    parser.add_argument("--shares", help="of the model's own peak, comma-separated; default: each model's own three")
    parser.add_argument("--steps", type=int, default=12, help="of each training; the first does not count")
    parser.add_argument("--loop", choices=("custom", "fit"), default="custom")
    parser.add_argument("--batch", type=int, help="default: each model's own")
    parser.add_argument("--image", help="default: each model's own")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", default=str(ROOT / ".build" / "bench" / "step_time.json"))
    options = parser.parse_args(arguments)
    options.models = options.models.split(",")
    if options.shares is None and (unknown := set(options.models) - set(_SHARES)):
        parser.error(f"--shares must be given for {', '.join(sorted(unknown))}")
    if options.steps < 2:
        parser.error("it takes at least two steps")
    return options


def main(arguments):
    options = parse_options(arguments)
    rows = []
    for model in options.models:
        shares = [float(share) for share in options.shares.split(",")] if options.shares else _SHARES[model]
        shop = stages.Workshop(ROOT / ".build" / "step_time" / model, model, stages.training_options(options))
        try:
            rows += measure(shop, shares)
        except stages.StageFailed as failure:
            print(failure, file=sys.stderr)
            return 1
    print(table(rows))
    pathlib.Path(options.json).parent.mkdir(parents=True, exist_ok=True)
    write_json(options.json, {"benchmark": "step_time", "steps": options.steps, "rows": rows})
    print(f"written: {options.json}")
    # Times are the machine's affair, bits and bytes are ours.
    return 0 if all(row.get("trained") == "ok" and row["equal"] and row["peak_close"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
