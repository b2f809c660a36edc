"""Pictures of sweeps: ./str compare --html and ./str report, looked at in a real browser where there is one."""

import json
import shutil
import subprocess

import pytest


@pytest.fixture
def chain(tmp_path):
    """A chain of layers with their gradients, as node-link JSON."""
    layers = 6
    nodes = [
        {
            "id": i,
            "name": f"n{i}",
            "backward": i >= layers,
            "cost_cpu": 10,
            "cost_ram": 4 if i == layers else 1000000,
        }
        for i in range(2 * layers + 1)
    ]
    links = [(i, i + 1) for i in range(2 * layers)]
    links += [(i, 2 * layers - i) for i in range(layers - 1)]
    path = tmp_path / "chain.json"
    graph = {"directed": True, "graph": {"name": "chain <6>"}, "nodes": nodes}
    path.write_text(json.dumps(graph | {"links": [{"source": a, "target": b} for a, b in links]}))
    return path


def test_compare_draws_every_strategy(str_command, chain, tmp_path):
    page = tmp_path / "compare.html"
    strategies = "recompute-only,keep-all,chen-sqrt"
    result = str_command("compare", chain, f"--strategies={strategies}", "--budgets=100%,60%", f"--html={page}")
    assert result.returncode == 0, result.errors
    rows = json.loads((tmp_path / "compare.json").read_text())["rows"]
    assert len(rows) == 6
    text = page.read_text()
    for strategy in strategies.split(","):
        assert f'"name":"{strategy}' in text
    assert "chain &lt;6&gt;" in text.replace("\\u0026", "&").replace("\\u003c", "<")


def test_report_puts_several_files_on_one_page(str_command, chain, tmp_path):
    rows, batches, page = tmp_path / "rows.json", tmp_path / "batches.json", tmp_path / "page.html"
    compared = str_command("compare", chain, "--strategies=recompute-only", "--budgets=80%", f"--json={rows}")
    assert compared.returncode == 0, compared.errors
    searched = str_command(
        "max-batch", chain, "--batch=4", "--budget=100MB", "--strategy=keep-all,recompute-only", f"--json={batches}"
    )
    assert searched.returncode == 0, searched.errors
    result = str_command("report", rows, batches, f"--html={page}")
    assert result.returncode == 0, result.errors
    text = page.read_text()
    assert "time of a step against the budget" in text and "largest batch within 0.1 GB" in text


def test_report_needs_no_name_for_its_page(str_command, chain, tmp_path):
    rows = tmp_path / "rows.json"
    compared = str_command("compare", chain, "--strategies=keep-all", "--budgets=100%", f"--json={rows}")
    assert compared.returncode == 0, compared.errors
    result = str_command("report", rows)
    assert result.returncode == 0, result.errors
    assert "time of a step" in (tmp_path / "rows.html").read_text()


@pytest.mark.parametrize("arguments", [[], ["rows.json", "--htlm=page.html"], ["rows.json", "--html"]])
def test_wrong_usage_of_report_is_exit_code_1(str_command, tmp_path, arguments):
    result = str_command("report", *arguments, cwd=tmp_path)
    assert result.returncode == 1
    assert "usage: str report" in result.errors


def test_a_batch_that_was_not_found_is_drawn_as_an_error(str_command, tmp_path):
    batches, page = tmp_path / "batches.json", tmp_path / "page.html"
    rows = [{"strategy": "str", "batch": None, "error": "no"}, {"strategy": "keep-all", "batch": 3}]
    batches.write_text(json.dumps({"command": "max-batch", "graph": "g", "budget_bytes": "1000", "rows": rows}))
    result = str_command("report", batches, f"--html={page}")
    assert result.returncode == 0, result.errors
    assert '"text":["error","3"]' in page.read_text()


# A log of two operators: y is made of x, and z of both.
_LOG = """\
{"INSTRUCTION":"ANNOTATE","ANNOTATION":"START"}
{"INSTRUCTION":"CONSTANT","NAME":"x"}
{"INSTRUCTION":"MEMORY","NAME":"x","MEMORY":"100"}
{"INSTRUCTION":"CALL","NAME":"f","ARGS":["x"],"RESULT":["y"],"TIME":"10"}
{"INSTRUCTION":"MEMORY","NAME":"y","MEMORY":"100"}
{"INSTRUCTION":"ALIAS","NAME":"y","ALIAS":"-1"}
{"INSTRUCTION":"CALL","NAME":"g","ARGS":["x","y"],"RESULT":["z"],"TIME":"10"}
{"INSTRUCTION":"MEMORY","NAME":"z","MEMORY":"100"}
{"INSTRUCTION":"ALIAS","NAME":"z","ALIAS":"-1"}
"""


def test_replays_share_a_picture(str_command, tmp_path):
    log, page = tmp_path / "small.log", tmp_path / "page.html"
    log.write_text(_LOG)
    files = []
    for heuristic, budget in (("h_DTR", "100%"), ("h_LRU", "100%"), ("h_LRU", "50%")):
        files.append(tmp_path / f"{heuristic}-{budget}.json")
        replayed = str_command("replay", log, f"--heuristic={heuristic}", f"--budget={budget}", f"--json={files[-1]}")
        assert replayed.returncode == (0 if budget == "100%" else 2), replayed.errors
    result = str_command("report", *files, f"--html={page}")
    assert result.returncode == 0, result.errors
    text = page.read_text()
    assert text.count("small.log: overhead against memory, by heuristic") == 1
    assert '"name":"h_DTR"' in text and '"name":"h_LRU"' in text


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"command": "plan", "rows": []}',
        '{"command": "compare", "rows": []}',
        '{"command": "compare", "rows": [{}]}',
        '{"command": "replay"}',
        '{"command": "dtr_replay", "rows": [{"model": "m"}]}',
        '{"command": "max-batch", "rows": [{"strategy": "str", "batch": 3}]}',
    ],
)
def test_what_no_sweep_wrote_is_refused(str_command, tmp_path, content):
    foreign = tmp_path / "foreign.json"
    foreign.write_text(content)
    result = str_command("report", foreign, f"--html={tmp_path / 'page.html'}")
    assert result.returncode == 1
    assert str(foreign) in result.errors
    assert not (tmp_path / "page.html").exists()


def test_the_page_shows_its_lines_in_a_browser(str_command, chain, tmp_path):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("skipped: no browser (Debian package chromium)")
    page = tmp_path / "compare.html"
    result = str_command("compare", chain, "--strategies=recompute-only", "--budgets=100%,70%", f"--html={page}")
    assert result.returncode == 0, result.errors
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom"]
    shown = subprocess.run(
        [browser, *options, page.as_uri()],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert shown.returncode == 0, shown.stderr
    assert 'class="scatterlayer' in shown.stdout, "plotly should have drawn"
