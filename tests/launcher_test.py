"""The launcher ./str: what it sets up, when, and what it says.

Most tests run a copy of the launcher in a tree of its own, where every tool it calls is a stand-in that notes the call.
"""

import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Prints its arguments, one of several words in quotes.
WORDS = """words() {
  for word in "$@"; do case "$word" in *" "*) printf " '%s'" "$word" ;; *) printf " %s" "$word" ;; esac; done
}
"""

BINARY = f"""#!/bin/bash
{WORDS}
echo "binary$(words "$@") oneDNN=$TF_ENABLE_ONEDNN_OPTS config=$STR_CONFIG_DIR"
"""

BAZEL = f"""#!/bin/bash
echo "bazel $* headers=${{STR_CUDA_HEADERS-}}" >> "$CALLS"
[[ -z "${{BAZEL_FAILS:-}}" ]] || {{ echo "the compiler said no" >&2; exit 1; }}
for option in "$@"; do [[ $option == --symlink_prefix=* ]] && prefix="${{option#*=}}"; done
mkdir -p "${{prefix}}bin/optimizer/tools" "${{prefix}}bin/tf_plugin"
cat > "${{prefix}}bin/optimizer/tools/str" <<'END'
{BINARY}END
touch "${{prefix}}"bin/tf_plugin/libstr_{{tf,cpu,gpu}}.so
mkdir -p "${{prefix}}bin/tests/fake_gpu/host_kernels"
touch "${{prefix}}bin/tests/fake_gpu/libfake_gpu.so" "${{prefix}}bin/tests/fake_gpu/host_kernels/libfake_gpu_kernels.so"
"""

HEADERS = "lib/python3.11/site-packages/tensorflow/include/third_party/gpus/cuda/include"

# As python3 it makes environments; as .venv/bin/python it installs into them and runs scripts.
PYTHON = f"""#!/bin/bash
{WORDS}
echo "$(basename "$0") $*" >> "$CALLS"
case "$*" in
  "-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
  "-m pip "*) [[ -z "${{PIP_FAILS:-}}" ]] || {{ echo "no such version" >&2; exit 1; }}
    case "$*" in
      *requirements-gpu.txt) [[ -n "${{NO_HEADERS:-}}" ]] || mkdir -p "$(dirname "$0")/../{HEADERS}" ;;
    esac ;;
  "-c "*) ;;
  *) echo "python$(words "$@") PYTHONPATH=$PYTHONPATH"
    case "$0" in */.venv-gpu/*) echo "libraries=$LD_LIBRARY_PATH memory=$FAKE_GPU_MEMORY" ;; esac ;;
esac
"""

DPKG_QUERY = """#!/bin/bash
[[ " ${MISSING:-} " == *" ${@: -1} "* ]] && exit 1
echo -n installed
"""

APT_GET = """#!/bin/bash
echo "apt-get $*" >> "$CALLS"
"""

ID = """#!/bin/bash
echo "${USER_ID:-0}"
"""


