"""backward() and grad(): seeds, roots, inputs, and zero derivatives (topics 10 to 12)."""

import warnings

import pytest
from eager_helpers import Record, leaf

import functape as ft
from functape.autograd import Function, backward, grad
from functape.autograd.graph import get_gradient_edge
from functape.errors import ArgumentError, FunctapeError, GraphError, ShapeError

np = ft.numpy


# --- 10. backward ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_c10_one_element_of_any_rank_needs_no_seed(shape):
    x = leaf(3.0)
    (x * ft.ones(shape)).backward()
    assert x.grad.item() == 1.0


@pytest.mark.parametrize("value", [[1.0, 2.0], []])
def test_c10_other_outputs_need_a_seed(value):
    with pytest.raises(GraphError, match="one element"):
        (leaf(value) * 2.0).backward()


@pytest.mark.parametrize("shape", [(), (3,), (1, 2), (2, 1)])
def test_c10_the_seed_has_the_exact_shape(shape):
    y = leaf([1.0, 2.0]) * 2.0
    with pytest.raises(ShapeError, match=r"float32\[2\].*" + str(list(shape)).replace(
            " ", "").replace("[", r"\[").replace("]", r"\]")):
        y.backward(ft.ones(shape))


@pytest.mark.parametrize("dtype", ["float64", "int32", "float16"])
def test_c10_the_seed_is_cast_to_the_dtype_of_the_output(dtype):
    x, got = leaf([1.0, 2.0]), []
    y = x * 2.0
    y.register_hook(got.append)
    y.backward(ft.tensor([3.0, 4.0]).to(dtype))
    assert got[0].dtype == x.grad.dtype == x.dtype and x.grad.tolist() == [6.0, 8.0]


@pytest.mark.parametrize("seed", [5.0, 1, "one", [5.0]])
def test_c10_a_seed_that_is_no_tensor(seed):
    with pytest.raises(ArgumentError, match=f"tensor or None.*{type(seed).__name__}"):
        leaf(1.0).backward(seed)


def test_c10_several_roots_are_one_walk():
    x, record = leaf(2.0), Record()
    backward([(x * 2.0).sum(), (x * x).sum()])
    assert x.grad.item() == 6.0
    x.grad = None
    shared = x * x
    shared.register_hook(record("shared"))
    backward([shared * 3.0, shared * shared])  # 3 * 4 + 2 * 4 * 4
    assert x.grad.item() == 12.0 + 32.0 and record.names == ["shared"]
    x.grad = None
    y = x * x
    backward([y, y])
    assert x.grad.item() == 8.0
    backward((x * x,), (None,))
    backward([x * ft.ones(2), x * x], [ft.tensor([1.0, 2.0]), None])
    assert x.grad.item() == 8.0 + 4.0 + 3.0 + 4.0


def test_c10_roots_and_seeds_are_as_many():
    x = leaf(1.0)
    with pytest.raises(FunctapeError, match="2.*1|1.*2"):
        backward([x * 2.0, x * 3.0], [ft.tensor(1.0)])


def test_c10_a_root_that_needs_no_grad_is_named():
    x = leaf(1.0)
    with pytest.raises(GraphError, match=r"output 1, float32\[\], .*requires? grad"):
        backward([x * 2.0, ft.tensor(1.0)])
    assert x.grad is None
    for root in (x > 0.0, x.astype(ft.numpy.int32), ft.tensor(1.0), x.detach()):
        with pytest.raises(GraphError, match="output 0.*requires? grad"):
            root.backward()


def test_c10_the_root_can_be_a_leaf():
    x, record = leaf(3.0), Record()
    x.register_hook(record("x"))
    x.backward()
    x.backward()
    assert x.grad.item() == 2.0 and record.names == ["x", "x"]


def test_c10_inputs_choose_who_gets_a_gradient():
    x, w = leaf(2.0), leaf(3.0)
    (x * w).backward(inputs=[x])
    assert x.grad.item() == 3.0 and w.grad is None
    h = x * w
    (h * h).backward(inputs=[h])
    assert h.grad.item() == 12.0 and x.grad.item() == 3.0
    h = x * w
    (h * h).backward(inputs=[h, x])
    assert h.grad.item() == 12.0 and x.grad.item() == 3.0 + 36.0 and w.grad is None
    (x * w).backward(inputs=x)
    assert x.grad.item() == 42.0


def test_c10_a_chosen_interior_tensor_gets_what_the_hooks_leave():
    x = leaf(1.0)
    y = x * 2.0
    y.register_hook(lambda g: g * 10.0)
    (y * 3.0).backward(inputs=[y])
    assert y.grad.item() == 30.0


def test_c10_a_chosen_tensor_gets_its_gradient_once():
    x = leaf(2.0)
    h = x * 3.0
    h.retain_grad()
    (h * h).backward(inputs=[h, h])
    assert h.grad.item() == 12.0 and x.grad is None


