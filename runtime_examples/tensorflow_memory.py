"""TensorFlow's own ways to save memory: tf.recompute_grad, and the memory optimizer of its graph optimizer Grappler."""

import math

import keras
import tensorflow as tf

# Of RewriterConfig.MemOptType.
MEMORY_OPTIMIZERS = (
    "NO_MEM_OPT",
    "DEFAULT_MEM_OPT",
    "MANUAL",
    "HEURISTICS",
    "SWAPPING_HEURISTICS",
    "RECOMPUTATION_HEURISTICS",
    "SCHEDULING_HEURISTICS",
)


def set_memory_optimizer(mode):
    """Must come before anything else of TensorFlow is used: tf.config has no option for it, only the first config has.

    The optimizer recomputes for nodes whose names begin with "gradients/" unless told otherwise. GradientTape names
    gradients otherwise; without this scope the mode would do nothing.
    """
    config = tf.compat.v1.ConfigProto()
    rewriting = config.graph_options.rewrite_options
    rewriting.memory_optimization = getattr(rewriting, mode)
    rewriting.memory_optimizer_target_node_name_scope = "gradient_tape/"
    tf.compat.v1.enable_eager_execution(config=config)


def _cuts(model):
    """The tensors through which all later layers get what they take, in the order in which Keras runs the layers."""
    calls = [node for depth in sorted(model._nodes_by_depth, reverse=True) for node in model._nodes_by_depth[depth]]
    waiting = {}
    for call in calls:
        for tensor in call.input_tensors:
            waiting[id(tensor)] = waiting.get(id(tensor), 0) + 1
    alive, cuts = set(), []
    for call in calls:
        for tensor in call.input_tensors:
            waiting[id(tensor)] -= 1
            if waiting[id(tensor)] == 0:
                alive.discard(id(tensor))
        alive |= {id(tensor) for tensor in call.output_tensors if waiting.get(id(tensor))}
        if len(alive) == 1 and len(call.output_tensors) == 1 and id(call.output_tensors[0]) in alive:
            cuts.append(call.output_tensors[0])
    return cuts


def with_recompute_grad(model):
    """Returns a function like the model: parts of it, about the square root of its length, forget their activations.

    What a layer changes as it runs, such as BatchNorm's statistics or a random generator's state, it changes twice.
    """
    cuts = _cuts(model)
    # The first cut is the input. The last part is not worth running again: its gradient comes next.
    parts = max(1, math.isqrt(len(cuts)))
    bounds = [model.inputs[0], *cuts[parts::parts]]
    runs = [
        tf.recompute_grad(lambda x, part=keras.Model(start, end): part(x, training=True))
        for start, end in zip(bounds, bounds[1:], strict=False)
    ]
    last = keras.Model(bounds[-1], model.outputs[0])

    def run(x):
        for part in runs:
            x = part(x)
        return last(x, training=True)

    return run
