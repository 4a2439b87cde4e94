r"""A function of tensors as one of real vectors, and its Jacobian by finite differences.

Complex arrays count as pairs of real ones. A cotangent h of a complex z then means the row
(Re h, -Im h), since the pairing of functape (and JAX) is Re(sum h t); and for a complex output the
rows of its real and its imaginary part are those of the seeds 1 and -1j.
"""

import warnings

import mlx.core as mx
import numpy as np

from functape.errors import GradcheckError, describe
from functape.op import Value
from functape.pairs import COMPLEX, converted, is_complex
from functape.tensor import INEXACT, Tensor, as_array, as_numpy


class Problem:
    """The function, its inputs, and which of them move."""

    def __init__(self, func, inputs, eps):
        self.func, self.eps = func, eps
        self.inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
        self.moving = [i for i, x in enumerate(self.inputs)
                       if isinstance(x, Tensor) and x.requires_grad]
        if not self.moving:
            raise GradcheckError("gradcheck: no input requires grad, so there is nothing to "
                                 "check. Make one with requires_grad=True.")
        for i in self.moving:
            if self.inputs[i].dtype not in (mx.float64, *COMPLEX):
                warnings.warn(
                    f"gradcheck: input {i} is {describe(self.inputs[i])}; steps of {eps:g} may be "
                    "lost in its rounding. Use float64, or a larger eps and larger tolerances.",
                    UserWarning, stacklevel=3)
        self.start = [as_numpy(self.inputs[i].array) for i in self.moving]

    def leaves(self, arrays=None):
        """New leaves with the values of the moving inputs, or with other values."""
        arrays = self.start if arrays is None else arrays
        return [leaf(a, self.inputs[i].dtype) for i, a in zip(self.moving, arrays, strict=True)]

    def call(self, moving):
        """The floating-point outputs for these moving inputs."""
        args = list(self.inputs)
        for i, x in zip(self.moving, moving, strict=True):
            args[i] = x
        return self.select(self.func(*args))

    def select(self, out):
        outs = out if isinstance(out, (tuple, list)) else (out,)
        for k, o in enumerate(outs):
            if not isinstance(o, Value):
                raise GradcheckError(f"gradcheck: output {k} of the function is {describe(o)}; it "
                                     "must be a tensor.")
        return [o for o in outs if o.dtype in INEXACT]

    def outputs(self, arrays=None):
        return self.call(self.leaves(arrays))

    def values(self, arrays):
        """The outputs as real vectors."""
        return [real(as_numpy(o.array)) for o in self.outputs(arrays)]

    def difference(self, j, direction):
        """How the outputs change along a direction of moving input j, a real vector."""
        start = self.start[j]
        ends = []
        for sign in (1, -1):
            arrays = list(self.start)
            arrays[j] = (start + sign * self.eps * unreal(direction, start)).astype(start.dtype)
            ends.append((real(arrays[j]), self.values(arrays)))
        (x, high), (y, low) = ends
        step = np.dot(x - y, direction) / np.dot(direction, direction)  # what rounding left of it
        step = step or 2 * self.eps
        return [(a - b) / step for a, b in zip(high, low, strict=True)]

    def numerical(self, j):
        """For each output, the Jacobian by moving input j: outputs down, inputs across."""
        n = real(self.start[j]).size
        columns = [self.difference(j, unit(n, c)) for c in range(n)]
        if not columns:
            return [np.zeros((v.size, 0)) for v in self.values(self.start)]
        return [np.stack(blocks, axis=1) for blocks in zip(*columns, strict=True)]


def leaf(array, dtype):
    """A new leaf."""
    return Tensor(converted(as_array(np.asarray(array)), dtype)).requires_grad_()


def real(array):
    """An array as a real vector; a complex number is two entries."""
    array = np.asarray(array)
    if np.iscomplexobj(array):
        array = np.stack([array.real, array.imag], axis=-1)
    return array.astype(np.float64).reshape(-1)


def unreal(vector, like):
    """The array of the form of `like` whose real vector this is."""
    if np.iscomplexobj(like):
        vector = vector[0::2] + 1j * vector[1::2]
    return vector.reshape(np.shape(like))


def row_of(cotangent, like):
    """The row of a Jacobian that a cotangent stands for, as a real vector."""
    array = as_numpy(cotangent.array)
    return real(np.conj(array) if np.iscomplexobj(like) else array)


def seed_of(vector, output):
    """The cotangent that picks a combination of the real entries of an output."""
    array = np.conj(unreal(vector, as_numpy(output.array)))
    return Tensor(converted(as_array(array), output.dtype))


def unit(n, c):
    return np.eye(1, n, c)[0]


def random_like(random, x):
    array = random.standard_normal(x.shape)
    return array + 1j * random.standard_normal(x.shape) if is_complex(x) else array


def random_unit(random, n):
    vector = random.standard_normal(n)
    return vector / max(np.linalg.norm(vector), 1e-300)


# --- verdicts -----------------------------------------------------------------------------------


def close(a, b, limits):
    atol, rtol = limits
    return bool(np.all(np.abs(a - b) <= atol + rtol * np.abs(b)))  # False where there is a NaN


def compare(analytical, numerical, k, i, limits, how, remark=""):
    """Raise with both matrices and the worst entry, where two Jacobians differ."""
    if close(analytical, numerical, limits):
        return
    atol, rtol = limits
    error = np.abs(analytical - numerical)
    excess = np.nan_to_num(error - rtol * np.abs(numerical), nan=np.inf)
    at = np.unravel_index(np.argmax(excess), error.shape)
    relative = error[at] / max(abs(numerical[at]), 1e-300)
    raise GradcheckError(
        f"Jacobian mismatch for output {k} with respect to input {i} ({how}): entry "
        f"[{', '.join(map(str, at))}] is {analytical[at]:.8g}, but finite differences give "
        f"{numerical[at]:.8g} (off by {error[at]:.3g}, relatively {relative:.3g}; atol={atol:g}, "
        f"rtol={rtol:g}).{remark} Outputs run down, inputs across.\n"
        f"numerical:\n{numerical}\nanalytical:\n{analytical}"
    )
