"""Draws training graphs from seeds and writes them as the JSON that ./str plan reads; bench generality plans them.

A graph is FAMILY:SEED. The seed decides everything: sizes, depth, how convolutions end, the device's rates, each node's
cost, how gradients are summed and in which order the backward pass runs. Equal seeds give equal graphs everywhere.

    ./str bench drawn_graphs unetpp:1004 transformer:7 --output=graphs
"""

import argparse
import dataclasses
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "runtime_examples"))
from json_file import write_json
from usage import Parser

# Nodes of a graph, forward and backward. Graphs outside are drawn again.
LEAST_NODES, MOST_NODES = 60, 400
# Bytes that no plan can save, as a share of the peak with everything kept. Graphs with more are drawn again: few
# budgets would have a plan.
MOST_FLOOR = 0.4
# Bytes of a result that lives elsewhere: gradients and weights that are updated in place.
_TOKEN_BYTES = 4
# Seconds to start an op on a GPU.
_LAUNCH = 4e-6


@dataclasses.dataclass(eq=False)
class Op:
    """One forward op. A tensor is batch × channels × positions; `positions` are pixels or tokens."""

    kind: str
    inputs: list
    channels: int
    positions: int
    bytes: int
    cost: float
    weight_bytes: int
    # Values that the gradient of each input needs besides the gradient of the output: "input", "output".
    takes: tuple
    index: int

    @property
    def name(self):
        return f"{self.kind}{self.index}"


