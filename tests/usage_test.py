"""Wrong usage is exit code 1 everywhere: 2 means that no plan fits."""

import pytest
from conftest import ROOT

SCRIPTS = sorted((ROOT / "bench").glob("*.py"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo", "--models=abacus"],
        ["python", ROOT / "runtime_examples" / "plan_full_size.py", "--model=vgg16"],
        *(["python", script, "--no-such-option"] for script in SCRIPTS),
    ],
    ids=lambda arguments: str(arguments[-2]).rpartition("/")[2],
)
def test_wrong_usage(str_command, arguments):
    result = str_command(*arguments)
    assert result.returncode == 1, result.errors
    assert "usage: " in result.errors and "\nstr: " in result.errors
