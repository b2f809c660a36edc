"""Capture, plan and train one of the examples: what the end-to-end tests do again and again."""

import dataclasses
import json
import pathlib

from conftest import ROOT, TRAIN, finish, start

# Small enough for a test, large enough that activations outweigh the weights: VGG16's own initialisation needs several
# times its largest weight, so that at smaller sizes a tight limit would end it before the first step.
SIZES = {
    "vgg16": ["--batch=32", "--image=96"],
    "unet": ["--batch=2", "--image=64"],
    "mobilenet": ["--batch=16", "--image=96"],
    "resnet50v2": ["--batch=2", "--image=64"],
}
STEPS = 3


@dataclasses.dataclass(frozen=True)
class Captured:
    """A model's graph, and its training without a limit: as it is, and while it was captured."""

    graph: pathlib.Path
    plain: dict
    while_captured: dict


class Workshop:
    """Runs commands in a folder of its own, with an empty home directory."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir(exist_ok=True)
        self._count = 0

    def train(self, *runs):
        """Each run is (model, loop, settings); all at the same time. Returns a Run each."""
        started = []
        for model, loop, settings in runs:
            self._count += 1
            result_file = self.folder / f"train{self._count}.json"
            arguments = [f"--model={model}", f"--loop={loop}", f"--steps={STEPS}", f"--json={result_file}"]
            command = [ROOT / "str", "python", TRAIN, *arguments, *settings.pop("arguments", SIZES[model])]
            started.append((start(command, self.home, settings), result_file))
        return [finish(process, result_file) for process, result_file in started]

    def command(self, *arguments):
        return finish(start([ROOT / "str", *arguments], self.home, {}))

    def capture(self, model, loop):
        folder = self.folder / f"captured-{model}-{loop}"
        captured, plain = self.train((model, loop, {"STR_CAPTURE": folder}), (model, loop, {}))
        assert captured.returncode == 0, captured.errors
        assert plain.returncode == 0, plain.errors
        index = json.loads((folder / "index.json").read_text())
        assert len(index) == 1, "only the training step is of training size"
        return Captured(folder / index[0]["file"], plain.results, captured.results)

    def smallest_budget(self, graph, strategy):
        """The least that any order of the nodes can do with."""
        verdict = self.folder / f"least-{strategy}.json"
        refused = self.command("plan", graph, "--budget=1B", f"--strategy={strategy}", f"--json={verdict}")
        assert refused.returncode == 2, refused.errors
        return json.loads(verdict.read_text())["min_budget_bytes"]

    def plan(self, graph, budget, name="strategy.conf", **options):
        """Returns (path of the strategy, the command's JSON)."""
        strategy = self.folder / name
        verdict = self.folder / f"{name}.json"
        extra = [f"--{key}={value}" for key, value in options.items()]
        planned = self.command("plan", graph, f"--budget={budget}", f"--output={strategy}", f"--json={verdict}", *extra)
        assert planned.returncode == 0, planned.errors
        return strategy, json.loads(verdict.read_text())
