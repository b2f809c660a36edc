"""Plans a model at full size for a device that is not here, without running it: no activation is ever allocated.

TensorFlow traces the training step and hands it to the plugin, which writes its graph with the work of each node, from
the shapes. The device description turns work into time. Options that are not listed below go to train.py.

    ./str python runtime_examples/plan_full_size.py --model=vgg16 --batch=300 --image=224 --budget=22000MB
    ./str python runtime_examples/plan_full_size.py --model=gpt --blocks=12 --tokens=1024 --budget=50% --device=a100

Exit code: that of `str plan`.
"""

import shutil
import subprocess
import sys

import stages
from usage import Parser


def parse_options(arguments):
    parser = Parser(__doc__, allow_abbrev=False)
    parser.add_argument("--model", required=True, help="as for train.py")
    parser.add_argument("--budget", required=True, help="SIZE or PERCENT, as for str plan")
    parser.add_argument("--device", default="rtx-3090-24gb", help="name or file; default: %(default)s")
    parser.add_argument("--strategy", default="str", help="as for str plan; default: %(default)s")
    parser.add_argument("--output", metavar="FILE", help="strategy to write; default: MODEL.conf")
    parser.add_argument("--graph", metavar="FILE", help="keep the captured graph here")
    options, options.training = parser.parse_known_args(arguments)
    options.output = options.output or f"{options.model}.conf"
    return options


def main(arguments):
    options = parse_options(arguments)
    shop = stages.Workshop(stages.ROOT / ".build" / "full_size" / options.model, options.model, options.training)
    stages.progress(f"{options.model}: tracing the training step")
    try:
        graph = shop.capture_only()
    except stages.StageFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    if options.graph:
        graph = shutil.move(graph, options.graph)
    command = [stages.LAUNCHER, "plan", graph, f"--budget={options.budget}", f"--device={options.device}"]
    command += [f"--strategy={options.strategy}", f"--output={options.output}"]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
