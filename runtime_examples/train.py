"""Trains one of the example models on made-up data and writes what happened.

Plain Keras and TensorFlow: nothing here knows of STR.

    python train.py --model=vgg16 --loop=custom --steps=5 --json=result.json
    python train.py --model=mobilenet --loop=fit --batch=16 --image=96
    python train.py --model=vgg_unet --image=96x128
    python train.py --model=gpt --blocks=2 --tokens=64
    python train.py --model=linear_chain --layers=32
    python train.py --list

Exit code: 0 trained; 7 out of memory. With --expect-oom: 0 out of memory; 1 trained.
"""

import argparse
import sys

import keras
import tensorflow as tf
from data import make_data
from json_file import write_json
from measure import StepRecorder, variables_sha256
from models import EXAMPLES, list_of_examples
from size_options import add_size_options, image_text, settle_sizes
from tensorflow_memory import MEMORY_OPTIMIZERS, set_memory_optimizer, with_recompute_grad

_LEARNING_RATE = 0.001
_EXIT_OUT_OF_MEMORY = 7


def train_with_fit(model, optimizer, loss, inputs, labels, options, recorder):
    """model.fit over a tf.data pipeline. Keras reports the mean loss since the epoch's start; that is recorded."""

    class Record(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            recorder.start_step()

        def on_train_batch_end(self, batch, logs=None):
            recorder.end_step(logs["loss"])

    dataset = tf.data.Dataset.from_tensor_slices((inputs, labels))
    dataset = dataset.batch(options.batch, drop_remainder=True).repeat().prefetch(2)
    model.compile(optimizer=optimizer, loss=loss)
    model.fit(dataset, epochs=1, steps_per_epoch=options.steps, shuffle=False, verbose=0, callbacks=[Record()])


def train_with_custom_loop(model, optimizer, loss, inputs, labels, options, recorder):
    """A tf.function step, fed one batch after the other."""
    optimizer.build(model.trainable_variables)
    forward = with_recompute_grad(model) if options.recompute_grad else lambda x: model(x, training=True)

    @tf.function(
        input_signature=[
            tf.TensorSpec([options.batch, *inputs.shape[1:]], inputs.dtype),
            tf.TensorSpec([options.batch, *labels.shape[1:]], labels.dtype),
        ]
    )
    def step(x, y):
        with tf.GradientTape() as tape:
            value = loss(y, forward(x))
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return value

    batches = [
        (tf.constant(inputs[i : i + options.batch]), tf.constant(labels[i : i + options.batch]))
        for i in range(0, len(inputs), options.batch)
    ]
    for i in range(options.steps):
        recorder.start_step()
        value = step(*batches[i % len(batches)])
        recorder.end_step(value.numpy())


def make_reproducible(seed):
    """The same seed gives the same bits.

    enable_op_determinism is not enough: AddN of three or more tensors, which BatchNorm's gradient has, starts its sum
    with an input whose buffer happens to be free, so the rounding depends on the order in which ops run side by side.
    """
    keras.utils.set_random_seed(seed)
    tf.config.experimental.enable_op_determinism()
    tf.config.threading.set_inter_op_parallelism_threads(1)


def train(options):
    """Returns the results; "status" is "ok" or "oom"."""
    if options.memory_optimizer:
        set_memory_optimizer(options.memory_optimizer)
    make_reproducible(options.seed)
    example = EXAMPLES[options.model]
    recorder = StepRecorder(options.turns)
    results = {name: getattr(options, name) for name in ("model", "loop", "batch", "steps", "seed")}
    results["image"] = None if example.vocabulary else image_text(options.shape)
    try:
        model = example.make(options.shape, options.classes, options.blocks)
        inputs, labels = make_data(options, example.vocabulary, model.output_shape[1:-1])
        optimizer = keras.optimizers.SGD(_LEARNING_RATE)
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        loop = train_with_fit if options.loop == "fit" else train_with_custom_loop
        loop(model, optimizer, loss, inputs, labels, options, recorder)
        results["status"] = "ok"
        results["variables_sha256"] = variables_sha256(model, optimizer)
    except tf.errors.ResourceExhaustedError as error:
        results["status"] = "oom"
        results["variables_sha256"] = None
        results["error"] = error.message
    return {**results, **recorder.results()}


class _ListAction(argparse.Action):
    """--list: prints the models and ends, whatever else was asked for."""

    def __call__(self, parser, namespace, values, option_string=None):
        print(list_of_examples())
        parser.exit()


def parse_options(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__.strip(), formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--list", action=_ListAction, nargs=0, help="print the models' names and sizes, and end")
    add_size_options(parser)
    parser.add_argument("--loop", choices=("fit", "custom"), default="custom")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--memory-optimizer", choices=MEMORY_OPTIMIZERS, metavar="MODE", help="Grappler's, one of %(choices)s"
    )
    parser.add_argument("--recompute-grad", action="store_true", help="parts of the model under tf.recompute_grad")
    parser.add_argument(
        "--turns", metavar="FILE", help="runs with the same file take turns, step by step, to be compared in time"
    )
    parser.add_argument("--json", metavar="FILE", help="write the results here")
    parser.add_argument("--expect-oom", action="store_true", help="running out of memory is the success")
    options = parser.parse_args(arguments)
    settle_sizes(parser, options)
    if options.recompute_grad and options.loop != "custom":
        parser.error("--recompute-grad is for --loop=custom")
    return options


def main(arguments):
    options = parse_options(arguments)
    results = train(options)
    if options.json:
        write_json(options.json, results)
    out_of_memory = results["status"] == "oom"
    if out_of_memory:
        print(f"{options.model}: out of memory after {len(results['losses'])} steps")
    else:
        losses = ", ".join(f"{float.fromhex(loss):.6f}" for loss in results["losses"])
        print(f"{options.model}: trained {options.steps} steps, losses {losses}")
    if options.expect_oom:
        return 0 if out_of_memory else 1
    return _EXIT_OUT_OF_MEMORY if out_of_memory else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
