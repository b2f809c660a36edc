"""Trains a model whose graph TensorFlow's own passes make in another way in each process.

    python open_choices.py sums --json=FILE
    python open_choices.py loop --json=FILE

sums: convolutions with bias whose outputs are added, as in ResNet50V2. Here so many that the order of their gradients'
edges is by address: each of the sums has a bias gradient that goes to one of five.
loop: an inner loop that trains weights with max pooling.

FILE gets the losses.
"""

import json
import pathlib
import sys

import keras
import tensorflow as tf

STEPS = 3


def sums(blocks=4, convolutions=5):
    x = image = keras.Input((8, 8, 4), batch_size=2)
    for _ in range(blocks):
        x = keras.layers.Add()([keras.layers.Conv2D(4, 3, padding="same")(x) for _ in range(convolutions)])
        x = keras.layers.ReLU()(x)
    model = keras.Model(image, keras.layers.GlobalAveragePooling2D()(x))
    images = tf.random.stateless_uniform((2, 8, 8, 4), seed=(1, 2))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(images) - 1.0))
        for variable, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            variable.assign_sub(0.1 * gradient)
        return loss

    return step


def loop(layers=7, iterations=3):
    variables = [tf.Variable(tf.random.stateless_normal((3, 3, 4, 4), seed=(1, i))) for i in range(layers)]
    images = tf.random.stateless_uniform((2, 8, 8, 4), seed=(1, 2))

    @tf.function
    def step():
        weights = [tf.identity(variable) for variable in variables]
        for _ in tf.range(iterations):
            with tf.GradientTape() as tape:
                tape.watch(weights)
                x = images
                for weight in weights:
                    x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, weight, 1, "SAME")), 2, 1, "SAME")
                loss = tf.reduce_mean(tf.tanh(x))
            weights = [w - 0.1 * gradient for w, gradient in zip(weights, tape.gradient(loss, weights))]
        for variable, weight in zip(variables, weights):
            variable.assign_sub(0.5 * (variable - weight))
        return loss

    return step


def main(model, json_option):
    keras.utils.set_random_seed(1)
    step = {"sums": sums, "loop": loop}[model]()
    losses = [float(step()) for _ in range(STEPS)]
    pathlib.Path(json_option.removeprefix("--json=")).write_text(json.dumps(losses))


if __name__ == "__main__":
    main(*sys.argv[1:])
