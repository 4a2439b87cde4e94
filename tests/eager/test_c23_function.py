"""Function: operations with their own backward (topic 23)."""

import weakref

import pytest
from eager_helpers import leaf, no_collector

import functape as ft
from functape.autograd import Function, grad
from functape.errors import FunctapeError, GraphError, InplaceError

np = ft.numpy


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2.0 * x


def function(forward, backward):
    """A class of these two functions."""
    return type("Made", (Function,), {
        "forward": staticmethod(forward), "backward": staticmethod(backward)})


def returns(*grads):
    """A function x, a -> x * a whose backward returns `grads`."""
    given = grads if len(grads) != 1 else grads[0]
    return function(lambda ctx, x, a: x * a, lambda ctx, g: given)


# --- the node and what it saves -------------------------------------------------------------------


def test_c23_the_context_is_the_node():
    seen = []

    def forward(ctx, x):
        seen.append(ctx)
        return x * 1.0

    y = function(forward, lambda ctx, g: seen.append(ctx) or g).apply(leaf(1.0))
    y.backward()
    assert seen[0] is seen[1] is y.grad_fn and y.grad_fn.name == "MadeBackward"
    assert Square.apply(leaf(1.0)).grad_fn.name == "SquareBackward"


def test_c23_every_order_of_derivative():
    x = leaf(3.0, "float64")
    y = Square.apply(Square.apply(x))
    for expected in (108.0, 108.0, 72.0, 24.0):
        (y,) = grad(y, x, create_graph=True)
        assert y.item() == expected


def test_c23_save_twice_none_and_wrong_kinds():
    def forward(ctx, x):
        ctx.save_for_backward(x, x)
        ctx.save_for_backward(None, x)
        return x * 1.0

    seen = []
    x = leaf(1.0)
    function(forward, lambda ctx, g: seen.extend(ctx.saved_tensors) or g).apply(x).backward()
    assert len(seen) == 2 and seen[0] is None and seen[1] is x
    with pytest.raises(FunctapeError, match="save_for_backward.*1.*int"):
        function(lambda ctx, x: ctx.save_for_backward(x, 5) or x * 1.0, None).apply(x)


def test_c23_other_attributes_of_the_context():
    def forward(ctx, x, n):
        ctx.n = n
        return x * n

    x = leaf(2.0)
    function(forward, lambda ctx, g: (g * ctx.n, None)).apply(x, 3).backward()
    assert x.grad.item() == 3.0


def test_c23_saved_inputs_are_checked():
    x = leaf(2.0)
    y = x * 1.0
    z = Square.apply(y)
    y.add_(1.0)
    with pytest.raises(InplaceError, match="SquareBackward"):
        z.backward()
    z = Square.apply(x)
    z.backward()
    with pytest.raises(GraphError, match="SquareBackward.*freed"):
        z.backward()


def test_c23_a_saved_output_makes_no_cycle():
    def forward(ctx, x):
        out = x.exp()
        ctx.save_for_backward(out)
        return out

    def backward(ctx, g):
        return g * ctx.saved_tensors[0]

    exp = function(forward, backward)
    with no_collector():
        x = leaf(1.0, "float64")
        y = exp.apply(x)
        (g,) = grad(y, x, create_graph=True)
        assert grad(g, x, retain_graph=True)[0].item() == pytest.approx(2.718281828459045)
        refs = [weakref.ref(t) for t in (y, g, y.grad_fn)]
        del y, g
        assert [r() for r in refs] == [None] * 3


# --- what backward returns ------------------------------------------------------------------------


ONES = ft.ones(2)


@pytest.mark.parametrize("made, words", [
    (returns(ONES), "MadeBackward.*1.*2|MadeBackward.*2.*1"),
    (returns(ONES, None, ONES), "MadeBackward.*3.*2|MadeBackward.*2.*3"),
    (returns(ft.ones(3), None), r"MadeBackward.*float32\[3\]"),
    (returns(5, None), "MadeBackward.*int"),
    (returns(ONES, ONES), "MadeBackward.*1"),
], ids=["too few", "too many", "shape", "kind", "no tensor"])
def test_c23_what_backward_returns_is_checked(made, words):
    x = leaf([1.0, 1.0])
    with pytest.raises(FunctapeError, match=words):
        made.apply(x, 2.0).sum().backward()
    assert x.grad is None


