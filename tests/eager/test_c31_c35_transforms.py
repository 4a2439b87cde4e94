"""What transforms do to the eager world around them (topics 31 to 35)."""

import pytest
from eager_helpers import Record, leaf

import functape as ft
from functape.autograd import grad
from functape.errors import ArgumentError, ConcretizationError, FunctapeError, ShapeError

np = ft.numpy


# --- 31. private aliases --------------------------------------------------------------------------


def untouched(*leaves):
    return all(t.grad is None and t.is_leaf and t.requires_grad and t.version == 0 for t in leaves)


TRANSFORMS = {
    "grad": lambda f, x: ft.grad(f)(x),
    "value_and_grad": lambda f, x: ft.value_and_grad(f)(x)[1],
    "vjp": lambda f, x: ft.vjp(f, x)[1](1.0)[0],
    "jvp": lambda f, x: ft.jvp(f, (x,), (ft.tensor(1.0),))[1],
    "linearize": lambda f, x: ft.linearize(f, x)[1](ft.tensor(1.0)),
    "jacrev": lambda f, x: ft.jacrev(f)(x),
    "jacfwd": lambda f, x: ft.jacfwd(f)(x),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_c31_grad_of_everything_is_left_alone(name):
    x, w = leaf(3.0), leaf(2.0)
    result = TRANSFORMS[name](lambda x: w * x * x, x)
    assert result.item() == 12.0 and untouched(x, w)
    plain = ft.tensor(3.0)
    assert TRANSFORMS[name](lambda x: x * x, plain).item() == 6.0
    assert not plain.requires_grad and plain.grad is None


@pytest.mark.parametrize("name", TRANSFORMS)
def test_c31_results_are_on_the_tape_only_if_something_outside_is(name):
    x, w = leaf(3.0), leaf(2.0)
    assert not TRANSFORMS[name](lambda x: x * x, x.detach()).requires_grad
    result = TRANSFORMS[name](lambda x: x * x * x, x)  # 3 x^2
    assert grad(result, x)[0].item() == 18.0
    result = TRANSFORMS[name](lambda x: w * x * x, x.detach())  # 2 w x
    assert grad(result, w)[0].item() == 6.0
    frozen = TRANSFORMS[name](lambda x: x * x + w * 0.0, x.detach())
    assert frozen.item() == 6.0


def test_c31_values_and_aux_are_detached_unless_outside():
    v, g = ft.value_and_grad(lambda x: x * x)(ft.tensor(3.0))
    assert not v.requires_grad and v.is_leaf and not g.requires_grad
    (v, aux), g = ft.value_and_grad(lambda x: (x * x, x * 2.0), has_aux=True)(ft.tensor(3.0))
    assert (v.item(), aux.item(), g.item()) == (9.0, 6.0, 6.0) and not aux.requires_grad
    x = leaf(3.0)
    (v, aux), g = ft.value_and_grad(lambda x: (x * x, x * 2.0), has_aux=True)(x)
    assert [grad(t, x)[0].item() for t in (v, aux, g)] == [6.0, 2.0, 2.0]


def test_c31_one_object_at_two_places_is_two_variables():
    x = leaf(3.0)
    assert [g.item() for g in ft.grad(lambda a, b: a * a * b, argnums=(0, 1))(x, x)] == [18.0, 9.0]
    g = ft.grad(lambda p: p[0] * p[1] * p[1])([x, x])
    assert [t.item() for t in g] == [9.0, 18.0]


def test_c31_no_perturbation_confusion():
    assert ft.grad(lambda x: x * ft.grad(lambda y: x + y)(1.0))(3.0).item() == 1.0
    assert ft.grad(lambda x: x * ft.grad(lambda y: x * y)(2.0))(3.0).item() == 6.0
    assert ft.grad(lambda x: ft.grad(lambda y: y * y * x)(x))(3.0).item() == 12.0
    assert ft.grad(ft.grad(ft.grad(lambda x: x**4)))(2.0).item() == 48.0


def test_c31_no_grad_around_and_inside():
    with ft.no_grad():
        assert ft.grad(lambda x: x * x)(3.0).item() == 6.0
        assert ft.grad(ft.grad(lambda x: x**3))(2.0).item() == 12.0
        assert not ft.grad(lambda x: x * x)(leaf(3.0)).requires_grad

    def f(x):
        with ft.no_grad():
            constant = x * x
        return x - constant

    assert ft.grad(f)(3.0).item() == 1.0 and ft.is_grad_enabled()


def test_c33_no_grad_cuts_tangents_too():
    def f(x):
        with ft.no_grad():
            constant = x * x
        return x - constant

    assert ft.jvp(f, (3.0,), (1.0,))[1].item() == 1.0
    with ft.no_grad():
        assert ft.jvp(lambda x: x * x, (3.0,), (1.0,))[1].item() == 6.0


def test_c31_eager_passes_inside_of_a_transform():
    w = leaf(2.0)

    def f(x):
        (g,) = grad(x**3, x, create_graph=True)
        return g * x  # 3 x^3

    assert ft.grad(f)(2.0).item() == 36.0

    def g(x):
        (w * w).backward()
        return x * x

    assert ft.grad(g)(3.0).item() == 6.0 and w.grad.item() == 4.0


def test_c31_what_leaks_out_can_be_used():
    kept = []
    ft.grad(lambda x: kept.append(x * 2.0) or x * x)(3.0)
    assert kept[0].item() == 6.0 and (kept[0] + 1.0).item() == 7.0


def test_c31_flags_of_user_tensors_are_not_flipped():
    frozen, record = ft.tensor(3.0), Record()
    x = leaf(2.0)
    x.register_hook(record("x"))
    assert ft.grad(lambda x, c: x * c * c, argnums=1)(x, frozen).item() == 12.0
    assert not frozen.requires_grad and frozen.is_leaf and not record
    with pytest.raises(ZeroDivisionError):
        ft.grad(lambda x: x * (1 // 0))(frozen)
    assert not frozen.requires_grad and ft.is_grad_enabled()
    assert ft.grad(lambda x: x * x)(frozen).item() == 6.0


# --- 32. grad and value_and_grad ------------------------------------------------------------------


def test_c32_forms_of_the_results():
    f = lambda x, y: x * x * y  # noqa: E731
    assert [t.item() for t in ft.value_and_grad(f)(3.0, 2.0)] == [18.0, 12.0]
    g, aux = ft.grad(lambda x: (x * x, {"any": "object"}), has_aux=True)(3.0)
    assert g.item() == 6.0 and aux == {"any": "object"}
    assert isinstance(ft.grad(f, argnums=(0,))(3.0, 2.0), tuple)
    assert [t.item() for t in ft.grad(f, argnums=[1, 0])(3.0, 2.0)] == [9.0, 12.0]
    assert ft.grad(f, argnums=-1)(3.0, 2.0).item() == 9.0
    assert ft.grad(lambda x, *, n: x**n)(2.0, n=3).item() == 12.0


@pytest.mark.parametrize("call, words", [
    (lambda: ft.grad(lambda x: x)(ft.ones(1)), r"scalar.*float32\[1\].*sum"),
    (lambda: ft.grad(lambda x: x)(ft.ones(2)), r"scalar.*jacrev"),
    (lambda: ft.grad(lambda x: 3.0)("x"), "args.0.|'x'|str"),
    (lambda: ft.grad(lambda x: "result")(1.0), "str|result"),
    (lambda: ft.grad(lambda x: x * 1.0)(3), r"args\[0\].*int"),
    (lambda: ft.grad(lambda x, y: x * y, argnums=(0, 0))(1.0, 2.0), r"argnums.*\(0, 0\)|twice"),
    (lambda: ft.grad(lambda x, y: x * y, argnums=(0, -2))(1.0, 2.0), "argnums|twice"),
    (lambda: ft.grad(lambda x, y: x * y, argnums=2)(1.0, 2.0), "argnums.*2|2.*argnums"),
    (lambda: ft.grad(lambda x: x, argnums=())(1.0), "argnums"),
    (lambda: ft.grad(lambda x: x, argnums="0")(1.0), "argnums.*str|argnums.*'0'"),
    (lambda: ft.grad(lambda x: x * x, has_aux=True)(1.0), "aux"),
    (lambda: ft.grad(lambda p: p[0]["b"] * 1.0)([{"b": 1}]), r"args\[0\]\[0\]\['b'\]"),
])
def test_c32_what_is_refused(call, words):
    with pytest.raises(FunctapeError, match=words):
        call()


def test_c32_unused_constant_and_detached():
    for f in (lambda x, y: x, lambda x, y: x + y.detach().sum(),
              lambda x, y: x + ft.stop_gradient(y).sum()):
        assert ft.grad(f, argnums=1)(1.0, ft.ones(2)).tolist() == [0.0, 0.0]


# --- 33. vjp, jvp, linearize ----------------------------------------------------------------------


def test_c33_vjp():
    out, pull, aux = ft.vjp(lambda x, y: ((x * y, x), "aux"), 2.0, 3.0, has_aux=True)
    assert [t.item() for t in out] == [6.0, 2.0] and aux == "aux"
    for _ in range(2):
        assert [t.item() for t in pull((ft.tensor(1.0), ft.tensor(10.0)))] == [13.0, 2.0]
    for wrong in (ft.tensor(1.0), (None, ft.tensor(1.0))):  # None is no zero, as in JAX
        with pytest.raises(FunctapeError, match="structure"):
            pull(wrong)
    with pytest.raises(FunctapeError, match=r"\(\).*\(2,\)"):
        pull((ft.ones(2), ft.tensor(1.0)))


def test_c33_jvp():
    f = lambda x, y: x * y  # noqa: E731
    assert [t.item() for t in ft.jvp(f, (2.0, 3.0), (1.0, 10.0))] == [6.0, 23.0]
    assert ft.jvp(lambda x: (x * x, "aux"), (3.0,), (1.0,), has_aux=True)[2] == "aux"
    for primals, tangents, words in [(2.0, 1.0, "tuple"), ((2.0,), (1.0, 1.0), "1.*2|2.*1|struct"),
                                     ((ft.ones(2),), (ft.ones(3),), r"\(2,\).*\(3,\)")]:
        with pytest.raises(FunctapeError, match=words):
            ft.jvp(lambda x: x, primals, tangents)


def test_c33_linearize_runs_the_function_once():
    calls = []
    _, push = ft.linearize(lambda x: calls.append(1) or np.sin(x) * x, ft.tensor([1.0, 2.0]))
    a, b = push(ft.tensor([1.0, 0.0])), push(ft.tensor([2.0, 0.0]))
    assert len(calls) == 1 and b.tolist() == pytest.approx([2.0 * v for v in a.tolist()])
    with pytest.raises(FunctapeError, match=r"float32\[1\]|\(1,\)"):
        push(ft.ones(1))


# --- 34. Jacobians --------------------------------------------------------------------------------


@pytest.mark.parametrize("jacobian", [ft.jacrev, ft.jacfwd])
def test_c34_jacobians(jacobian):
    x = ft.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert jacobian(lambda x: x.sum(axis=0))(x).shape == (3, 2, 3)
    j = jacobian(lambda d: {"out": (d["a"] * d["b"],)})({"a": ft.ones(2), "b": 3.0 * ft.ones(2)})
    assert j["out"][0]["a"].tolist() == [[3.0, 0.0], [0.0, 3.0]]
    assert j["out"][0]["b"].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert jacobian(lambda x: ft.ones(3))(ft.ones(2)).tolist() == [[0.0] * 2] * 3
    a, b = jacobian(lambda x, y: x * y, argnums=(0, 1))(ft.ones(2), ft.ones(2))
    assert a.tolist() == b.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    x = leaf([1.0, 2.0])
    assert grad(jacobian(lambda x: x**3)(x).sum(), x)[0].tolist() == [6.0, 12.0]


def test_c34_jacrev_runs_the_function_once():
    calls = []
    ft.jacrev(lambda x: calls.append(1) or x * x)(ft.ones(3))
    assert calls == [1]


def test_c34_hessian_forms():
    assert ft.hessian(lambda x: x**3)(ft.tensor([1.0, 2.0])).shape == (2, 2, 2)
    h = ft.hessian(lambda x, y: (x * y).sum(), argnums=(0, 1))(ft.ones(2), ft.ones(2))
    assert h[0][0].tolist() == [[0.0] * 2] * 2 and h[0][1].tolist() == [[1.0, 0.0], [0.0, 1.0]]


# --- 35. vmap -------------------------------------------------------------------------------------


def test_c35_vmap_maps():
    x = ft.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert ft.vmap(lambda x: x.sum())(x).tolist() == [3.0, 7.0, 11.0]
    assert ft.vmap(lambda x: x.sum(), in_axes=1)(x).tolist() == [9.0, 12.0]
    assert ft.vmap(lambda x: x.sum(), in_axes=-1)(x).tolist() == [9.0, 12.0]
    assert ft.vmap(lambda x: x * 1.0, out_axes=1)(x).shape == (2, 3)
    assert ft.vmap(lambda x: ft.tensor(5.0))(x).tolist() == [5.0] * 3  # the same for all
    assert ft.vmap(lambda d: d["a"] * d["b"], in_axes=({"a": 0, "b": None},))(
        {"a": x, "b": 2.0}).shape == (3, 2)
    assert ft.vmap(ft.vmap(lambda x: x * x))(x).tolist()[2] == [25.0, 36.0]
    assert ft.vmap(lambda x: x * 2.0)(np.zeros((0, 2))).shape == (0, 2)
    assert ft.vmap(lambda x: x.sum(), chunk_size=2)(x).tolist() == [3.0, 7.0, 11.0]


@pytest.mark.parametrize("call, error, words", [
    (lambda: ft.vmap(lambda x: x, in_axes=5)(ft.ones((2, 2))), FunctapeError, "5"),
    (lambda: ft.vmap(lambda x, y: x)(ft.ones(3), ft.ones(4)), ShapeError, "3.*4"),
    (lambda: ft.vmap(lambda x: x)(1.0), FunctapeError, "axis|axes"),
    (lambda: ft.vmap(lambda x: x, in_axes=None)(ft.ones(2)), FunctapeError, "axis_size|in_axes"),
    (lambda: ft.vmap(lambda x: x, in_axes=(0, 0))(ft.ones(2)), FunctapeError, "in_axes"),
    (lambda: ft.vmap(lambda x: x, out_axes=3)(ft.ones(2)), FunctapeError, "out_axes|3"),
    (lambda: ft.vmap(lambda x: "text")(ft.ones(2)), FunctapeError, "str|text"),
])
def test_c35_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("use", [lambda x: x.item(), float, bool, lambda x: x.tolist(), int])
def test_c35_asking_for_one_value_names_the_line_and_a_remedy(use):
    def f(x):
        use(x)  # the line that asks
        return x

    with pytest.raises(ConcretizationError) as caught:
        ft.vmap(f)(ft.ones(2))
    assert "where" in str(caught.value) or "cond" in str(caught.value)
    assert "vmap" in str(caught.value)


def test_c35_eager_leaves_under_vmap():
    w, x = leaf([1.0, 2.0]), ft.tensor([[1.0, 2.0], [3.0, 4.0]])
    out = ft.vmap(lambda row: (row * w).sum())(x)
    assert out.requires_grad and out.tolist() == [5.0, 11.0]
    out.sum().backward()
    assert w.grad.tolist() == [4.0, 6.0]
    with pytest.raises(ArgumentError):
        ft.vmap(lambda row: row, in_axes="0")(x)
