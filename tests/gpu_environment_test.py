"""GPU tests where TensorFlow for GPUs is missing: a failure, unless they were left out on purpose."""

import os
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

GPU_TEST = """from emulated_gpu import MARKS

pytestmark = MARKS


def test_nothing():
    pass
"""


@pytest.mark.parametrize(
    "there, skipped, outcome", [(False, "", "1 error"), (False, "1", "1 skipped"), (True, "", "1 passed")]
)
def test_what_cannot_run_does_not_pass(tmp_path, there, skipped, outcome):
    tests = tmp_path / "tests"
    tests.mkdir()
    for name in ("conftest.py", "emulated_gpu.py"):
        shutil.copy(ROOT / "tests" / name, tests)
    (tests / "gpu_nothing_test.py").write_text(GPU_TEST)
    if there:
        python = tmp_path / ".venv-gpu" / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.touch()
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests / "gpu_nothing_test.py"],
        env={**os.environ, "STR_SKIP_GPU_TESTS": skipped},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome in process.stdout, process.stdout
    assert ("there is no .venv-gpu" in process.stdout) == (outcome == "1 error")
