"""Every command in README.md works, in the order in which a reader would type them."""

import re
import subprocess

from conftest import ROOT, environment

# Commands that a reader runs but this test does not: they are what runs it, or take minutes.
NOT_RUN_HERE = {"./str demo", "./str test"}
# full_size_test.py runs these.
FULL_SIZE = "./str python runtime_examples/plan_full_size.py"


def commands():
    blocks = re.findall(r"^```bash\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_what_is_not_run_here_is_in_the_readme():
    assert NOT_RUN_HERE <= set(commands())


def test_commands_of_the_readme(tmp_path, home):
    for name in ("str", "runtime_examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    script = "set -euxo pipefail\n" + "\n".join(
        line for line in commands() if line not in NOT_RUN_HERE and not line.startswith(FULL_SIZE)
    )
    process = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment(home, {}), capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert "STR-3001 applied:" in process.stderr
    assert untracked(tmp_path) == {".gitignore", "str", "runtime_examples"}, "what readers write is ignored by git"


def untracked(folder):
    (folder / ".gitignore").write_text((ROOT / ".gitignore").read_text())
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    command = ["git", "status", "--porcelain", "--untracked-files=normal"]
    listed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return {line.removeprefix("?? ").rstrip("/") for line in listed.stdout.splitlines()} - {"home"}
