"""The demo: each part does what it says, with few steps; all of it, in the nightly run."""

import functape

# isort: split
import re
import subprocess
import sys

import mlx.core as mx
import numpy
import pytest

from functape.demo import curvature, digits, maml, model, oracle


def test_digits_are_learnt():
    params, accuracy = digits.train(steps=300)
    assert accuracy > 0.95
    assert all(isinstance(p, mx.array) for p in functape.tree.leaves(params))


def test_the_top_eigenvalue_of_a_known_hessian():
    random = numpy.random.default_rng(0)
    q, _ = numpy.linalg.qr(random.normal(size=(6, 6)))
    matrix = mx.array((q * [-9, 4, 3, 2, 1, 0.5]) @ q.T)
    params = {"a": mx.array(random.normal(size=2)), "b": mx.array(random.normal(size=4))}

    def quadratic(p):
        x = functape.numpy.concatenate([p["a"], p["b"]])
        return x @ functape.asarray(matrix) @ x / 2

    eigenvalue, residual, count = curvature.top_eigenvalue(quadratic, params)
    assert eigenvalue == pytest.approx(-9, rel=1e-4)
    assert residual < 1e-3 and count < 50


def test_the_top_eigenvalue_agrees_with_jax(oracle):
    random = numpy.random.default_rng(0)
    params = functape.tree.map(mx.array, model.init(random, 64, 3, 10))
    images, targets = digits.load()[0]
    images, targets = functape.asarray(images[:50]), functape.asarray(targets[:50])
    found, _, _ = curvature.top_eigenvalue(lambda p: digits.loss(p, images, targets), params)
    ravel_pytree = pytest.importorskip("jax.flatten_util").ravel_pytree
    flat, unravel = ravel_pytree(functape.tree.map(numpy.array, params))
    hessian = oracle.hessian(lambda x: model.cross_entropy(
        oracle.numpy, unravel(x), numpy.array(images), numpy.array(targets)))(flat)
    assert found == pytest.approx(numpy.abs(numpy.linalg.eigvalsh(hessian)).max(), rel=1e-3)


def test_meta_learning_lowers_the_loss_after_adaptation():
    rows = maml.train(steps=60)
    assert [step for step, _, _ in rows] == [0, 15, 30, 45, 60]
    (_, _, first), (_, before, last) = rows[0], rows[-1]
    assert last < first / 2 and last < before / 2


def test_the_outer_gradient_goes_through_the_inner_one(oracle):
    """Second-order MAML, against JAX and against a first-order gradient, which differs."""
    random = numpy.random.default_rng(0)
    params = model.init(random, 1, 5, 1)
    batch = maml.tasks(random, 3)

    def jax_loss(params, x, y):
        return oracle.numpy.mean((model.predict(oracle.numpy, params, x) - y) ** 2)

    def jax_meta(params, second=True):
        def one(x, y, test_x, test_y):
            g = oracle.grad(jax_loss)(params, x, y)
            g = g if second else oracle.lax.stop_gradient(g)
            moved = oracle.tree.map(lambda p, g: p - maml.RATE * g, params, g)
            return jax_loss(moved, test_x, test_y)

        return oracle.numpy.mean(oracle.vmap(one)(*map(numpy.array, batch)))

    ours = functape.grad(lambda p: maml.losses(p, batch)[1])(functape.tree.map(mx.array, params))
    ours = numpy.concatenate([numpy.ravel(a) for a in functape.tree.leaves(ours)])
    exact, first_order = (
        numpy.concatenate([numpy.ravel(a) for a in oracle.tree.leaves(g)])
        for g in (oracle.grad(jax_meta)(params), oracle.grad(jax_meta)(params, False))
    )
    numpy.testing.assert_allclose(ours, exact, rtol=2e-4, atol=1e-5)
    assert numpy.abs(ours - first_order).max() > 1e-2


def test_jax_has_the_same_gradients():
    pytest.importorskip("jax")
    params = functape.tree.map(mx.array, model.init(numpy.random.default_rng(0), 64, 8, 10))
    assert oracle.largest_difference(params) < 1e-5


def run(*flags, cwd):
    command = [sys.executable, "-m", "functape.demo", *flags]
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def test_flags_leave_parts_out(tmp_path):
    said = run("--steps=5", "--nocurvature", "--nomaml", "--nojax", "--picture=a.svg", cwd=tmp_path)
    assert [line.split(":")[0] for line in said.splitlines()[:-1]] == ["digits", "picture"]
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.nightly
def test_the_whole_demo(tmp_path):
    pytest.importorskip("jax")
    said = run(cwd=tmp_path)
    assert float(re.search(r"digits: ([\d.]+)%", said)[1]) > 95
    assert float(re.search(r"residual (\S+)", said)[1]) < 2e-3
    assert float(re.search(r"differ by (\S+)", said)[1]) < 1e-5
    assert float(re.search(r"([\d.]+) s in all", said)[1]) < 60
    waves = [tuple(map(float, pair)) for pair in re.findall(r"([\d.]+) -> +([\d.]+)", said)]
    assert waves[-1][1] < 1 < waves[0][1] and waves[-1][1] < waves[-1][0]