def test_c23_what_backward_may_return():
    x, w, plain = leaf(2.0), leaf(3.0), ft.tensor(3.0)
    returns(ft.tensor(7.0), ft.tensor(8.0), None, None).apply(x, plain).backward()
    assert x.grad.item() == 7.0 and plain.grad is None  # what nobody needs is dropped
    returns(None, ft.tensor(8.0)).apply(x, w).backward()
    assert x.grad.item() == 7.0 and w.grad.item() == 8.0
    with pytest.raises(GraphError, match="input 0"):
        grad(returns(None, ft.tensor(8.0)).apply(x, w), x)
    function(lambda ctx, x: x * 2.0, lambda ctx, g: [g * 2.0]).apply(w).backward()
    assert w.grad.item() == 10.0
    function(lambda ctx, x, n=3: x * n, lambda ctx, g: g * 3.0).apply(x).backward()
    assert x.grad.item() == 10.0  # no place for an argument that was left out


def test_c23_exceptions_keep_their_type():
    def backward(ctx, g):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        function(lambda ctx, x: x * 1.0, backward).apply(leaf(1.0)).backward()


# --- needs_input_grad, unused outputs -------------------------------------------------------------


def test_c23_needs_input_grad_is_what_this_pass_needs():
    seen = []

    def backward(ctx, g):
        seen.append(ctx.needs_input_grad)
        return g, g, None

    made = function(lambda ctx, a, b, n: a * b, backward)
    a, b = leaf(1.0), leaf(1.0)
    made.apply(a, ft.tensor(1.0), 5).backward()
    y = made.apply(a, b, 5)
    y.backward(retain_graph=True)
    grad(y, a, retain_graph=True)
    grad(y, b, retain_graph=True)
    y.backward(inputs=[b], retain_graph=True)
    assert seen == [(True, False, False), (True, True, False), (True, False, False),
                    (False, True, False), (False, True, False)]


def test_c23_needs_input_grad_in_forward():
    seen = []

    def forward(ctx, a, b):
        seen.append(ctx.needs_input_grad)
        return a * b

    function(forward, lambda ctx, g: (g, g)).apply(leaf(1.0), ft.tensor(1.0))
    assert seen == [(True, False)]


@pytest.mark.parametrize("materialize", [True, False])
def test_c23_outputs_without_a_gradient(materialize):
    got = []

    def forward(ctx, x):
        ctx.set_materialize_grads(materialize)
        return x * 1.0, np.ones((2, 3)) * x

    def backward(ctx, a, b):
        got.append((a, b))
        return a

    x = leaf(1.0)
    function(forward, backward).apply(x)[0].backward()
    (a, b), = got
    assert a.item() == 1.0
    assert b.tolist() == [[0.0] * 3] * 2 if materialize else b is None


def test_c23_outputs_that_are_marked_or_of_other_kinds():
    got = []

    def forward(ctx, x):
        marked = x * 2.0
        ctx.mark_non_differentiable(marked)
        return x * 1.0, marked, x.astype(np.int32), "text", 5

    def backward(ctx, *grads):
        got.extend(grads)
        return grads[0]

    x = leaf([1.0, 2.0])
    y, marked, number, text, five = function(forward, backward).apply(x)
    assert y.requires_grad and not marked.requires_grad and marked.is_leaf
    assert not number.requires_grad and (text, five) == ("text", 5)
    y.sum().backward()
    assert len(got) == 5 and got[0].tolist() == [1.0, 1.0] and got[1].tolist() == [0.0, 0.0]
    assert got[3] is None and got[4] is None


def test_c23_a_list_is_as_good_as_a_tuple():
    made = function(lambda ctx, x: [x * 2.0, x * 3.0], lambda ctx, a, b: a * 2.0 + b * 3.0)
    x = leaf(1.0)
    a, b = made.apply(x)
    assert a.requires_grad and b.requires_grad
    (a + b).backward()
    assert x.grad.item() == 5.0


# --- in place, and inputs as outputs --------------------------------------------------------------


def dirty(ctx, x):
    x.mul_(2.0)
    ctx.mark_dirty(x)
    return x


def test_c23_mark_dirty():
    double = function(dirty, lambda ctx, g: g * 2.0)
    x = leaf(3.0)
    y = x * 1.0
    z = double.apply(y)
    assert z is y and y.item() == 6.0 and y.version == 1 and y.grad_fn.name == "MadeBackward"
    y.backward()
    assert x.grad.item() == 2.0
    with pytest.raises(InplaceError, match="leaf"):
        double.apply(leaf(3.0))

    def forgets(ctx, x):
        dirty(ctx, x)
        return x + 0.0

    with pytest.raises(FunctapeError, match="mark_dirty|dirty"):
        function(forgets, lambda ctx, g: g).apply(leaf(3.0) * 1.0)


