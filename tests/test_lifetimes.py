"""What is no longer needed goes at once, with the garbage collector switched off; and long chains
are walked and freed without recursion."""

import gc
import sys
import warnings
import weakref

import functape as ft

# isort: split
import mlx.core as mx
import pytest

np = ft.numpy


@pytest.fixture(autouse=True, scope="module")
def no_collector():
    """Only reference counts free memory here; what was there before is not looked at."""
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


def leaf(*shape):
    return ft.tensor([1.0] * 3 if not shape else mx.ones(shape), requires_grad=True)


def watch(*things):
    """Weak references to tensors and nodes."""
    return [weakref.ref(t) for t in things]


def dead(refs):
    return [r() for r in refs] == [None] * len(refs)


def chain(x, length):
    y = x
    for _ in range(length):
        y = y * 1.0
    return y


# --- graphs ---------------------------------------------------------------------------------------


def test_forward_graph_goes_with_its_output():
    x = leaf()
    y = x.sin()
    z = (y * y).sum()
    refs = watch(y, z, y.grad_fn, z.grad_fn)
    del y, z
    assert dead(refs)


def test_graph_outlives_intermediates_but_not_its_root():
    x = leaf()
    y = x.sin()
    z = y.exp()
    refs, nodes = watch(y), watch(y.grad_fn, z.grad_fn)
    del y
    assert dead(refs) and not dead(nodes)
    z.sum().backward()
    del z
    assert dead(nodes)


def test_backward_frees_what_was_saved():
    """An array of the forward pass dies with the pass, while the output lives on."""
    x = leaf()
    y = x.sin()
    saved = watch(y)
    z = y.exp() * y
    del y
    z.sum().backward()
    assert dead(saved)
    assert z.shape == (3,)


def test_leaf_is_not_kept_by_its_graph():
    x = leaf()
    y = (x * x).sum()
    refs = watch(x)
    del x
    assert dead(refs)
    y.backward()  # its gradient is dropped, without an error


def test_gradients_go_with_their_leaf():
    x = leaf()
    (x * x).sum().backward()
    refs = watch(x, x.grad)
    del x
    assert dead(refs)


def test_grad_with_create_graph_leaves_no_cycle():
    x = leaf()
    y = (x**3).sum()
    (g,) = ft.autograd.grad(y, x, create_graph=True)
    (h,) = ft.autograd.grad(g.sum(), x)
    refs = watch(x, y, g, h, y.grad_fn, g.grad_fn)
    del x, y, g, h
    assert dead(refs)


def test_backward_with_create_graph_leaves_no_cycle():
    """The gradient's tape leads to the leaf, which holds the gradient: by a weak reference."""
    x = leaf()
    y = (x**3).sum()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y.backward(create_graph=True)
    g = x.grad
    refs = watch(x, y, g, y.grad_fn, g.grad_fn)
    del x, y, g
    assert dead(refs)


def test_op_that_saves_its_output():
    x = leaf()
    for f in (np.exp, np.tanh, np.sqrt, np.reciprocal):
        y = f(x)
        refs = watch(y, y.grad_fn)
        del y
        assert dead(refs), f


def test_op_with_several_outputs():
    x = leaf()
    parts = np.split(x, [1])
    refs = watch(*parts, *[p.grad_fn for p in parts])
    parts[0].sum().backward()
    del parts
    assert dead(refs)


def test_unused_branch_goes():
    x = leaf()
    y = x * 2
    branch = y.exp()
    refs = watch(branch, branch.grad_fn)
    del branch
    assert dead(refs)
    y.sum().backward()


def test_inplace_changes():
    x = leaf()
    y = x * 1
    before = watch(y.grad_fn)
    y.mul_(2.0)
    y.sum().backward()
    after = watch(y, y.grad_fn)
    del y
    assert dead(before + after)


def test_hooks_go_with_their_tensor():
    class Hook:
        def __call__(self, g):
            return None

    hook, x = Hook(), leaf()
    y = x * 2
    y.register_hook(hook)
    x.register_hook(hook)
    refs = [*watch(x, y), weakref.ref(hook)]
    y.sum().backward()
    del x, y, hook
    assert dead(refs)


def test_retained_gradient_goes():
    x = leaf()
    y = x * 2
    y.retain_grad()
    y.sum().backward()
    refs = watch(y, y.grad)
    del y
    assert dead(refs)


# --- transforms -----------------------------------------------------------------------------------

