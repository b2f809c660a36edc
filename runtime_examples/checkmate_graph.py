"""Checkmate's graph and cost model of a Keras model's training step, as node-link JSON that `str plan` reads.

One node for each layer, the loss, and one for each layer's gradient; costs in FLOPs, from the shapes of the layers
alone: nothing is traced or run. "const_bytes" are weights and their gradients.

    ./str python runtime_examples/checkmate_graph.py --model=vgg19 --batch=167 --output=vgg19.json
    ./str plan vgg19.json --budget=16GB --cost-unit=1ns

Images and classes that are not given are those of the literature: 224x224 and 1000 for most.
"""

import argparse
import math
import sys

import keras
from json_file import write_json
from layer_flops import layer_flops
from models import EXAMPLES
from published import PUBLISHED
from size_options import add_size_options, settle_sizes

_BYTES = 4


def _calls(model):
    """The calls of layers that make up the model, in the order in which Keras runs them; inputs are not among them."""
    by_depth = model._nodes_by_depth
    return [node for depth in sorted(by_depth, reverse=True) for node in by_depth[depth] if not node.is_input]


def _forward(model, batch):
    """Returns name, FLOPs, bytes and inputs (as indices) of each call of a layer."""
    calls = _calls(model)
    index = {id(call): i for i, call in enumerate(calls)}

    def sized(tensors):
        return [(batch, *tensor.shape[1:]) for tensor in tensors]

    nodes = []
    for call in calls:
        layer = call.operation
        if isinstance(layer, keras.Model):
            raise ValueError(f"layer {layer.name} is a model of its own; only flat models are understood")
        outputs = sized(call.output_tensors)
        nodes.append(
            {
                "name": layer.name,
                "flops": layer_flops(layer, sized(call.input_tensors), outputs[0]),
                "bytes": sum(math.prod(shape) for shape in outputs) * _BYTES,
                "inputs": sorted({index[id(parent)] for parent in call.parent_nodes if id(parent) in index}),
            }
        )
    return nodes


def training_graph(model, batch, name):
    """Returns the graph as a dict of node-link JSON. Node i is layer i, n the loss, 2n-i the gradient of layer i."""
    forward = _forward(model, batch)
    count = len(forward)
    nodes = [None] * (2 * count + 1)
    nodes[count] = {"name": "Loss", "backward": True, "cost_cpu": 0, "cost_ram": _BYTES * batch}
    links = {(count - 1, count), (count, count + 1)}
    for i, layer in enumerate(forward):
        gradient = 2 * count - i
        cost = {"cost_cpu": layer["flops"], "cost_ram": layer["bytes"]}
        nodes[i] = {"name": layer["name"], "backward": False, **cost}
        cost["cost_cpu"] *= 2
        nodes[gradient] = {"name": f"{layer['name']}_backward", "backward": True, **cost}
        links.add((i, gradient))
        for producer in layer["inputs"]:
            # A layer's output, not its input, is what the gradient of the one before it takes.
            links |= {(producer, i), (gradient, 2 * count - producer), (i, 2 * count - producer)}
    return {
        "directed": True,
        "multigraph": False,
        "graph": {"name": name, "const_bytes": 2 * model.count_params() * _BYTES},
        "nodes": [{"id": i, **node} for i, node in enumerate(nodes)],
        "links": [{"source": source, "target": target} for source, target in sorted(links)],
    }


def published_model(name, shape, classes, blocks=None):
    """The model layer for layer as published measurements have it."""
    example = EXAMPLES[name]
    model = PUBLISHED[name](shape, classes) if name in PUBLISHED else example.make(shape, classes, blocks)
    if example.vocabulary is None and len(model.output_shape) > 2:
        # Segmentation ends in a probability for each place, in one row.
        x = keras.layers.Reshape((-1, classes))(model.output)
        model = keras.Model(model.input, keras.layers.Activation("softmax")(x), name=name)
    return model


def parse_options(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__.strip(), formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    add_size_options(parser)
    parser.add_argument("--output", metavar="FILE", help="default: NAME.json")
    options = parser.parse_args(arguments)
    settle_sizes(parser, options, full_size=True)
    options.output = options.output or f"{options.model}.json"
    return options


def main(arguments):
    options = parse_options(arguments)
    model = published_model(options.model, options.shape, options.classes, options.blocks)
    name = f"{options.model}_{options.batch}_{'x'.join(map(str, options.shape))}_train"
    try:
        graph = training_graph(model, options.batch, name)
    except ValueError as error:
        print(f"{options.model}: {error}", file=sys.stderr)
        return 1
    write_json(options.output, graph)
    print(f"{options.output}: {len(graph['nodes'])} nodes, {len(graph['links'])} links")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
