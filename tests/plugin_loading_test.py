"""What TensorFlow loads needs nothing of TensorFlow, and a payload that fails is one line, never a failed import."""

import re
import shutil
import subprocess

import pytest

from conftest import ROOT, environment, require_gpu_environment
from emulated_gpu import SKIP_IF_ASKED

BUILT = ROOT / ".build" / "site-packages" / "tensorflow-plugins"
PYTHONS = {"CPU": ROOT / ".venv" / "bin" / "python", "GPU": ROOT / ".venv-gpu" / "bin" / "python"}
WHEELS = ["CPU", pytest.param("GPU", marks=SKIP_IF_ASKED)]
SAYS_LIMIT = (
    "import tensorflow as tf; kept = tf.random.uniform([1000]) + 1.0; "
    "print(tf.config.experimental.get_memory_info('CPU:0'))"
)


@pytest.fixture
def plugins(tmp_path):
    """A copy of the plugin's files."""
    return shutil.copytree(BUILT, tmp_path / "site-packages" / "tensorflow-plugins")


def run(wheel, plugins, home, code=SAYS_LIMIT, **settings):
    if wheel == "GPU":
        require_gpu_environment()
    settings = {"PYTHONPATH": plugins.parent, **settings}
    return subprocess.run(
        [PYTHONS[wheel], "-c", code], env=environment(home, settings), capture_output=True, text=True, check=False
    )


def output(*command):
    """What a tool says about the loader."""
    return subprocess.run([*command, BUILT / "libstr_tf.so"], capture_output=True, text=True, check=True).stdout


def test_the_loader_needs_the_runtimes_of_c_and_cpp_only():
    needed = re.findall(r"^ *[Uw] (\S+)$", output("nm", "-D", "--undefined-only"), re.MULTILINE)
    foreign = [name for name in needed if "@" not in name and not name.startswith(("_ITM", "__gmon", "__cxa"))]
    assert needed and not foreign
    assert not re.search(r"NEEDED +libtensorflow", output("objdump", "-p"))


@pytest.mark.parametrize("wheel", WHEELS)
def test_the_payload_that_suits_is_opened(wheel, plugins, home):
    # Without a driver the wheel for GPUs has none, and its CPU is the limited one.
    limited = run(wheel, plugins, home, STR_MEMORY_LIMIT="1GiB")
    assert limited.returncode == 0, limited.stderr
    assert "STR-2006" not in limited.stderr
    assert re.search(r"'peak': [1-9]", limited.stdout), "TensorFlow's own CPU device counts nothing"
    other = {"CPU": "libstr_gpu.so", "GPU": "libstr_cpu.so"}[wheel]
    (plugins / "str" / other).unlink()
    assert "STR-2006" not in run(wheel, plugins, home, STR_MEMORY_LIMIT="1GiB").stderr


@pytest.mark.parametrize("wheel", WHEELS)
@pytest.mark.parametrize("broken", ["missing", "garbage"])
def test_a_payload_that_fails_is_one_line(wheel, broken, plugins, home):
    for name in ("libstr_cpu.so", "libstr_gpu.so"):
        payload = plugins / "str" / name
        payload.unlink()
        if broken == "garbage":
            payload.write_bytes(b"no library")
    imported = run(wheel, plugins, home, code="import tensorflow as tf; print(float(tf.constant(2.0)))")
    assert imported.returncode == 0, imported.stderr
    assert imported.stdout == "2.0\n"
    (line,) = [line for line in imported.stderr.splitlines() if "STR-" in line]
    assert line.startswith("STR-2006 the plugin cannot be loaded: ") and line.endswith("TensorFlow runs without STR.")
    silent = run(wheel, plugins, home, code="import tensorflow", STR_VERBOSE="0")
    assert silent.returncode == 0 and "STR-" not in silent.stderr


def test_xla_is_out_of_the_way_on_the_cpu_too(plugins, home, tmp_path):
    script = ROOT / "tests" / "gpu_plugin_training.py"
    results = {}
    for name, settings in {
        "captured": {"STR_CAPTURE": tmp_path / "captured"},
        "kept": {"STR_CAPTURE": tmp_path / "kept", "STR_XLA": "keep"},
    }.items():
        arguments = ["--loop=fit", "--jit=on", "--steps=2", "--width=8", f"--json={tmp_path / name}.json"]
        command = [PYTHONS["CPU"], script, *arguments]
        environ = environment(home, {"PYTHONPATH": plugins.parent, **settings})
        results[name] = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
        assert results[name].returncode == 0, results[name].stderr
    assert "runs without XLA" in results["captured"].stderr and "STR_XLA=keep" in results["captured"].stderr
    assert list((tmp_path / "captured").glob("*.graph"))
    assert "is compiled by XLA (STR_XLA=keep): the step cannot be captured or planned" in results["kept"].stderr
    assert not (tmp_path / "kept").exists() or not list((tmp_path / "kept").glob("*.graph"))
