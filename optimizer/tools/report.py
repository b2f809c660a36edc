"""str report: pictures from the JSON of compare, max-batch, replay and the benchmark dtr_replay, in one file that needs
no network.

    ./str report rows.json                                   (writes rows.html)
    ./str report rows.json more.json --html=report.html

A comparison becomes one line a strategy, time above everything kept against the budget, as in figure 4 of Checkmate; a
search for the largest batch becomes bars, as in figure 5 of Checkmate; replays of DTR's logs become one line a
heuristic, overhead against the share of memory, as in figure 2 of DTR, with what was recorded of DTR's own simulator as
crosses.
"""

import argparse
import html
import json
import os
import pathlib
import sys

import plotly.colors
import plotly.graph_objects as go
import plotly.io

_GB = 1e9
# Pixels; and percent above which lines are cut off, so that the rest can be told apart. Zooming out shows them.
_HEIGHT = 560
_CUT = 100
# Drawn thicker: what a user gets without asking for anything.
_DEFAULT_STRATEGIES = ("str", "recompute-only")

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>STR: strategies compared</title>
<style>body {{ font-family: sans-serif; max-width: 75em; margin: 2em auto; color: #222; }}</style></head>
<body>
<h1>Strategies compared</h1>
{figures}
</body>
</html>
"""


# What is drawn: of a sweep, and of each of its rows.
_FIELDS = {
    "compare": ((), ("graph", "strategy", "budget_bytes", "overhead")),
    "max-batch": (("graph", "budget_bytes"), ("strategy", "batch")),
    "replay": ((), ("log", "heuristic", "status", "dtr_overhead", "budget_bytes", "unlimited_peak_bytes")),
    "dtr_replay": (
        (),
        ("model", "heuristic", "status", "dtr_overhead", "ratio", "their_status", "their_dtr_overhead"),
    ),
}


class Parser(argparse.ArgumentParser):
    """Ends with exit code 1 where the usage is wrong: 2 means that no plan fits."""

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(1, f"str: {message}\n")


class BadInput(Exception):
    """A file that is not what a command wrote. The message is for people."""


def read_sweep(path):
    try:
        sweep = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{path}: not JSON: {error}") from error
    if isinstance(sweep, dict) and sweep.get("command") == "replay":
        # One run is one file.
        sweep = {"command": "replay", "rows": [sweep]}
    if not isinstance(sweep, dict) or sweep.get("command") not in _FIGURES or not isinstance(sweep.get("rows"), list):
        raise BadInput(f"{path}: not written by str compare, max-batch or replay, or by str bench dtr_replay")
    if not sweep["rows"]:
        raise BadInput(f"{path}: holds no rows yet")
    fields, row_fields = _FIELDS[sweep["command"]]
    for field in fields:
        if field not in sweep:
            raise BadInput(f"{path}: has no {field!r}")
    for number, row in enumerate(sweep["rows"], 1):
        for field in row_fields:
            if not isinstance(row, dict) or field not in row:
                raise BadInput(f"{path}: row {number} has no {field!r}")
    return sweep


def grouped(rows, field):
    groups = {}
    for row in rows:
        groups.setdefault(row[field], []).append(row)
    return groups


def comparison_figures(sweep):
    return [comparison_figure(graph, rows) for graph, rows in grouped(sweep["rows"], "graph").items()]


def comparison_figure(graph, rows_of_graph):
    """One line a strategy; a strategy without any plan is named in the legend only."""
    figure = go.Figure()
    for strategy, rows in sorted(grouped(rows_of_graph, "strategy").items()):
        with_plan = [row for row in rows if row["overhead"] is not None]
        points = sorted((row["budget_bytes"] / _GB, 100 * row["overhead"]) for row in with_plan)
        name = strategy if points else f"{strategy} (no plan)"
        figure.add_scatter(
            x=[x for x, _ in points] or [None],
            y=[y for _, y in points] or [None],
            name=name,
            mode="lines+markers",
            line={"width": 4 if strategy in _DEFAULT_STRATEGIES else 1.5},
        )
    figure.update_layout(
        title=f"{html.escape(graph)}: time of a step against the budget",
        xaxis_title="budget in GB",
        yaxis_title="time above everything kept in percent",
        height=_HEIGHT,
    )
    overheads = [100 * row["overhead"] for row in rows_of_graph if row["overhead"] is not None]
    highest = max(overheads, default=1)
    figure.update_yaxes(range=[min(0, *overheads, 0) - 1, min(_CUT, 1.05 * highest) + 1])
    return figure


def batch_figures(sweep):
    # Where the search could not go on at all there is no batch, not even 0.
    rows = sorted(sweep["rows"], key=lambda row: row["batch"] or 0)
    figure = go.Figure(
        go.Bar(
            x=[row["strategy"] for row in rows],
            y=[row["batch"] or 0 for row in rows],
            text=["error" if row["batch"] is None else row["batch"] for row in rows],
            marker_color=["#1e88e5" if row["strategy"] in _DEFAULT_STRATEGIES else "#9e9e9e" for row in rows],
        )
    )
    budget = int(sweep["budget_bytes"]) / _GB
    figure.update_layout(
        title=f"{html.escape(sweep['graph'])}: largest batch within {budget:g} GB", yaxis_title="batch size"
    )
    return [figure]


def replay_figures(sweep):
    rows = [
        {
            "model": pathlib.PurePath(row["log"]).name,
            "ratio": row["budget_bytes"] / row["unlimited_peak_bytes"],
            "their_status": None,
        }
        | {name: row[name] for name in ("heuristic", "status", "dtr_overhead")}
        for row in sweep["rows"]
    ]
    return dtr_figures({"rows": rows})


def dtr_figures(sweep):
    return [dtr_figure(model, rows) for model, rows in grouped(sweep["rows"], "model").items()]


def dtr_figure(model, rows_of_model):
    """One line a heuristic, as far as it gets; where it thrashes or runs out of memory there is no point."""
    figure = go.Figure()
    for i, (heuristic, rows) in enumerate(sorted(grouped(rows_of_model, "heuristic").items())):
        color = plotly.colors.qualitative.D3[i % len(plotly.colors.qualitative.D3)]
        points = sorted((row["ratio"], row["dtr_overhead"]) for row in rows if row["status"] == "ok")
        figure.add_scatter(
            x=[x for x, _ in points] or [None],
            y=[y for _, y in points] or [None],
            name=heuristic if points else f"{heuristic} (never done)",
            mode="lines+markers",
            line={"color": color},
            legendgroup=heuristic,
        )
        theirs = sorted((row["ratio"], row["their_dtr_overhead"]) for row in rows if row["their_status"] == "ok")
        if theirs:
            figure.add_scatter(
                x=[x for x, _ in theirs],
                y=[y for _, y in theirs],
                name=f"{heuristic}, recorded",
                mode="markers",
                marker={"symbol": "x-thin-open", "size": 14, "color": color},
                legendgroup=heuristic,
                showlegend=False,
            )
    figure.update_layout(
        title=f"{html.escape(model)}: overhead against memory, by heuristic",
        xaxis_title="budget as a share of the peak when nothing is evicted",
        yaxis_title="cost, times that of all operators once",
        height=_HEIGHT,
    )
    return figure


_FIGURES = {
    "compare": comparison_figures,
    "max-batch": batch_figures,
    "replay": replay_figures,
    "dtr_replay": dtr_figures,
}


def with_replays_together(sweeps):
    """Runs of str replay become one sweep, so that they share a picture."""
    replays = [sweep for sweep in sweeps if sweep["command"] == "replay"]
    others = [sweep for sweep in sweeps if sweep["command"] != "replay"]
    if replays:
        others.append({"command": "replay", "rows": [row for sweep in replays for row in sweep["rows"]]})
    return others


def write_report(sweeps, path):
    sweeps = with_replays_together(sweeps)
    figures = [figure for sweep in sweeps for figure in _FIGURES[sweep["command"]](sweep)]
    parts = [plotly.io.to_html(figure, full_html=False, include_plotlyjs=i == 0) for i, figure in enumerate(figures)]
    temporary = f"{path}.new"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(_PAGE.format(figures="\n".join(parts)))
    os.replace(temporary, path)


def main(arguments):
    parser = Parser(
        prog="str report", description=__doc__.strip(), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="JSON of str compare, max-batch, replay, bench dtr_replay"
    )
    parser.add_argument("--html", metavar="FILE", help="the page to write; default: the first FILE, with .html")
    options = parser.parse_args(arguments)
    if options.html is None:
        options.html = str(pathlib.Path(options.files[0]).with_suffix(".html"))
    try:
        write_report([read_sweep(path) for path in options.files], options.html)
    except (BadInput, OSError) as error:
        print(f"str: {error}", file=sys.stderr)
        return 1
    print(f"pictures in {options.html}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