def test_c23_an_input_returned_as_it_is():
    made = function(lambda ctx, x: x, lambda ctx, g: g * 7.0)
    for x in (leaf(2.0), leaf(2.0) * 1.0):
        y = made.apply(x)
        assert y is not x and y.item() == 2.0 and y.grad_fn.name == "MadeBackward"
        assert grad(y, x)[0].item() == 7.0
        assert x.grad_fn is None or x.grad_fn.name == "MultiplyBackward"


# --- modes, forms, refusals -----------------------------------------------------------------------


def test_c23_forward_is_not_recorded_and_backward_by_request():
    seen = []

    def forward(ctx, x):
        y = x * x
        seen.append((ft.is_grad_enabled(), y.requires_grad))
        return y

    def backward(ctx, g):
        seen.append(ft.is_grad_enabled())
        return g

    y = function(forward, backward).apply(leaf(1.0))
    y.backward(retain_graph=True)
    y.backward(create_graph=True)
    assert seen == [(False, False), False, True]


def test_c23_no_node_where_nothing_is_recorded():
    with ft.no_grad():
        assert Square.apply(leaf(2.0)).is_leaf
    assert Square.apply(ft.tensor(2.0)).is_leaf and Square.apply(ft.tensor(2.0)).item() == 4.0


def test_c23_setup_context():
    class Scale(Function):
        @staticmethod
        def forward(x, n):
            return x * n

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.n = inputs
            Scale.seen = (x, output)

        @staticmethod
        def backward(ctx, g):
            return g * ctx.n, None

    x = leaf(2.0)
    y = Scale.apply(x, 5)
    y.backward()
    assert x.grad.item() == 5.0 and Scale.seen[0] is x and Scale.seen[1].item() == 10.0
    del Scale.seen


def test_c23_a_lost_intermediate_is_noticed_once():
    def forward(ctx, x):
        ctx.save_for_backward(x.exp())
        return x.exp() * 1.0

    made = function(forward, lambda ctx, g: g * ctx.saved_tensors[0])
    x = leaf(1.0)
    y = made.apply(x)
    with pytest.warns(UserWarning, match="constant") as caught:
        (g,) = grad(y, x, create_graph=True)
        grad(y, x, create_graph=True)
    assert len(caught) == 1 and not g.requires_grad
    assert "Made" in str(caught[0].message)


def test_c23_once_differentiable():
    from functape.autograd.function import once_differentiable

    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            Once.seen = ft.is_grad_enabled()
            return g * 2.0 * ctx.saved_tensors[0]

    x, w = leaf(3.0), leaf(2.0)
    assert grad(Once.apply(x), x)[0].item() == 6.0 and Once.seen is False
    (g,) = grad(Once.apply(x * w), x, create_graph=True)
    assert g.item() == 24.0 and Once.seen is False
    for t in (x, w):
        with pytest.raises(GraphError, match="OnceBackward.*once|once.*OnceBackward"):
            grad(g, t, retain_graph=True)


@pytest.mark.parametrize("call, words", [
    (lambda x: Square(), "apply"),
    (lambda x: Square.apply(x=x), "x.*position|position.*x|keyword"),
    (lambda x: function(lambda ctx, v: v[0] * 1.0, None).apply([x]), "list"),
    (lambda x: function(lambda ctx, v: v["a"] * 1.0, None).apply({"a": x}), "dict"),
    (lambda x: type("F", (Function,), {"forward": lambda ctx, x: x,
                                       "backward": staticmethod(print)}).apply(x), "static"),
    (lambda x: type("F", (Function,), {"backward": staticmethod(print)}).apply(x), "forward"),
], ids=["instance", "keywords", "list", "dict", "not static", "no forward"])
def test_c23_what_is_refused(call, words):
    with pytest.raises((FunctapeError, NotImplementedError), match=words):
        call(leaf(1.0))


def test_c23_no_backward():
    class Half(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 0.5

    y = Half.apply(leaf(1.0))
    with pytest.raises((FunctapeError, NotImplementedError), match="Half.*backward"):
        y.backward()
