"""functional_call: an object called with other tensors in the places of its own."""

import pytest

import functape as ft
from functape.autograd import functional_call, named_tensors
from functape.errors import ArgumentError, ShapeError


class Layer:
    def __init__(self, w, b):
        self.w = ft.tensor(w, requires_grad=True)
        self.b = ft.tensor(b, requires_grad=True)
        self.name = "a layer"

    def __call__(self, x):
        return self.w * x + self.b


class Net:
    def __init__(self):
        self.layers = [Layer(2.0, 1.0), Layer(3.0, 0.0)]
        self.extra = {"scale": ft.tensor(1.0)}
        self.parent = self  # a cycle

    def __call__(self, x, *, twice=False):
        for layer in self.layers:
            x = layer(x)
        return x * self.extra["scale"] * (2.0 if twice else 1.0)

    def method(self, x):
        return self(x)


PATHS = ["layers.0.w", "layers.0.b", "layers.1.w", "layers.1.b", "extra.scale"]


def test_named_tensors():
    net = Net()
    found = named_tensors(net)
    assert list(found) == PATHS and found["layers.1.w"] is net.layers[1].w


def test_call_with_other_values_and_back():
    net = Net()
    own = named_tensors(net)
    params = dict(zip(PATHS, map(ft.tensor, (1.0, 10.0, 2.0, 5.0, 3.0)), strict=True))
    assert functional_call(net, params, (4.0,)).item() == ((4 + 10) * 2 + 5) * 3
    assert functional_call(net, params, 4.0, {"twice": True}).item() == 198.0
    assert functional_call(net.method, params, 4.0).item() == 99.0
    assert net(4.0).item() == (2 * 4 + 1) * 3
    assert all(named_tensors(net)[k] is t for k, t in own.items())


def test_values_are_restored_after_an_exception():
    net = Net()
    own = named_tensors(net)
    with pytest.raises(ZeroDivisionError):
        functional_call(net, {k: ft.tensor(0.0) for k in PATHS}, Raises())
    assert all(named_tensors(net)[k] is t for k, t in own.items())


class Raises:
    def __mul__(self, other):
        raise ZeroDivisionError

    __rmul__ = __mul__


def test_with_transforms():
    net = Net()
    params = {k: t.detach() for k, t in named_tensors(net).items()}

    def f(params, x):
        return functional_call(net, params, x)

    g = ft.grad(f)(params, 4.0)  # y = ((w0 x + b0) w1 + b1) s
    assert {k: v.item() for k, v in g.items()} == {
        "layers.0.w": 12.0, "layers.0.b": 3.0, "layers.1.w": 9.0, "layers.1.b": 1.0,
        "extra.scale": 27.0}
    assert ft.vmap(f, in_axes=(None, 0))(params, ft.tensor([0.0, 4.0])).tolist() == [3.0, 27.0]
    assert ft.jvp(lambda p: f(p, 4.0), (params,), (params,))[1].item() == 12 * 2 + 3 + 27 + 27
    assert all(t.grad is None for t in named_tensors(net).values())


def test_a_step_of_maml_on_an_object():
    net = Layer(3.0, 0.0)
    params = named_tensors(net)
    inner = functional_call(net, params, 2.0) ** 2.0
    grads = ft.autograd.grad(inner, list(params.values()), create_graph=True)
    fast = {k: p - 0.1 * g for (k, p), g in zip(params.items(), grads, strict=True)}
    functional_call(net, fast, 1.0).backward()
    # fast w = w - 0.1 * 2 (2 w + b) 2, fast b = b - 0.1 * 2 (2 w + b); y = fast w + fast b
    assert net.w.grad.item() == pytest.approx(1 - 0.8 - 0.4)
    assert net.b.grad.item() == pytest.approx(1 - 0.4 - 0.2)


def test_unknown_keys_are_always_an_error():
    for strict in (True, False):
        with pytest.raises(ArgumentError, match=r"params names 'layers.2.w', but the object holds "
                                                r"'layers.0.w'"):
            functional_call(Net(), {"layers.2.w": 1.0}, 1.0, strict=strict)


def test_missing_keys():
    net = Net()
    with pytest.raises(ArgumentError, match="leaves out 'layers.0.b', 'layers.1.w'"):
        functional_call(net, {"layers.0.w": ft.tensor(1.0)}, 1.0)
    assert functional_call(net, {"layers.0.w": ft.tensor(1.0)}, 1.0, strict=False).item() == 6.0
    full = {k: ft.tensor(1.0) for k in PATHS if k != "extra.scale"}  # that one needs no grad
    assert functional_call(net, full, 1.0).item() == 3.0


def test_shape_is_checked():
    with pytest.raises(ShapeError, match=r"'w' is float32\[\], but params has float32\[2\]"):
        functional_call(Layer(1.0, 1.0), {"w": ft.ones(2)}, 1.0, strict=False)


def test_tied_tensors_move_together():
    net = Net()
    net.layers[1].w = net.layers[0].w
    assert "layers.1.w" not in named_tensors(net)
    params = {"layers.0.w": ft.tensor(5.0), "layers.0.b": ft.tensor(0.0),
              "layers.1.b": ft.tensor(0.0)}
    assert functional_call(net, params, 1.0).item() == 25.0
    assert net.layers[1].w is net.layers[0].w


def test_kinds():
    with pytest.raises(ArgumentError, match="takes a callable object"):
        functional_call({"w": ft.tensor(1.0)}, {}, 1.0)
    with pytest.raises(ArgumentError, match="as a dict"):
        functional_call(Net(), [1.0], 1.0)
