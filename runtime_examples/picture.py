"""Draws docs/demo.svg, the picture of README.md, from the str-demo.json of a run.

    ./str demo && ./str python runtime_examples/picture.py str-demo.json docs/demo.svg
"""

import json
import pathlib
import sys

_MIB = 2**20
_WIDTH = 860
_LEFT = 110
_SCALE_WIDTH = 560
_BAR = 18
_GROUP = 78
_TOP = 50

_NAMES = {"vgg16": "VGG16", "unet": "U-Net", "mobilenet": "MobileNet"}


def _text(x, y, text, extra=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" {extra}>{text}</text>'


def _bar(y, width, color, label):
    text = _text(_LEFT + width + 6, y + 14, label)
    return f'<rect x="{_LEFT}" y="{y}" width="{width:.0f}" height="{_BAR}" fill="{color}"/>{text}'


def _group(row, top, bytes_per_pixel):
    plain, limit, measured = (
        row[field] / bytes_per_pixel for field in ("plain_peak_bytes", "limit_bytes", "measured_peak_bytes")
    )
    equal = "bit-equal" if row["losses_equal"] and row["weights_equal"] else "NOT equal"
    line = f'x1="{_LEFT + limit:.0f}" x2="{_LEFT + limit:.0f}" y1="{top - 6}" y2="{top + 2 * _BAR + 10}"'
    return [
        _text(_LEFT - 10, top + 25, _NAMES[row["model"]], 'text-anchor="end" font-weight="bold"'),
        _bar(top, plain, "#bdbdbd", f"plain: {row['plain_peak_bytes'] / _MIB:.0f} MiB, out of memory at the limit"),
        _bar(top + _BAR + 4, measured, "#1e88e5", ""),
        _text(
            _LEFT + max(limit, measured) + 6,
            top + _BAR + 18,
            f"with the plan: {row['measured_peak_bytes'] / _MIB:.0f} MiB, trains, {equal}",
        ),
        f'<line {line} stroke="#e53935" stroke-width="2"/>',
    ]


def draw(rows):
    """Returns the SVG."""
    bytes_per_pixel = max(row["plain_peak_bytes"] for row in rows) / (_SCALE_WIDTH - 100)
    height = _TOP + _GROUP * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="13" fill="#222">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(_LEFT, 24, "Peak memory of a training step; the red line is the device's limit", 'font-size="15"'),
    ]
    for i, row in enumerate(rows):
        parts += _group(row, _TOP + i * _GROUP, bytes_per_pixel)
    return "\n".join([*parts, "</svg>", ""])


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 1
    source, target = map(pathlib.Path, arguments)
    target.write_text(draw(json.loads(source.read_text())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
