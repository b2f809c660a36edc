"""Runs a script that writes its results with --json=FILE, and adds the emulated GPU's counts to that file.

    ./str python --emulated-gpu tests/gpu_emulation_script.py SCRIPT ARGUMENT... --json=FILE
"""

import json
import pathlib
import runpy
import sys

from gpu_counts import EmulatedGpu


def main():
    sys.argv = sys.argv[1:]
    sys.path.insert(0, str(pathlib.Path(sys.argv[0]).resolve().parent))
    result = pathlib.Path(next(word for word in sys.argv if word.startswith("--json=")).partition("=")[2])
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise
    written = json.loads(result.read_text())
    result.write_text(json.dumps({"results": written, "counts": EmulatedGpu().counts()}))


if __name__ == "__main__":
    main()