class Drawing:
    """The forward pass of one model, op by op in program order. `draw` makes a training graph of it."""

    def __init__(self, rng):
        self.rng = rng
        self.ops = []
        self.batch = 8 * round(self.log_uniform(2, 24))
        self.item_bytes = rng.choice((4, 4, 2))
        # Rates of devices from a GTX 1080 to an A100 in mixed precision, and of PCIe from 3.0 x8 to 4.0 x16.
        self.flops_per_second = self.log_uniform(6e12, 60e12)
        self.bytes_per_second = self.log_uniform(3e11, 1.5e12)
        # Each way, to the host and back.
        self.copy_bytes_per_second = round(self.log_uniform(6e9, 30e9))
        # After a convolution: nothing (its activation is part of it), an activation, or a normalization before that.
        self.tail = rng.choice(("fused", "activation", "normalized"))

    def log_uniform(self, low, high):
        return math.exp(self.rng.uniform(math.log(low), math.log(high)))

    def width(self, channels):
        """About so many channels, in steps of 8."""
        return 8 * max(1, round(channels * self.log_uniform(0.75, 1.33) / 8))

    def seconds(self, flops, moved_bytes):
        ideal = flops / self.flops_per_second + moved_bytes / self.bytes_per_second
        return round(_LAUNCH + ideal * self.log_uniform(0.7, 1.6), 9)

    def op(self, kind, inputs, channels, positions, flops=0, weights=0, takes=()):
        size = self.batch * channels * positions * self.item_bytes
        moved = size + sum(value.bytes for value in inputs)
        cost = self.seconds(flops, moved)
        weight_bytes = weights * self.item_bytes
        op = Op(kind, list(dict.fromkeys(inputs)), channels, positions, size, cost, weight_bytes, takes, len(self.ops))
        self.ops.append(op)
        return op

    # Layers. `x` is None for the model's own input, which lives outside of the planned memory and needs no gradient.

    def convolution(self, x, channels, positions=None, kernel=3, groups=1, kind="conv", plain=False):
        """A convolution and its tail; `plain` leaves the tail out."""
        positions = positions or x.positions
        weights = kernel * kernel * (x.channels if x else 3) * channels // groups
        flops = 2 * weights * positions * self.batch
        fused = self.tail == "fused" and not plain
        inputs = [x] if x else []
        x = self.op(kind, inputs, channels, positions, flops, weights, ("output",) if fused else ())
        if fused or plain:
            return x
        if self.tail == "normalized":
            x = self.like("norm", x, ("input",))
        return self.activation(x)

    def like(self, kind, x, takes):
        return self.op(kind, [x], x.channels, x.positions, takes=takes)

    def activation(self, x):
        return self.like("relu", x, ("output",))

    def dense(self, x, channels):
        weights = x.channels * channels
        return self.op("dense", [x], channels, x.positions, 2 * weights * x.positions * self.batch, weights)

    def pool(self, x):
        if self.rng.random() < 0.7:
            return self.op("maxpool", [x], x.channels, max(1, x.positions // 4), takes=("input", "output"))
        return self.op("avgpool", [x], x.channels, max(1, x.positions // 4))

    def mean(self, x):
        return self.op("mean", [x], x.channels, 1)

    def upsample(self, x, channels):
        if self.rng.random() < 0.5:
            return self.op("upsample", [x], x.channels, 4 * x.positions)
        weights = 4 * x.channels * channels
        return self.op("upconv", [x], channels, 4 * x.positions, 2 * weights * x.positions * self.batch, weights)

    def concat(self, values):
        if len(values) == 1:
            return values[0]
        return self.op("concat", values, sum(value.channels for value in values), values[0].positions)

    def add(self, a, b):
        return self.op("add", [a, b], a.channels, a.positions)

    def matmul(self, a, b, channels, positions, inner):
        """batch × channels × positions results, each a sum over `inner` products."""
        return self.op("matmul", [a, b], channels, positions, 2 * self.batch * channels * positions * inner)

    def loss(self, values):
        values = [self.dense(value, 8 * self.rng.randint(1, 12)) for value in values]
        return self.op("loss", values, values[0].channels, values[0].positions)


def _stem(drawing, positions, channels):
    """A first convolution, maybe at once down-sampled."""
    x = drawing.convolution(None, channels, positions, kernel=drawing.rng.choice((3, 5, 7)))
    return drawing.pool(x) if drawing.rng.random() < 0.5 else x


def _image(drawing, least=64, most=384):
    """Positions of a square image."""
    side = 32 * round(drawing.log_uniform(least, most) / 32)
    return side * side


def _chain_stages(drawing):
    """A chain of convolutions that get wider as images shrink. Yields after each, then the last value."""
    rng = drawing.rng
    channels = drawing.log_uniform(16, 80)
    separable = rng.random() < 0.3
    x = _stem(drawing, _image(drawing), drawing.width(channels))
    for stage in range(rng.randint(3, 5)):
        for _ in range(rng.randint(2, 8)):
            if separable:
                x = drawing.convolution(x, x.channels, groups=x.channels, kind="depthwise")
            x = drawing.convolution(x, drawing.width(channels * 2**stage), kernel=1 if separable else 3)
            yield x
        x = drawing.pool(x)
    yield x


def _residual_stages(drawing):
    """Stages of residual blocks, plain or with a bottleneck. Yields after each block."""
    rng = drawing.rng
    channels = drawing.log_uniform(16, 64)
    bottleneck = rng.choice((1, 4))
    x = _stem(drawing, _image(drawing), drawing.width(channels))
    for stage in range(rng.randint(2, 4)):
        width = drawing.width(channels * 2**stage)
        for block in range(rng.randint(1, 5)):
            positions = x.positions // 4 if stage and not block else x.positions
            inner = drawing.convolution(x, width, kernel=1 if bottleneck > 1 else 3)
            if bottleneck > 1:
                inner = drawing.convolution(inner, width, positions)
            inner = drawing.convolution(inner, width * bottleneck, positions, plain=True)
            if (x.channels, x.positions) != (inner.channels, positions):
                x = drawing.convolution(x, inner.channels, positions, kernel=1, plain=True)
            x = drawing.activation(drawing.add(x, inner))
            yield x
    yield x


def _transformer_stages(drawing):
    """Blocks of attention and a perceptron. Yields after each block."""
    rng = drawing.rng
    heads = rng.choice((4, 8, 12, 16))
    channels = heads * rng.choice((32, 64))
    tokens = 32 * round(drawing.log_uniform(64, 1024) / 32)
    wider = rng.choice((2, 4))
    separate = rng.random() < 0.5
    fused = rng.random() < 0.3
    x = drawing.op("embedding", [], channels, tokens, weights=channels * rng.randint(1000, 8000))
    for _ in range(rng.randint(2, 13)):
        y = drawing.like("norm", x, ("input",))
        if separate:
            q, k, v = (drawing.dense(y, channels) for _ in range(3))
        else:
            q = k = v = drawing.dense(y, 3 * channels)
        if fused:
            flops = 4 * drawing.batch * channels * tokens * tokens
            y = drawing.op("attention", [q, k, v], channels, tokens, flops, takes=("input", "output"))
        else:
            y = drawing.matmul(q, k, heads * tokens, tokens, channels // heads)
            y = drawing.like("softmax", y, ("output",))
            y = drawing.matmul(y, v, channels, tokens, tokens)
        x = drawing.add(x, drawing.dense(y, channels))
        y = drawing.dense(drawing.like("norm", x, ("input",)), wider * channels)
        x = drawing.add(x, drawing.dense(drawing.like("gelu", y, ("input",)), channels))
        yield x
    yield x


def _last(stages):
    *_, x = stages
    return x


def _classifier(stages):
    return lambda drawing: drawing.loss([drawing.mean(_last(stages(drawing)))])


def _chain(drawing):
    x = _last(_chain_stages(drawing))
    if drawing.rng.random() < 0.5:
        x = drawing.mean(x)
    drawing.loss([x])


def _transformer(drawing):
    """A language model's loss is over all tokens, a classifier's over one."""
    x = drawing.like("norm", _last(_transformer_stages(drawing)), ("input",))
    drawing.loss([x if drawing.rng.random() < 0.6 else drawing.mean(x)])


def _dense(drawing):
    """Each layer takes the outputs of all before it in its block."""
    rng = drawing.rng
    growth = drawing.width(drawing.log_uniform(12, 40))
    x = _stem(drawing, _image(drawing, 64, 256), 2 * growth)
    narrow = rng.random() < 0.5
    for _ in range(rng.randint(2, 4)):
        values = [x]
        for _ in range(rng.randint(2, 8)):
            y = drawing.concat(values)
            if narrow:
                y = drawing.convolution(y, 4 * growth, kernel=1)
            values.append(drawing.convolution(y, growth))
        y = drawing.concat(values)
        x = drawing.pool(drawing.convolution(y, drawing.width(y.channels / 2), kernel=1))
    drawing.loss([drawing.mean(x)])


def _unet(drawing):
    rng = drawing.rng
    channels = drawing.log_uniform(16, 64)
    depth = rng.randint(3, 5)
    convolutions = rng.randint(1, 3)

    def several(x, width):
        for _ in range(convolutions):
            x = drawing.convolution(x, width)
        return x

    x = drawing.convolution(None, drawing.width(channels), _image(drawing, 96, 448))
    skips = []
    for level in range(depth):
        x = several(x, drawing.width(channels * 2**level))
        skips.append(x)
        x = drawing.pool(x)
    x = several(x, drawing.width(channels * 2**depth))
    for skip in reversed(skips):
        x = drawing.concat([drawing.upsample(x, skip.channels), skip])
        x = several(x, skip.channels)
    drawing.loss([x])


def _unetpp(drawing):
    """U-Net with nested skips: each value of a level takes all before it in the level and one from below."""
    rng = drawing.rng
    channels = drawing.log_uniform(16, 48)
    depth = rng.randint(3, 5)
    twice = rng.random() < 0.5
    widths = [drawing.width(channels * 2**level) for level in range(depth)]

    def several(x, width):
        x = drawing.convolution(x, width)
        return drawing.convolution(x, width) if twice else x

    grid = [[] for _ in range(depth)]
    x = drawing.convolution(None, widths[0], _image(drawing, 96, 384))
    for level in range(depth):
        x = several(drawing.pool(x) if level else x, widths[level])
        grid[level].append(x)
        # As soon as there are values to take, diagonal by diagonal.
        for above in range(level - 1, -1, -1):
            up = drawing.upsample(grid[above + 1][-1], widths[above])
            grid[above].append(several(drawing.concat([*grid[above], up]), widths[above]))
    drawing.loss(grid[0][1:] if rng.random() < 0.4 else grid[0][-1:])


def _inception(drawing):
    """Blocks of branches with one to four convolutions each."""
    rng = drawing.rng
    channels = drawing.log_uniform(16, 64)
    x = _stem(drawing, _image(drawing), drawing.width(channels))
    for stage in range(rng.randint(2, 3)):
        for _ in range(rng.randint(1, 3)):
            outputs = []
            for _ in range(rng.randint(2, 5)):
                y = x
                for _ in range(rng.randint(1, 4)):
                    y = drawing.convolution(y, drawing.width(channels * 2**stage), kernel=rng.choice((1, 3, 3, 5)))
                outputs.append(y)
            x = drawing.concat(outputs)
        x = drawing.pool(x)
    drawing.loss([drawing.mean(x)])


def _two_tower(drawing):
    """Two encoders that meet at the end; their ops come one tower after the other, or in turns."""
    rng = drawing.rng
    towers = [rng.choice((_chain_stages, _residual_stages, _transformer_stages))(drawing) for _ in range(2)]
    if rng.random() < 0.5:
        ends = [_last(tower) for tower in towers]
    else:
        ends, going = [None, None], [0, 1]
        while going:
            for side in list(going):
                value = next(towers[side], None)
                if value is None:
                    going.remove(side)
                else:
                    ends[side] = value
    width = drawing.width(drawing.log_uniform(64, 512))
    left, right = (drawing.dense(drawing.mean(end), width) for end in ends)
    if rng.random() < 0.5:
        drawing.loss([drawing.matmul(left, right, drawing.batch, 1, width)])
    else:
        drawing.loss([drawing.activation(drawing.dense(drawing.concat([left, right]), width))])


FAMILIES = {
    "chain": _chain,
    "residual": _classifier(_residual_stages),
    "dense": _dense,
    "unet": _unet,
    "unetpp": _unetpp,
    "inception": _inception,
    "transformer": _transformer,
    "two_tower": _two_tower,
}


class _Backward:
    """All nodes of a training graph: the forward ops, then their gradients in reverse order."""

    def __init__(self, drawing):
        rng = drawing.rng
        self.drawing = drawing
        self.nodes = []
        # How gradients of a value with several consumers are summed: pair by pair as they come, or all in one node.
        self.pairwise = rng.random() < 0.5
        self.weights_first = rng.random() < 0.5
        # "none": weights are updated in place by the node that makes their gradient.
        self.updates = rng.choice(("none", "none", "at once", "at the end"))
        self.gradients = {op: [] for op in drawing.ops}
        for op in drawing.ops:
            self.node(op.name, op.cost, op.bytes, [value.index for value in op.inputs], False)
        late = []
        for op in reversed(drawing.ops):
            late += self.differentiate(op)
        for name, weights, gradient in late:
            self.update(name, weights, gradient)

    def node(self, name, cost, size, deps, is_backward=True):
        deps = list(dict.fromkeys(deps))
        self.nodes.append({"name": name, "cost": cost, "bytes": size, "deps": deps, "is_backward": is_backward})
        return len(self.nodes) - 1

    def add(self, op, terms):
        """The index of a node that sums gradients of `op`."""
        cost = self.drawing.seconds(0, (len(terms) + 1) * op.bytes)
        return self.node(f"sum_{op.name}_{len(self.nodes)}", cost, op.bytes, terms)

    def arrive(self, op, gradient):
        terms = self.gradients[op]
        terms.append(gradient)
        if self.pairwise and len(terms) == 2:
            self.gradients[op] = [self.add(op, terms)]

    def update(self, name, weights, gradient):
        self.node(f"update_{name}", self.drawing.seconds(0, 4 * weights), _TOKEN_BYTES, [gradient])

    def differentiate(self, op):
        """Adds the gradients of an op's inputs and weights. Returns what is to be updated at the end."""
        gradient = None
        if op.kind != "loss":
            terms = self.gradients[op]
            gradient = terms[0] if len(terms) == 1 else self.add(op, terms)
        late = []
        if self.weights_first:
            late += self.weight_gradient(op, gradient)
        for value in op.inputs:
            self.input_gradient(op, value, gradient)
        if not self.weights_first:
            late += self.weight_gradient(op, gradient)
        return late

    def weight_gradient(self, op, gradient):
        if not op.weight_bytes:
            return []
        in_place = self.updates == "none"
        deps = [value.index for value in op.inputs] + ([op.index] if "output" in op.takes else []) + [gradient]
        size = _TOKEN_BYTES if in_place else op.weight_bytes
        made = self.node(f"dW_{op.name}", self.again(op), size, deps)
        if self.updates == "at once":
            self.update(op.name, op.weight_bytes, made)
        return [(op.name, op.weight_bytes, made)] if self.updates == "at the end" else []

    def input_gradient(self, op, value, gradient):
        if op.kind == "add":
            self.arrive(value, gradient)
            return
        place = op.inputs.index(value)
        suffix = f"_{place}" if len(op.inputs) > 1 else ""
        if op.kind == "loss":
            deps = [value.index, op.index]
        elif op.kind == "matmul":
            # The other factor, or the value itself where it is both.
            deps = [other.index for other in op.inputs if other is not value] or [value.index]
            deps.append(gradient)
        else:
            deps = [other.index for other in op.inputs if "input" in op.takes]
            deps += ([op.index] if "output" in op.takes else []) + [gradient]
        slices = op.kind == "concat"
        cost = self.drawing.seconds(0, 2 * value.bytes) if slices else self.again(op)
        self.arrive(value, self.node(f"dX_{op.name}{suffix}", cost, value.bytes, deps))

    def again(self, op):
        """Seconds of a gradient: about what its op takes."""
        return round(op.cost * self.drawing.log_uniform(0.8, 1.4), 9)


def draw(family, seed):
    """The training graph FAMILY:SEED, as a dict in the plain JSON format."""
    rng = random.Random(f"{family}:{seed}")
    while True:
        drawing = Drawing(rng)
        FAMILIES[family](drawing)
        nodes = _Backward(drawing).nodes
        # The weights, and the optimizer's copies of them: gradients, a momentum or two.
        const_bytes = rng.randint(1, 4) * sum(op.weight_bytes for op in drawing.ops)
        name, rate = f"{family}-{seed}", drawing.copy_bytes_per_second
        graph = {"name": name, "const_bytes": const_bytes, "pcie": rate, "nodes": nodes}
        if LEAST_NODES <= len(nodes) <= MOST_NODES and floor_bytes(graph) <= MOST_FLOOR * peak_bytes(graph):
            return graph


def peak_bytes(graph):
    """The peak in the order of the file when each value is kept until its last use."""
    nodes = graph["nodes"]
    last_use = list(range(len(nodes)))
    for i, node in enumerate(nodes):
        for dep in node["deps"]:
            last_use[dep] = i
    ends = [0] * len(nodes)
    for i, node in enumerate(nodes):
        ends[last_use[i]] += node["bytes"]
    live = peak = graph["const_bytes"]
    for i, node in enumerate(nodes):
        live += node["bytes"]
        peak = max(peak, live)
        live -= ends[i]
    return peak


def floor_bytes(graph):
    """The bytes that the most demanding node needs: its inputs and its output. No plan has a smaller peak."""
    nodes = graph["nodes"]
    needed = [node["bytes"] + sum(nodes[dep]["bytes"] for dep in node["deps"]) for node in nodes]
    return graph["const_bytes"] + max(needed)


def parse_name(text):
    """(family, seed) of "FAMILY:SEED"; an error says what is wrong."""
    family, _, seed = text.partition(":")
    if family not in FAMILIES:
        raise argparse.ArgumentTypeError(f'"{text}": there is no family "{family}"; there are {", ".join(FAMILIES)}')
    if not seed.isdecimal():
        raise argparse.ArgumentTypeError(f'"{text}": give a seed, as in {family}:1')
    return family, int(seed)


def main(arguments):
    parser = Parser(__doc__, prog="str bench drawn_graphs")
    parser.add_argument("graphs", nargs="+", type=parse_name, metavar="FAMILY:SEED", help=", ".join(FAMILIES))
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(), metavar="DIR", help="default: here")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    for family, seed in options.graphs:
        graph = draw(family, seed)
        file = options.output / f"{graph['name']}.json"
        write_json(file, graph)
        print(f"{file}: {len(graph['nodes'])} nodes, {sum(node['cost'] for node in graph['nodes']):.4f} s")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
