"""Loops and conditionals of TensorFlow itself, to stand between the dense layers of control_flow_steps.py.

Each takes the activations h and two weights a and b, and returns activations of the same shape. `step` is the number of
steps before: a variable, so that TensorFlow can fold nothing that depends on it.
"""

import tensorflow as tf

ROWS, WIDTH = 512, 256
_GROUPS = 8


def repeat(times, function, value):
    """A loop: function(i, value) `times` times."""
    return tf.while_loop(lambda i, _: i < times, lambda i, v: (i + 1, function(i, v)), (tf.zeros_like(times), value))[1]


def _groups(h):
    return tf.reshape(h, [_GROUPS, ROWS // _GROUPS, WIDTH])


def _rows(groups):
    return tf.reshape(groups, [ROWS, WIDTH])


def dense(h, weight):
    return tf.tanh(tf.matmul(h, weight))


def while_loop(h, a, b, step):
    return repeat(4, lambda i, v: dense(v, a) + dense(v, b), h)


def _while_of_varying_length(h, a, b, step):
    return repeat(step % 3, lambda i, v: dense(v, a), h)


def _while_without_iterations(h, a, b, step):
    return repeat(tf.minimum(step, 0), lambda i, v: dense(v, a), h) + dense(h, b)


def _while_until_small(h, a, b, step):
    def is_large(_, value):
        return tf.reduce_mean(tf.abs(value)) > 0.02

    return tf.while_loop(is_large, lambda i, v: (i + 1, 0.5 * dense(v, a)), (0, h), maximum_iterations=5)[1]


def _nested_while(h, a, b, step):
    return repeat(2, lambda i, outer: dense(repeat(i + 1, lambda j, inner: dense(inner, a), outer), b), h)


def _two_whiles(h, a, b, step):
    """The second loop enters with results of the first; both results are used later."""
    first = repeat(3, lambda i, v: dense(v, a), h)
    second = repeat(3, lambda i, v: dense(v, b) + first, tf.nn.relu(first))
    return tf.nn.relu(first) * 0.5 + tf.nn.softplus(second)


def _while_with_called_function(h, a, b, step):
    @tf.function(autograph=False)
    def layer(value):
        return dense(value, a)

    return repeat(3, lambda i, v: layer(v), h) + layer(h)


def _for_with_break(h, a, b, step):
    """Autograph makes a loop and conditionals of it."""
    value = h
    for i in tf.range(6):
        if tf.reduce_max(value) < 1e-3:
            break
        if i % 2 == 0:
            value = dense(value, a)
            continue
        value = dense(value, b) + value
    return value


def _tensor_array(h, a, b, step):
    groups = _groups(h)
    outputs = tf.TensorArray(tf.float32, size=_GROUPS)
    state = tf.zeros_like(groups[0])
    for i in tf.range(_GROUPS):
        state = dense(groups[i], a) + dense(state, b)
        outputs = outputs.write(i, state)
    return _rows(outputs.stack())


def _scan(h, a, b, step):
    return _rows(tf.scan(lambda state, group: dense(state, a) + group, _groups(h)))


def _foldl(h, a, b, step):
    folded = tf.foldl(lambda state, group: dense(state + group, a), _groups(h))
    return h + tf.tile(folded, [_GROUPS, 1])


def _map(h, a, b, step):
    return _rows(tf.map_fn(lambda group: dense(group, a) + dense(group, b), _groups(h)))


def _cond(h, a, b, step):
    """What merges is used far behind the conditional, and the branches keep different tensors."""
    return tf.cond(step % 2 == 0, lambda: dense(dense(h, a), b), lambda: tf.nn.relu(h))


def _cond_by_value(h, a, b, step):
    return tf.cond(tf.reduce_mean(h) > 0.2 * tf.cast(step, tf.float32), lambda: dense(h, a), lambda: dense(h, b))


def _nested_cond(h, a, b, step):
    def odd():
        return tf.cond(tf.reduce_mean(h) > 0, lambda: dense(h, b), lambda: h)

    def even():
        return tf.cond(step > 1, lambda: dense(h, a), odd)

    return tf.cond(step % 2 == 0, even, odd)


def _conds_joined(h, a, b, step):
    first = tf.cond(step % 2 == 0, lambda: dense(h, a), lambda: h)
    second = tf.cond(step % 3 == 0, lambda: h, lambda: dense(h, b))
    return tf.nn.relu(first + second)


def _switch_case(h, a, b, step):
    branches = [lambda: h, lambda: dense(h, a), lambda: dense(dense(h, a), b)]
    return tf.switch_case(tf.cast(step % 4, tf.int32), branches, default=lambda: tf.nn.relu(h))


def _cond_in_while(h, a, b, step):
    def body(i, value):
        return tf.cond((i + step) % 2 == 0, lambda: dense(value, a), lambda: value * 0.5)

    return repeat(tf.constant(4, tf.int64), body, h)


def _while_in_cond(h, a, b, step):
    return tf.cond(step % 2 == 0, lambda: repeat(3, lambda i, v: dense(v, a), h), lambda: dense(h, b))


def _while_in_cond_in_while(h, a, b, step):
    def body(i, value):
        return tf.cond(
            (i + step) % 2 == 0, lambda: repeat(2, lambda j, v: dense(v, a), value), lambda: dense(value, b)
        )

    return repeat(tf.constant(3, tf.int64), body, h)


def _recomputed_while(h, a, b, step):
    return tf.recompute_grad(lambda value: repeat(3, lambda i, v: dense(v, a), value))(h) + dense(h, b)


BETWEEN = {
    "while": while_loop,
    "while_of_varying_length": _while_of_varying_length,
    "while_without_iterations": _while_without_iterations,
    "while_until_small": _while_until_small,
    "nested_while": _nested_while,
    "two_whiles": _two_whiles,
    "while_with_called_function": _while_with_called_function,
    "for_with_break": _for_with_break,
    "tensor_array": _tensor_array,
    "scan": _scan,
    "foldl": _foldl,
    "map": _map,
    "cond": _cond,
    "cond_by_value": _cond_by_value,
    "nested_cond": _nested_cond,
    "conds_joined": _conds_joined,
    "switch_case": _switch_case,
    "cond_in_while": _cond_in_while,
    "while_in_cond": _while_in_cond,
    "while_in_cond_in_while": _while_in_cond_in_while,
    "recomputed_while": _recomputed_while,
}