class Tree:
    """A checkout with only the launcher in it, and a PATH of stand-ins."""

    def __init__(self, where):
        self.root = where / "checkout"
        self.calls = where / "calls"
        tools = where / "tools"
        tools.mkdir(parents=True)
        for name, text in (
            ("bazel", BAZEL),
            ("python3", PYTHON),
            ("dpkg-query", DPKG_QUERY),
            ("apt-get", APT_GET),
            ("id", ID),
        ):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        self.root.mkdir()
        shutil.copytree(ROOT / "launcher", self.root / "launcher")
        shutil.copy(ROOT / "str", self.root / "str")
        for name in ("requirements.txt", "requirements-gpu.txt", "BUILD", "WORKSPACE", ".bazelrc"):
            (self.root / name).write_text("\n")
        for name in ("bazel", "config", "optimizer", "strategies", "tf_plugin", "bench", "tests/fake_gpu"):
            (self.root / name).mkdir(parents=True)
        self.source = self.root / "optimizer" / "planner.cc"
        self.source.write_text("int x;\n")
        self.document = self.root / "optimizer" / "README.md"
        self.document.write_text("words\n")
        self.environment = {"PATH": f"{tools}:{os.environ['PATH']}", "CALLS": str(self.calls), "HOME": str(where)}

    def run(self, *arguments, program=None, cwd=None, **environment):
        return subprocess.run(
            [program or self.root / "str", *arguments],
            cwd=cwd or self.root,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def new_calls(self, tool):
        """The calls of a tool since the last question."""
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        self.calls.unlink(missing_ok=True)
        return [line for line in lines if line.startswith(tool)]


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def test_first_use_sets_up_and_the_second_does_not(tree):
    first = tree.run("version")
    assert first.returncode == 0, first.stderr
    assert first.stdout == f"binary version oneDNN=0 config={tree.root}/config\n"
    assert "making .venv" in first.stderr and "building" in first.stderr
    assert len(tree.new_calls("bazel")) == 1

    second = tree.run("version")
    assert second.stdout == first.stdout
    assert second.stderr == ""
    assert not tree.calls.exists(), "the second call used a tool"


def test_a_changed_source_is_built_and_a_changed_document_is_not(tree):
    tree.run("version")
    tree.new_calls("bazel")
    time.sleep(0.05)
    tree.document.write_text("other words\n")
    tree.run("version")
    assert tree.new_calls("bazel") == []
    tree.source.write_text("int y;\n")
    tree.run("version")
    assert len(tree.new_calls("bazel")) == 1


def test_changed_requirements_are_installed_into_the_same_environment(tree):
    tree.run("version")
    tree.new_calls("")
    (tree.root / "requirements.txt").write_text("numpy==1\n")
    tree.run("version")
    calls = tree.new_calls("")
    assert [call for call in calls if "pip" in call] and not [call for call in calls if "-m venv" in call]


def test_a_half_made_environment_is_made_anew(tree):
    broken = tree.run("version", PIP_FAILS="1")
    assert broken.returncode == 1
    assert "no such version" in broken.stderr and "setup.log" in broken.stderr
    left_over = tree.root / ".venv" / "left-over"
    left_over.write_text("")
    assert tree.run("version").returncode == 0
    assert not left_over.exists()


def test_missing_packages_without_root_are_named_with_the_command(tree):
    result = tree.run("demo", MISSING="g++ libcli11-dev", USER_ID="1000")
    assert result.returncode == 1
    assert "missing: g++ libcli11-dev" in result.stderr
    assert "apt-get update && apt-get install g++ libcli11-dev" in result.stderr
    assert tree.new_calls("") == []


def test_missing_packages_as_root_are_installed(tree):
    result = tree.run("version", MISSING="g++")
    assert result.returncode == 0, result.stderr
    assert tree.new_calls("apt-get") == ["apt-get update", "apt-get install -y --no-install-recommends g++"]


def test_a_failed_build_shows_what_failed_and_is_tried_again(tree):
    failed = tree.run("version", BAZEL_FAILS="1")
    assert failed.returncode == 1
    assert "the compiler said no" in failed.stderr
    assert tree.run("version").returncode == 0


def test_works_from_elsewhere_and_through_a_symlink(tree, tmp_path):
    link = tmp_path / "bin" / "str-link"
    link.parent.mkdir()
    link.symlink_to(tree.root / "str")
    result = tree.run("version", program=link, cwd="/")
    assert result.stdout == f"binary version oneDNN=0 config={tree.root}/config\n"


def test_python_gets_the_plugin_and_arguments_as_they_are(tree):
    result = tree.run("python", "train.py", "two words")
    site = tree.root / ".build" / "site-packages"
    assert result.stdout == f"python train.py 'two words' PYTHONPATH={site}\n"
    for file in ("libstr_tf.so", "str/libstr_cpu.so", "str/libstr_gpu.so"):
        assert (site / "tensorflow-plugins" / file).exists()


def test_the_emulated_gpu_is_set_up_when_it_is_asked_for(tree):
    tree.run("python", "train.py")
    assert not (tree.root / ".venv-gpu").exists()
    result = tree.run("python", "--emulated-gpu=2GiB", "train.py", "--emulated-gpu")
    gpu = tree.root / ".build" / "emulated_gpu"
    sites = f"{gpu / 'site-packages'}:{tree.root / '.build' / 'site-packages'}"
    assert result.stdout.splitlines() == [
        f"python train.py --emulated-gpu PYTHONPATH={sites}",
        f"libraries={gpu / 'lib'} memory=2GiB",
    ]
    assert "making .venv-gpu" in result.stderr and "building the emulated GPU" in result.stderr
    libraries = {path.name for path in (gpu / "lib").iterdir()}
    assert len(libraries) == 10 and {"libcuda.so.1", "libcudart.so.12", "libnvidia-ml.so.1"} < libraries
    assert (gpu / "lib" / "libcuda.so.1").resolve().name == "libfake_gpu.so"
    assert (gpu / "site-packages" / "tensorflow-plugins" / "libfake_gpu_kernels.so").exists()

    tree.new_calls("")
    again = tree.run("python", "--emulated-gpu", "train.py")
    assert again.stdout.splitlines()[1] == f"libraries={gpu / 'lib'} memory="
    assert again.stderr == "" and tree.new_calls("bazel") == []


def test_another_environment_is_used_when_it_is_named(tree, tmp_path):
    result = tree.run("python", "train.py", STR_VENV=".venv-gpu")
    site = tree.root / ".build" / "site-packages"
    assert result.stdout.splitlines() == [f"python train.py PYTHONPATH={site}", "libraries= memory="]
    own = tmp_path / "own"
    missing = tree.run("python", "train.py", STR_VENV=str(own))
    assert missing.returncode == 1
    assert f"STR_VENV: there is no Python environment {own}" in missing.stderr
    (own / "bin").mkdir(parents=True)
    (own / "bin" / "python").symlink_to(tree.root / ".venv" / "bin" / "python")
    assert tree.run("python", "train.py", STR_VENV=str(own)).stdout.startswith("python train.py ")


def test_gpu_tests_are_left_out_when_it_is_asked_for(tree):
    skipped = tree.run("test", STR_SKIP_GPU_TESTS="1")
    assert "STR_SKIP_GPU_TESTS is set: the GPU tests are skipped" in skipped.stderr
    assert not (tree.root / ".venv-gpu").exists()
    assert "there are no CUDA headers in .venv-gpu: C++ tests that need them are not built" in skipped.stderr
    assert all(call.endswith(" headers=") for call in tree.new_calls("bazel"))
    made = tree.run("test")
    assert made.returncode == 0 and "no CUDA headers" not in made.stderr
    headers = tree.root / ".venv-gpu" / "bin" / ".." / HEADERS
    tests = [call for call in tree.new_calls("bazel") if " test " in call]
    assert tests and all(call.endswith(f" headers={headers.resolve()}") for call in tests)


def test_a_wheel_without_cuda_headers_is_said_and_not_passed_on(tree):
    failed = tree.run("python", "--emulated-gpu", "train.py", NO_HEADERS="1")
    assert failed.returncode == 1
    assert "TensorFlow in .venv-gpu has no CUDA headers; delete .venv-gpu to make it anew" in failed.stderr
    assert not [call for call in tree.new_calls("bazel") if "*" in call]


def test_help_and_the_list_of_benchmarks_need_no_set_up(tree):
    (tree.root / "bench" / "speed.py").write_text('"""How fast it is."""\n')
    for arguments in ([], ["help"], ["--help"], ["-h"]):
        listed = tree.run(*arguments).stdout
        for command in ("demo", "python", "test", "bench", "report", "plan", "explain"):
            assert f"./str {command} " in listed, arguments
    assert tree.run("bench").stdout.split() == ["speed", "How", "fast", "it", "is."]
    assert tree.run("bench", "none").returncode == 1
    unknown = tree.run("dmeo")
    assert unknown.returncode == 1
    assert "no command 'dmeo'; './str help' lists them" in unknown.stderr
    assert tree.run("test", "--lng").returncode == 1
    assert tree.new_calls("") == []


@pytest.mark.parametrize("command", ["compare", "max-batch"])
@pytest.mark.parametrize(
    "options",
    [
        ["--html=page.html", "--json=rows.json"],
        ["--html", "page.html", "--json", "rows.json"],
        ["--json", "rows.json", "--html=page.html"],
    ],
)
def test_a_page_of_a_sweep_is_asked_for_with_equals_sign_or_space(tree, command, options):
    result = tree.run(command, "a graph", *options, "--seed=3")
    assert result.returncode == 0, result.stderr
    binary, report = result.stdout.splitlines()
    assert binary.startswith(f"binary {command} 'a graph' --seed=3 --json=rows.json ")
    assert report.startswith(f"python {tree.root}/optimizer/tools/report.py rows.json --html=page.html ")


def test_without_a_page_a_sweep_gets_its_arguments_as_they_are(tree):
    result = tree.run("compare", "a graph", "--json", "rows.json")
    assert result.stdout.startswith("binary compare 'a graph' --json rows.json ")
    named = tree.run("compare", "a graph", "--html=page.html")
    assert named.stdout.startswith("binary compare 'a graph' --json=page.json ")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--html"], "--html needs a file"),
        (["--html="], "--html needs a file"),
        (["--json"], "--json needs a file"),
        (["--html=missing/page.html"], 'there is no folder "missing"'),
        (["--html=optimizer"], "is a folder"),
        (["--html=page.html", "--json", "-"], "--html needs the rows in a file"),
    ],
)
def test_a_page_that_cannot_be_written_is_said_before_the_work(tree, options, reason):
    result = tree.run("compare", "graph", *options)
    assert result.returncode == 1
    assert reason in result.stderr
    assert result.stdout == ""


def test_help_lists_what_the_binary_has(str_command):
    """As it is built: the launcher refuses what its own list lacks."""
    (wheels,) = ROOT.glob(".venv/lib/*/site-packages")
    binary = subprocess.run(
        [ROOT / ".build" / "bin" / "str", "--help"],
        env=os.environ | {"LD_LIBRARY_PATH": f"{wheels}/tensorflow:{wheels}/highspy"},
        capture_output=True,
        text=True,
        check=True,
    )
    commands = re.search(r"^Subcommands:\n((?:  \S.*\n| {4,}.*\n)+)", binary.stdout, re.MULTILINE).group(1)
    names = set(re.findall(r"^  (\S+)", commands, re.MULTILINE))
    assert "max-batch" in names
    listed = set(re.findall(r"^  \./str (\S+)", str_command("help").output, re.MULTILINE))
    assert listed == names | {"demo", "python", "test", "bench", "report"}