def test_c10_a_chosen_leaf_runs_all_of_its_hooks():
    x, record = leaf(2.0), Record()
    y = x * x
    acc = y.grad_fn.next_functions[0][0]
    acc.register_hook(lambda gi, go: record("node")(go))
    x.register_post_accumulate_grad_hook(lambda t: record(ft.is_grad_enabled())(t))
    acc.register_prehook(record("pre"))
    x.register_hook(record("tensor"))
    y.backward(inputs=[x], retain_graph=True)
    assert record.names == ["tensor", "pre", False, "node"]
    with ft.no_grad():
        y.backward(inputs=[x], create_graph=True)
    assert record.names[4:] == ["tensor", "pre", True, "node"]
    assert x.grad.item() == 8.0 and grad(x.grad, x)[0].item() == 2.0


def test_c10_inputs_that_cannot_get_a_gradient():
    x, other = leaf(1.0), leaf([1.0, 2.0])
    with pytest.raises(FunctapeError, match="inputs is empty"):
        (x * 2.0).backward(inputs=[])
    with pytest.raises(GraphError, match=r"input 1, float32\[2\]"):
        (x * 2.0).backward(inputs=[x, other])
    with pytest.raises(GraphError, match="input 0.*require"):
        (x * 2.0).backward(inputs=[ft.tensor(1.0)])
    assert x.grad is None and other.grad is None


