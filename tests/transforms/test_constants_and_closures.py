"""What is a constant inside of transforms, and what a custom rule may close over."""

import functape as ft  # before mlx.core, which then finds a fast BLAS

# isort: split
import threading

import numpy
import pytest

from functape.errors import GraphError, InplaceError

np = ft.numpy


def detached(x):
    return x.detach() * x * x  # c x^2 with c = x: derivatives 2 c x and 2 c


@pytest.mark.parametrize("second", [
    lambda f: ft.grad(ft.grad(f))(3.0),
    lambda f: ft.hessian(f)(3.0),
    lambda f: ft.jacfwd(ft.jacfwd(f))(3.0),
    lambda f: ft.hvp(f, (3.0,), (1.0,)),
    lambda f: ft.jvp(ft.grad(f), (3.0,), (1.0,))[1],
], ids=["grad(grad)", "hessian", "jacfwd(jacfwd)", "hvp", "jvp(grad)"])
def test_detach_makes_a_constant_for_every_transform(second):
    assert second(detached).item() == 6.0


def test_detach_under_vmap_and_jvp():
    x = np.arange(3.0)
    assert ft.vmap(detached)(x).tolist() == [0.0, 1.0, 8.0]
    assert ft.vmap(ft.grad(detached))(x).tolist() == [0.0, 2.0, 8.0]
    assert [t.item() for t in ft.jvp(detached, (3.0,), (1.0,))] == [27.0, 18.0]


@pytest.mark.parametrize("call", [
    lambda: ft.vmap(lambda x: x.requires_grad)(np.ones(2)),
    lambda: ft.jvp(lambda x: x.backward(), (3.0,), (1.0,)),
])
def test_eager_attributes_are_missing_by_name_under_vmap_and_jvp(call):
    with pytest.raises(AttributeError, match="eager tensors.*stop_gradient"):
        call()


@pytest.mark.parametrize("call, expected", [
    (lambda f: ft.grad(f)(3.0), 27.0),
    (lambda f: ft.vjp(f, 3.0)[1](1.0)[0], 27.0),
    (lambda f: ft.jvp(f, (3.0,), (1.0,))[1], 27.0),
    (lambda f: ft.hessian(f)(3.0), 18.0),
    (lambda f: ft.vmap(ft.grad(f))(np.full(2, 3.0))[0], 27.0),
], ids=["grad", "vjp", "jvp", "hessian", "vmap(grad)"])
@pytest.mark.parametrize("mode", [ft.inference_mode, ft.no_grad])
def test_transforms_differentiate_whatever_the_grad_mode(mode, call, expected):
    with mode():
        found = call(lambda x: x ** 3)
        assert found.item() == expected and not found.requires_grad
        assert ft.is_inference_mode_enabled() is (mode is ft.inference_mode)


def times(kind, w):
    """x -> w x with a rule of its own; w is closed over."""
    f = getattr(ft, kind)(lambda x: x * w)
    if kind == "custom_vjp":
        f.defvjp(lambda x: (x * w, None), lambda res, g: (g * w,))
    else:
        f.defjvp(lambda primals, tangents: (f(*primals), tangents[0] * w))
    return f


KINDS = pytest.mark.parametrize("kind", ["custom_vjp", "custom_jvp"])


@KINDS
def test_a_rule_may_close_over_what_a_vmap_maps(kind):
    w = np.arange(1.0, 4.0)
    assert ft.vmap(lambda w: times(kind, w)(w))(w).tolist() == [1.0, 4.0, 9.0]
    assert ft.vmap(lambda w: ft.grad(times(kind, w))(w))(w).tolist() == [1.0, 2.0, 3.0]


@KINDS
@pytest.mark.parametrize("lose", [
    lambda f: ft.grad(lambda w: f(w)(2.0 * w))(3.0),
    lambda f: ft.grad(lambda w: ft.grad(lambda x: f(w)(x))(2.0))(3.0),
    lambda f: ft.vmap(lambda w: ft.grad(lambda x: f(x)(w))(w))(np.ones(2)),
    lambda f: f(ft.tensor(3.0, requires_grad=True))(ft.tensor(2.0, requires_grad=True)),
], ids=["grad", "nested", "vmap", "eager"])
def test_a_rule_may_not_close_over_what_is_differentiated(kind, lose):
    with pytest.raises(TypeError, match="closes over. Pass that as an argument"):
        lose(lambda w: times(kind, w))
    assert ft.grad(lambda x: x * x)(3.0).item() == 6.0


def test_a_forward_rule_may_not_close_over_a_tangent():
    with pytest.raises(TypeError, match="closes over"):
        ft.jvp(lambda w: times("custom_jvp", w)(w), (5.0,), (1.0,))


@KINDS
def test_a_rule_may_close_over_constants(kind):
    w = ft.tensor(3.0, requires_grad=True)
    assert ft.grad(times(kind, w.detach()))(2.0).item() == 3.0
    assert ft.grad(lambda x: times(kind, ft.stop_gradient(x))(x))(2.0).item() == 2.0


