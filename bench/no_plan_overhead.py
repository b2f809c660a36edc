"""Step time with the plugin installed and no strategy file, against plain TensorFlow.

The same training script runs in turn under plain Python and under ./str python. A pair of neighbouring runs gives one
ratio of median step times; the result is the median over the pairs, with their quartiles as the noise.

    ./str bench no_plan_overhead
    ./str bench no_plan_overhead --model=unet --pairs=9 --at-most=1.02
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "runtime_examples"))
from json_file import write_json
from usage import Parser

_TRAIN = ROOT / "runtime_examples" / "train.py"
# Tracing and the allocator's first growth fall into these.
_WARM_UP_STEPS = 2
_PROGRAMS = {"plain": [ROOT / ".venv" / "bin" / "python"], "plugin": [ROOT / "str", "python"]}


def step_seconds(program, options, home):
    """Median step time of one run. Its home is empty, so no strategy file can be found there."""
    result_file = pathlib.Path(home) / "result.json"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STR_")}
    environment |= {"HOME": home, "STR_LAUNCHER_READY": "1", "TF_CPP_MIN_LOG_LEVEL": "2"}
    process = subprocess.run(
        [
            *_PROGRAMS[program],
            _TRAIN,
            f"--model={options.model}",
            f"--loop={options.loop}",
            f"--steps={options.steps + _WARM_UP_STEPS}",
            f"--json={result_file}",
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        sys.exit(f"training under {program} failed with exit code {process.returncode}:\n{process.stderr[-2000:]}")
    results = json.loads(result_file.read_text())
    return statistics.median(results["step_seconds"][_WARM_UP_STEPS:]), results["variables_sha256"]


def measure(options):
    """Runs all pairs, each in the other order than the one before; returns the results."""
    pairs = []
    digests = set()
    with tempfile.TemporaryDirectory() as home:
        for i in range(options.pairs):
            pair = {}
            for program in ("plain", "plugin") if i % 2 == 0 else ("plugin", "plain"):
                pair[program], digest = step_seconds(program, options, home)
                digests.add(digest)
            pair["ratio"] = pair["plugin"] / pair["plain"]
            pairs.append(pair)
            print(f"str: pair {i + 1} of {options.pairs}: {pair['ratio']:.3f}", file=sys.stderr, flush=True)
    ratios = [pair["ratio"] for pair in pairs]
    low, median, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    return {
        "benchmark": "no_plan_overhead",
        "model": options.model,
        "loop": options.loop,
        "steps": options.steps,
        "pairs": pairs,
        "ratio": median,
        "ratio_quartiles": [low, high],
        "variables_equal": len(digests) == 1,
    }


def print_table(results):
    print("pair  plain ms  plugin ms  ratio")
    for i, pair in enumerate(results["pairs"]):
        print(f"{i + 1:>4}  {pair['plain'] * 1e3:>8.1f}  {pair['plugin'] * 1e3:>9.1f}  {pair['ratio']:.3f}")
    low, high = results["ratio_quartiles"]
    print(f"median ratio {results['ratio']:.3f}, quartiles {low:.3f} to {high:.3f}")
    print(f"variables equal after training: {'yes' if results['variables_equal'] else 'NO'}")


def parse_options(arguments):
    parser = Parser(__doc__, prog="str bench no_plan_overhead")
    parser.add_argument("--model", default="mobilenet")
    parser.add_argument("--loop", choices=("custom", "fit"), default="custom")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--steps", type=int, default=12, help="measured steps a run")
    parser.add_argument("--at-most", type=float, help="exit 1 if the median ratio is above this")
    parser.add_argument("--json", metavar="FILE", default=str(ROOT / ".build" / "bench" / "no_plan_overhead.json"))
    return parser.parse_args(arguments)


def main(arguments):
    options = parse_options(arguments)
    results = measure(options)
    print_table(results)
    pathlib.Path(options.json).parent.mkdir(parents=True, exist_ok=True)
    write_json(options.json, results)
    print(f"written: {options.json}")
    too_slow = options.at_most is not None and results["ratio"] > options.at_most
    return 1 if too_slow or not results["variables_equal"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