CALLS = {
    "grad": lambda f, x: ft.grad(f)(x),
    "grad_grad": lambda f, x: ft.grad(lambda x: ft.grad(f)(x).sum())(x),
    "vjp": lambda f, x: ft.vjp(f, x)[1](1.0),
    "jvp": lambda f, x: ft.jvp(f, (x,), (x,)),
    "vmap": lambda f, x: ft.vmap(f)(np.stack([x, x])),
    "vmap_grad": lambda f, x: ft.vmap(ft.grad(f))(np.stack([x, x])),
    "hessian": lambda f, x: ft.hessian(f)(x),
    "jacrev": lambda f, x: ft.jacrev(f)(x),
    "linearize": lambda f, x: ft.linearize(f, x)[1](x),
    "checkpoint": lambda f, x: ft.grad(ft.checkpoint(f))(x),
    "jit": lambda f, x: ft.jit(f)(x),
}


@pytest.mark.parametrize("name", CALLS)
def test_transform_leaves_nothing(name):
    """All values and nodes that the function saw are gone when the call is over."""
    seen = []

    def f(x):
        y = np.sin(x) * x
        seen.extend(watch(x, y) if type(x) is ft.Tensor else ())
        seen.extend(watch(y.grad_fn) if getattr(y, "grad_fn", None) is not None else ())
        return (y * y).sum()

    result = CALLS[name](f, np.array([1.0, 2.0, 3.0]))
    assert dead(seen), f"{name} keeps what its function made"
    del result


@pytest.mark.parametrize("name", CALLS)
def test_transform_that_fails_leaves_nothing(name):
    seen = []

    def f(x):
        y = np.sin(x)
        seen.extend(watch(y) if type(y) is ft.Tensor else ())
        raise KeyError("mine")

    try:
        CALLS[name](f, np.array([1.0, 2.0, 3.0]))
    except KeyError as error:
        error.__traceback__ = error.__context__ = None
    assert dead(seen)


def test_pullback_keeps_its_tape_and_no_longer():
    x = np.array([1.0, 2.0])
    out, pullback = ft.vjp(lambda x: np.sin(x) * x, x)
    ref = weakref.ref(pullback)
    pullback(x)
    del pullback
    assert ref() is None


def test_collector_finds_nothing():
    """A program that uses most of the library, then a collection: no cycle through a tensor."""
    x = leaf()
    for call in CALLS.values():
        call(lambda x: (np.sin(x) * x).sum(), x)
    (x.exp() * x).sum().backward()
    x.grad = None
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        ours = [o for o in gc.garbage if isinstance(o, (ft.Tensor, ft.op.Value))
                or type(o).__module__.startswith("functape.tape")]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    assert not ours, ours[:3]


def test_memory_does_not_grow():
    """MLX's own count of bytes in use is the same after many steps."""
    x = leaf(1000)

    def step():
        y = (np.tanh(x * 2) * x).sum()
        y.backward()
        mx.eval(x.grad.array)
        x.grad = None

    for _ in range(3):
        step()
    before = mx.get_active_memory()
    for _ in range(50):
        step()
    assert mx.get_active_memory() <= before + 4096


# --- long chains ----------------------------------------------------------------------------------


def run_chain(length):
    x = ft.tensor(2.0, requires_grad=True)
    y = chain(x, length)
    node = weakref.ref(y.grad_fn)
    y.backward()
    assert x.grad.item() == 1
    del y
    assert node() is None


def test_long_chain():
    """Fifty thousand operations under Python's ordinary recursion limit."""
    assert sys.getrecursionlimit() <= 2000
    run_chain(50_000)


def test_long_chain_is_freed_without_a_backward_pass():
    y = chain(ft.tensor(2.0, requires_grad=True), 50_000)
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None


def test_long_chain_in_transforms():
    assert ft.grad(lambda x: chain(x, 20_000))(np.array(2.0)).item() == 1
    assert ft.jvp(lambda x: chain(x, 20_000), (np.array(2.0),), (np.array(1.0),))[1].item() == 1


def test_long_chain_to_second_order():
    x = ft.tensor(2.0, requires_grad=True)
    y = chain(x, 20_000) ** 2
    (g,) = ft.autograd.grad(y, x, create_graph=True)
    g.backward()
    assert x.grad.item() == 2


def test_wide_graph():
    """One leaf used ten thousand times."""
    x = ft.tensor(1.0, requires_grad=True)
    parts = [x * 2.0 for _ in range(10_000)]
    while len(parts) > 1:
        parts = [a + b for a, b in zip(parts[::2], parts[1::2], strict=False)] + (
            parts[-1:] if len(parts) % 2 else [])
    parts[0].backward()
    assert x.grad.item() == 20_000


@pytest.mark.nightly
def test_very_long_chain():
    run_chain(1_000_000)
