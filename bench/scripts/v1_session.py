"""A graph and a session, as before TensorFlow 2."""

import hashlib

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(1)


def convolution(x, filters, name):
    weights = tf.get_variable(
        name, [3, 3, int(x.shape[-1]), filters], initializer=tf.glorot_uniform_initializer(seed=len(name))
    )
    return tf.nn.relu(tf.nn.conv2d(x, weights, strides=1, padding="SAME"))


x = tf.placeholder(tf.float32, [None, 64, 64, 3])
y = tf.placeholder(tf.int64, [None])
hidden = convolution(x, 32, "first")
hidden = convolution(hidden, 32, "second")
hidden = convolution(hidden, 32, "third_")
hidden = tf.reduce_mean(hidden, axis=[1, 2])
logits = tf.matmul(hidden, tf.get_variable("head", [32, 10], initializer=tf.glorot_uniform_initializer(seed=9)))
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)

images = np.random.default_rng(1).normal(size=(112, 64, 64, 3)).astype("float32")
labels = np.random.default_rng(2).integers(0, 10, size=112)
options = tf.ConfigProto(inter_op_parallelism_threads=1)
with tf.Session(config=options) as session:
    session.run(tf.global_variables_initializer())
    for epoch in range(2):
        for first in range(0, len(images), 32):
            batch = {x: images[first : first + 32], y: labels[first : first + 32]}
            value, _ = session.run([loss, train], batch)
        print(f"epoch {epoch + 1}: loss {value:.5f}")
    digest = hashlib.sha256()
    for variable in session.run(tf.global_variables()):
        digest.update(variable.tobytes())
print("digest", digest.hexdigest(), flush=True)
