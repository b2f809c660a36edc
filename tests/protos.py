"""The file schemas as Python classes, compiled from config/*.proto when the tests start."""

import importlib
import subprocess
import sys
import tempfile

from conftest import ROOT

_SCHEMAS = ("graph", "strategy")


def load():
    """Returns the modules (graph_pb2, strategy_pb2)."""
    folder = tempfile.mkdtemp(prefix="str-protos-")
    files = [f"config/{name}.proto" for name in _SCHEMAS]
    subprocess.run([ROOT / ".venv" / "bin" / "protoc", f"--python_out={folder}", *files], cwd=ROOT, check=True)
    sys.path.insert(0, folder)
    return [importlib.import_module(f"config.{name}_pb2") for name in _SCHEMAS]
