"""str-report.html: the demo's numbers as pictures, in one file that needs no network."""

import html
import os

import plotly.graph_objects as go
import plotly.io

_MIB = 2**20

_BARS = (
    ("plain_peak_bytes", "peak without a plan", "#9e9e9e"),
    ("limit_bytes", "limit", "#e53935"),
    ("predicted_peak_bytes", "peak with the plan, predicted", "#90caf9"),
    ("measured_peak_bytes", "peak with the plan, measured", "#1e88e5"),
)

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>STR: training within a memory limit</title>
<style>
body {{ font-family: sans-serif; max-width: 70em; margin: 2em auto; color: #222; }}
table {{ border-collapse: collapse; }}
td, th {{ padding: 0.3em 0.8em; border-bottom: 1px solid #ccc; text-align: right; }}
td:first-child, th:first-child {{ text-align: left; }}
</style></head>
<body>
<h1>Training within a memory limit</h1>
<p>Each model runs out of memory at its limit without a plan ("oom") and trains there with one. "Equal": losses and all
variables after training are bit-equal to training without a limit.</p>
{table}
{figures}
</body>
</html>
"""


def memory_series(trace):
    """Returns (name, seconds, MiB) per memory counter of a trace in Chrome's format."""
    series = {}
    for event in trace["traceEvents"]:
        if event.get("ph") != "C":
            continue
        for key, value in event["args"].items():
            name = event["name"] if len(event["args"]) == 1 else f"{event['name']} {key}"
            seconds, sizes = series.setdefault(name, ([], []))
            seconds.append(event["ts"] / 1e6)
            sizes.append(value / _MIB)
    return [(name, seconds, sizes) for name, (seconds, sizes) in series.items()]


def _peaks_figure(rows):
    models = [row["model"] for row in rows]
    figure = go.Figure(
        [
            go.Bar(name=label, x=models, y=[(row[field] or 0) / _MIB for row in rows], marker_color=color)
            for field, label, color in _BARS
        ]
    )
    figure.update_layout(title="Peak memory of a training step", yaxis_title="MiB", barmode="group")
    return figure


def _timeline_figure(row, trace):
    figure = go.Figure()
    for name, seconds, sizes in memory_series(trace):
        figure.add_scatter(x=seconds, y=sizes, name=name, mode="lines", line={"shape": "hv"})
    figure.add_hline(row["limit_bytes"] / _MIB, line={"color": "#e53935", "dash": "dash"}, annotation_text="limit")
    figure.update_layout(
        title=f"{row['model']}: memory over one planned step, as simulated",
        xaxis_title="seconds",
        yaxis_title="MiB",
    )
    return figure


def _table(rows):
    def cells(tag, values):
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(value))}</{tag}>" for value in values) + "</tr>"

    header = ["model", "batch", "plain at the limit", "with the plan", "equal", "step time predicted", "measured"]
    header += ["tensors swapped", "nodes recomputed"]
    lines = [cells("th", header)]
    for row in rows:
        equal = "yes" if row["losses_equal"] and row["weights_equal"] else "NO"
        measured = "-" if row["step_ratio"] is None else f"{row['step_ratio']:.2f}x"
        values = [row["model"], row["batch"], row["plain_at_limit"], row["with_plan"], equal]
        values += [f"{row['predicted_step_ratio']:.2f}x", measured, row["swapped_tensors"], row["recomputed_nodes"]]
        lines.append(cells("td", values))
    return "<table>" + "\n".join(lines) + "</table>"


def write_report(path, rows, traces):
    """rows as in str-demo.json; traces by model."""
    figures = [_peaks_figure(rows), *(_timeline_figure(row, traces[row["model"]]) for row in rows)]
    parts = [
        plotly.io.to_html(figure, full_html=False, include_plotlyjs=i == 0) for i, figure in enumerate(figures)
    ]
    temporary = f"{path}.new"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(_PAGE.format(table=_table(rows), figures="\n".join(parts)))
    os.replace(temporary, path)
