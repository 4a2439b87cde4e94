"""Streams and devices: operations run, forward and backward, where they were recorded."""

import threading

import functape as ft

# isort: split
import mlx.core as mx
import pytest

from functape.mlx import dispatch, lift
from functape.op import Op


@pytest.fixture
def streams():
    return mx.new_stream(mx.cpu), mx.new_stream(mx.cpu)


def here():
    return mx.default_stream(mx.default_device())


def probe(seen):
    """x * x as an op that notes the stream of its forward and its backward pass."""

    @mx.custom_function
    def f(x):
        seen.append(here())
        return x * x

    @f.vjp
    def f_vjp(x, g, out):
        seen.append(here())
        return 2 * x * g

    return lift(f)


def test_forward_and_backward_on_two_streams(streams):
    seen = {str(s): [] for s in streams}
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    with ft.stream(streams[0]):
        y = probe(seen[str(streams[0])])(x)
        with ft.stream(streams[1]):  # the innermost counts
            y = probe(seen[str(streams[1])])(y)
        y = y * 1
    before = here()
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 32.0] and here() == before
    for s in streams:
        assert set(map(str, seen[str(s)])) == {str(s)} and len(seen[str(s)]) >= 2


def test_second_order_goes_there_too(streams):
    seen = []
    f = probe(seen)

    def g(x):
        with ft.stream(streams[0]):
            return f(x).sum()

    assert ft.hessian(g)(mx.array([1.0, 2.0])).tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert set(map(str, seen)) == {str(streams[0])}
    x = ft.tensor(3.0, requires_grad=True)
    with ft.stream(streams[0]):
        y = x.exp()
    (first,) = ft.autograd.grad(y, x, create_graph=True)
    assert first.grad_fn.metadata["stream"] == streams[0]
    (second,) = ft.autograd.grad(first, x)
    assert second.item() == y.item()


def test_nothing_is_noted_by_default():
    y = ft.tensor(1.0, requires_grad=True) * 2
    assert y.grad_fn.note("stream") is None
    with ft.stream("cpu") as s:
        assert s == mx.default_stream(mx.cpu)
    assert (ft.tensor(1.0, requires_grad=True) * 2).grad_fn.note("stream") is None


def test_streams_named_in_mlx_code(streams):
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    with dispatch():
        y = mx.multiply(x, x, stream=streams[0])
        z = mx.sin(x, stream=mx.cpu)
    assert y.grad_fn.metadata["stream"] == streams[0]
    if mx.default_device().type == mx.cpu:
        assert z.grad_fn.note("stream") is None


def test_anomaly_mode_and_functions(streams):
    class Square(ft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            seen.append(here())
            return 2 * ctx.saved_tensors[0] * g

    seen, x = [], ft.tensor(3.0, requires_grad=True)
    with ft.autograd.detect_anomaly(), ft.stream(streams[1]):
        y = Square.apply(x)
        assert type(y.grad_fn).__name__ == "SquareContext"
    y.backward()
    assert x.grad.item() == 6 and str(seen[0]) == str(streams[1])


def test_threads_have_streams_of_their_own(streams):
    found = {}

    def work():
        with ft.stream(mx.new_stream(mx.cpu)) as s:
            y = ft.tensor(2.0, requires_grad=True) * 2
            found["same"] = y.grad_fn.metadata["stream"] == s

    thread = threading.Thread(target=work)
    with ft.stream(streams[0]):
        thread.start()
        thread.join()
        y = ft.tensor(2.0, requires_grad=True) * 2
        assert y.grad_fn.metadata["stream"] == streams[0]
    assert found["same"]


def test_devices():
    assert ft.default_device() == mx.default_device()
    assert ft.default_device(ft.default_device()) == mx.default_device()
    for f in (ft.default_device, lambda d: ft.stream(d).__enter__()):
        with pytest.raises(ft.errors.ArgumentError, match="device"):
            f("tpu")
        with pytest.raises(ft.errors.ArgumentError, match="device"):
            f(3)
    if not mx.is_available(mx.gpu):
        with pytest.raises(ft.errors.ArgumentError, match="no gpu here.*cpu"):
            ft.default_device("gpu")


@pytest.mark.parametrize("ask", [
    lambda: ft.zeros((2,), dtype=ft.float64), lambda: ft.numpy.ones(2).astype("float64"),
    lambda: ft.tensor([1.0], dtype=ft.float64)])
def test_float64_is_not_made_on_a_gpu(ask, monkeypatch):
    """Before MLX has anything to say; the default device is simulated where there is none."""
    monkeypatch.setattr(mx, "default_device", lambda: mx.Device(mx.gpu))
    with pytest.raises(ft.errors.ArgumentError, match="float64 arrays exist on the CPU only.*cpu"):
        ask()


def test_float64_on_a_gpu():
    """What MLX says there, with the remedy; the error is simulated where there is none."""

    def kernel(x):
        raise ValueError("float64 is not supported on the GPU.")

    op = Op("double", kernel, args=("x",), register=False)
    with pytest.raises(ft.errors.ArgumentError, match=r"double\(float64.*stream\('cpu'\)"):
        op(ft.numpy.ones(2, dtype=mx.float64))
    if mx.is_available(mx.gpu):
        with pytest.raises(ft.errors.ArgumentError, match="default_device"), ft.stream("gpu"):
            ft.numpy.ones(2, dtype=mx.float64) * 2.0
