"""The model zoo as captured graphs: the graph of a training step, written without running it.

Options that are not listed go to train.py (--batch, --image, --classes, ...). With `all`, FILE is a folder that gets a
NAME.graph for each model.

    ./str python runtime_examples/zoo.py list
    ./str python runtime_examples/zoo.py capture resnet50 --batch=256 --image=224 --output=resnet50.graph
    ./str python runtime_examples/zoo.py capture all --smallest --output=graphs

Exit code: 0 all captured; 1 not, and the last lines say which and why.
"""

import argparse
import pathlib
import shutil
import sys

import stages
from models import EXAMPLES, list_of_examples

_SMALL_BATCH = 2


def smallest_options(example):
    """What train.py is told for the smallest training step of a model."""
    size = "x".join(map(str, example.smallest_shape()))
    options = [f"--batch={_SMALL_BATCH}", f"--image={size}" if example.vocabulary is None else "--tokens=8"]
    return [*options, "--blocks=2"] if example.blocks else options


def capture(name, options, output):
    """Writes the graph of the model's training step to `output`."""
    training = [*(smallest_options(EXAMPLES[name]) if options.smallest else []), *options.training]
    shop = stages.Workshop(stages.ROOT / ".build" / "zoo" / name, name, training)
    stages.progress(f"{name}: tracing the training step")
    shutil.move(shop.capture_only(), output)
    print(f"{name}: {output}")


def outputs(options):
    """Returns the file that each model's graph goes to."""
    if options.name != "all":
        return {options.name: options.output or f"{options.name}.graph"}
    folder = pathlib.Path(options.output or "graphs")
    folder.mkdir(parents=True, exist_ok=True)
    return {name: folder / f"{name}.graph" for name in EXAMPLES}


def parse_options(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__.strip(), formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="print the models' names and sizes")
    capturing = commands.add_parser("capture", allow_abbrev=False, help="write a model's graph")
    capturing.add_argument("name", choices=["all", *sorted(EXAMPLES)], metavar="NAME", help="of a model, or all")
    capturing.add_argument("--smallest", action="store_true", help="at the smallest size that the model takes")
    capturing.add_argument("--output", metavar="FILE", help="default: NAME.graph, or the folder graphs for all")
    options, training = parser.parse_known_args(arguments)
    if options.command == "list" and training:
        parser.error(f"list takes no {training[0]}")
    options.training = training
    return options


def main(arguments):
    options = parse_options(arguments)
    if options.command == "list":
        print(list_of_examples())
        return 0
    failures = []
    for name, output in outputs(options).items():
        try:
            capture(name, options, output)
        except stages.StageFailed as failure:
            failures.append(failure)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