def test_custom_gradient_may_not_close_over_what_is_differentiated():
    with pytest.raises(TypeError, match="closes over"):
        ft.grad(lambda w: ft.custom_gradient(lambda x: (x * w, lambda g: g * w))(w))(5.0)


@pytest.mark.parametrize("transform", [
    ft.grad, ft.value_and_grad, lambda f: lambda x: ft.vjp(f, x), ft.jit,
    lambda f: ft.grad(ft.grad(f)),
], ids=["grad", "value_and_grad", "vjp", "jit", "grad(grad)"])
def test_values_of_a_run_are_not_written_into_outer_tensors(transform):
    buffer = ft.tensor([1.0, 2.0])

    def f(x):
        buffer[0] = x * x
        buffer.mul_(2.0)
        return x * x * x

    for _ in range(2):
        with pytest.raises(InplaceError, match="from outside of its function, float32"):
            transform(f)(np.array(3.0))
        assert buffer.tolist() == [1.0, 2.0] and not buffer.requires_grad


def test_a_refused_write_restores_what_was_there_just_before():
    buffer = ft.tensor([1.0])

    def failing(x):
        buffer[0] = 5.0
        raise KeyError("on the way")

    def writing(x):
        buffer[0] = x * x
        return x

    with pytest.raises(KeyError):
        ft.grad(failing)(3.0)
    with pytest.raises(InplaceError):
        ft.grad(writing)(3.0)
    assert buffer.tolist() == [5.0]


def test_a_trace_leaves_the_tensors_of_other_threads_alone():
    found, turn = [], threading.Barrier(2, timeout=20)

    def elsewhere():
        def f(x):
            own = ft.zeros(1)
            turn.wait()  # until the trace has begun
            own[0] = x
            turn.wait()  # the trace ends
            turn.wait()
            return own.sum()

        found.append(ft.grad(f)(3.0).item())

    def traced(x):
        turn.wait()
        turn.wait()
        return x * 3.0

    thread = threading.Thread(target=elsewhere)
    thread.start()
    assert ft.jit(traced)(np.array(1.0)).item() == 3.0
    turn.wait()
    thread.join()
    assert found == [1.0]


def test_a_backward_pass_under_jit_ends_at_leaves_of_its_own():
    w = ft.tensor(3.0, requires_grad=True)

    def outer(x):
        (w * x).backward()
        return x

    def own(x):
        leaf = x.detach().requires_grad_()
        (leaf * leaf).backward()
        return leaf.grad

    with pytest.raises(GraphError, match="a leaf from outside, float32"):
        ft.jit(outer)(np.array(2.0))
    assert w.grad is None
    assert ft.jit(own)(np.array(2.0)).item() == 4.0


def test_numbers_and_local_tensors_may_be_written():
    buffer = ft.tensor([1.0, 2.0])

    def f(x):
        buffer[0] = (x * x).detach()
        own = ft.zeros(2)
        own[1] = x * x
        own.add_(1.0)
        return own.sum(), own

    gradient, own = ft.grad(f, has_aux=True)(3.0)
    assert gradient.item() == 6.0 and own.tolist() == [1.0, 10.0] and not own.requires_grad
    assert buffer.tolist() == [9.0, 2.0]


def test_numpy_may_not_take_numbers_that_have_a_gradient():
    def f(x):
        return np.sum(numpy.asarray(x) * np.ones(2))

    with pytest.raises(TypeError, match="its gradient is lost"):
        ft.grad(f)(np.ones(2))
    with pytest.raises(TypeError, match="its gradient is lost"):
        ft.grad(lambda x: np.asarray(numpy.array([x[0], x[1]])).sum())(np.ones(2))
    assert ft.grad(lambda x: np.sum(numpy.asarray(x.detach()) * x))(np.ones(2)).tolist() == [1, 1]
    with pytest.warns(UserWarning, match="its gradient is lost"):
        numpy.asarray(ft.tensor([1.0], requires_grad=True) * 2.0)


def test_derivatives_of_a_linear_solve_leave_the_tape():
    def f(b, m):
        return ft.lax.custom_linear_solve(
            lambda x: m @ x, b, lambda mv, b: np.linalg.solve(m, b),
            transpose_solve=lambda mv, b: np.linalg.solve(m.T, b))

    m = numpy.array([[2.0, 1.0], [0.0, 4.0]])
    found = ft.jacrev(f, argnums=1)(np.ones(2), m)
    inverse = numpy.linalg.inv(m)  # d x_i / d m_jk = -inverse_ij x_k
    expected = -numpy.einsum("ij,k->ijk", inverse, inverse @ numpy.ones(2))
    assert not found.requires_grad
    numpy.testing.assert_allclose(numpy.asarray(found), expected, rtol=1e-6)