def test_c10_a_recorded_pass_warns_of_nothing():
    x = leaf(2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (x**3).backward(create_graph=True)
    assert x.grad.item() == 12.0 and x.grad.grad_fn is not None


def test_c10_passes_run_under_no_grad():
    x = leaf(2.0)
    y = x**3
    with ft.no_grad():
        y.backward(retain_graph=True)
        (g,) = grad(y, x, create_graph=True)
    assert x.grad.item() == 12.0 and grad(g, x)[0].item() == 12.0


def test_c10_a_pass_inside_a_hook():
    x, w, seen = leaf(2.0), leaf(5.0), []

    def hook(g):
        with pytest.raises(GraphError, match="requires grad"):
            (w * w).backward()
        with ft.enable_grad():
            (w * w).backward()
        seen.append(w.grad.item())

    y = x * x
    y.register_hook(hook)
    (y * 3.0).backward()
    assert seen == [10.0] and x.grad.item() == 12.0


def test_c10_a_pass_inside_a_hook_over_the_same_graph():
    x, seen = leaf(2.0), []
    y = x * x
    z = y * y

    def hook(g):
        seen.append("outer" if not seen else "inner")
        if seen == ["outer"]:
            seen.append(grad(z, x, retain_graph=True)[0].item())

    y.register_hook(hook)
    z.backward(retain_graph=True)
    assert seen == ["outer", "inner", 32.0] and x.grad.item() == 32.0


# --- 11. autograd.grad ----------------------------------------------------------------------------


def test_c11_grad_touches_nothing():
    x, w, record = leaf(2.0), leaf(3.0), Record()
    y = x * w
    x.register_post_accumulate_grad_hook(record("after"))
    result = grad((y * y), (x, y))
    assert isinstance(result, tuple) and [g.item() for g in result] == [36.0, 12.0]
    assert x.grad is None and w.grad is None and not record
    with pytest.warns(UserWarning):
        assert y.grad is None
    grad((x * w), x, create_graph=True)
    assert x.grad is None and w.grad is None and not record
    x.grad = kept = ft.tensor(7.0)
    grad(x * w, x)
    assert x.grad is kept and kept.item() == 7.0 and kept.version == 0


def test_c11_inputs_may_repeat_and_lie_inside():
    x = leaf(2.0)
    assert [g.item() for g in grad(x * x, [x, x])] == [4.0, 4.0]
    y = x * 3.0
    assert [g.item() for g in grad(y * y, (y, x))] == [12.0, 36.0]
    y = x * 3.0
    assert grad(y, y)[0].item() == 1.0
    assert grad(x, x, ft.tensor(4.0))[0].item() == 4.0
    y = x * 3.0
    assert [g.item() for g in grad(y, (y, y, x), ft.tensor(2.0))] == [2.0, 2.0, 6.0]


def test_c11_two_outputs_of_one_node():
    x = leaf([1.0, 1.0])
    a, b = np.split(x * 1.0, 2)
    assert a.grad_fn is b.grad_fn
    assert [g.tolist() for g in grad((a * 2.0 + b).sum(), (a, b))] == [[2.0], [1.0]]


def test_c11_an_output_that_its_own_node_saved():
    x = leaf([[2.0, 1.0], [1.0, 3.0]], "float64")
    weight = ft.tensor([[1.0, 2.0], [2.0, 5.0]], dtype="float64")
    w, v = np.linalg.eigh(x)
    (g,) = grad((w * w).sum() * 0.5, x, create_graph=True)  # v diag(w) v^T
    by_w, by_v = grad((g * weight).sum(), (w, v), retain_graph=True)
    assert by_w.tolist() == pytest.approx(np.diag(v.T @ weight @ v).tolist())
    assert by_v.ravel().tolist() == pytest.approx((2.0 * weight @ v * w).ravel().tolist())
    v.retain_grad()
    v.register_hook(lambda t: t * 0.0)
    (g * weight).sum().backward()
    assert v.grad.ravel().tolist() == [0.0] * 4


def test_c11_what_is_captured_is_what_the_hooks_leave():
    x, record = leaf(1.0), Record()
    x.register_hook(lambda g: g + 1.0)
    x.register_hook(record("x"))
    y = x * 2.0
    y.register_hook(lambda g: g * 10.0)
    assert [g.item() for g in grad(y * 3.0, (y, x), retain_graph=True)] == [30.0, 61.0]
    assert grad(y * 3.0, y)[0].item() == 30.0
    assert record.names == ["x"]


def test_c11_branches_that_lead_nowhere_are_not_walked():
    class Never(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            raise AssertionError

    x, w, record = leaf(2.0), leaf(3.0), Record()
    branch = w * w
    branch.register_hook(record("branch"))
    w.register_hook(record("w"))
    y = x * Never.apply(branch)
    assert grad(y, x)[0].item() == 9.0 and not record
    branch.backward()  # and not freed
    assert w.grad.item() == 6.0


def test_c11_unused_inputs():
    x, other = leaf(2.0), leaf([1.0, 2.0], "float64")
    with pytest.raises(GraphError, match=r"input 1, float64\[2\].*allow_unused=True"):
        grad(x * x, [x, other])
    g, none = grad(x * x, [x, other], allow_unused=True)
    assert g.item() == 4.0 and none is None
    for allow in (None, True):
        g, zeros = grad(x * x, [x, other], allow_unused=allow, materialize_grads=True)
        assert zeros.tolist() == [0.0, 0.0] and zeros.dtype == other.dtype
    with pytest.raises(FunctapeError, match="materialize_grads.*allow_unused|"
                                            "allow_unused.*materialize_grads"):
        grad(x * x, x, allow_unused=False, materialize_grads=True)


def test_c11_an_input_that_needs_no_grad_is_named():
    x = leaf(2.0)
    for allow in (None, True):
        with pytest.raises(GraphError, match=r"input 1, float32\[3\], does not require grad"):
            grad(x * x, [x, ft.ones(3)], allow_unused=allow)
    x.requires_grad_(False)
    with pytest.raises(GraphError, match="input 0"):
        grad(leaf(1.0) * 2.0, x)


@pytest.mark.parametrize("inputs, words", [([], "inputs is empty"), ("x", "str"),
                                           (None, "None"), ([1.0], "float")])
def test_c11_inputs_that_are_none(inputs, words):
    with pytest.raises(FunctapeError, match=words):
        grad(leaf(1.0) * 2.0, inputs)


def test_c11_seeds_can_be_differentiated():
    x, v = leaf([1.0, 2.0]), leaf([1.0, 1.0])
    (g,) = grad(x * x, x, v, create_graph=True)
    assert grad(g.sum(), v)[0].tolist() == [2.0, 4.0]


def test_c11_seeds_may_be_missing_for_one_element_only():
    x = leaf([1.0, 2.0])
    y = x * x
    with pytest.raises(GraphError, match=r"output 1 is float32\[2\]"):
        grad([y.sum(), y], x)
    with pytest.raises(FunctapeError, match="complex"):
        grad(leaf(1.0) * ft.tensor(1.0j), x)


def test_c11_a_batch_of_seeds():
    x = leaf([1.0, 2.0, 3.0])
    (rows,) = grad(x * x, x, np.eye(3), is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]


def test_c11_edges_can_stand_for_tensors():
    x = leaf(2.0)
    y = x * x
    edges = [get_gradient_edge(y), get_gradient_edge(x)]
    z = y * 3.0
    del y
    assert [g.item() for g in grad(z, edges, retain_graph=True)] == [3.0, 12.0]
    assert grad(edges[0], x, ft.tensor(5.0))[0].item() == 20.0
    with pytest.raises(GraphError, match="output 0 is a gradient edge"):
        grad(edges[0], x)
    with pytest.raises(GraphError, match="outputs do not depend on input 0, an edge"):
        grad(leaf(1.0) * 1.0, edges[1])


# --- 12. derivatives that are zero ----------------------------------------------------------------


def test_c12_the_gradient_of_a_linear_function_is_a_constant():
    x = leaf(2.0)
    (g,) = grad(x * 3.0, x, create_graph=True)
    assert g.item() == 3.0 and not g.requires_grad
    for act in (lambda: grad(g, x), g.backward):
        with pytest.raises(GraphError, match="does not depend on .*zero"):
            act()


def test_c12_transforms_give_zeros():
    assert ft.grad(ft.grad(lambda x: 3.0 * x))(2.0).item() == 0.0
    assert ft.grad(lambda x: ft.tensor(3.0))(2.0).item() == 0.0
    assert ft.grad(lambda x, y: x, argnums=1)(2.0, ft.ones(2)).tolist() == [0.0, 0.0]
    assert ft.hessian(lambda x: x.sum())(ft.ones(2)).tolist() == [[0.0] * 2] * 2
