"""What the tests on the emulated GPU have in common."""

import os

import pytest

from conftest import ROOT, finish, start

SKIP_IF_ASKED = pytest.mark.skipif(bool(os.environ.get("STR_SKIP_GPU_TESTS")), reason="STR_SKIP_GPU_TESTS is set")
# Of a module: pytestmark = MARKS.
MARKS = [SKIP_IF_ASKED, pytest.mark.usefixtures("gpu_environment")]
# What the emulated GPU must not have reported.
PROBLEMS = ("races", "unwritten", "after_free", "bad_pointers", "kernels_not_run")
# Late operations, and polls that hear of their end later: a missing order then shows in results too.
DELAYS = {"FAKE_GPU_DELAY_US": "300", "FAKE_GPU_NOTICE_US": "3000"}

# Streams that wait for each other wait for ever.
TIMEOUT_SECONDS = 3600


class GpuRunner:
    """Runs scripts on the emulated GPU, in a folder of their own. Each takes --json=FILE and writes its results there,
    with the emulated GPU's counts as "counts"."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir(exist_ok=True)
        self._count = 0

    def run(self, script, *arguments, memory="512MiB", **settings):
        """Returns a Run."""
        self._count += 1
        result = self.folder / f"result{self._count}.json"
        command = [ROOT / "str", "python", f"--emulated-gpu={memory}", script, *arguments, f"--json={result}"]
        return finish(start(command, self.home, {"TF_ENABLE_ONEDNN_OPTS": "0", **settings}), result, TIMEOUT_SECONDS)

    def command(self, *arguments):
        return finish(start([ROOT / "str", *arguments], self.home, {}))


def check_no_problem(run):
    """The script ended well, and nothing was reported."""
    assert run.returncode == 0, run.errors[-3000:]
    problems = {name: run.results["counts"][name] for name in PROBLEMS}
    assert problems == dict.fromkeys(PROBLEMS, 0), run.errors[-3000:]
