"""Programs that run alike on functape and on PyTorch: changes in place, modes, functions, copies.

Each takes the library and a maker of leaves, and returns what can be observed.
"""

import copy
import pickle
import threading

from comparing_torch import outcome, plain, versions


def guarded_leaves(lib, leaf):
    x = leaf([1.0, 2.0])
    results = [outcome(lambda: x.add_(1)), outcome(lambda: x.__setitem__(0, 5.0))]
    with lib.no_grad():
        x.add_(1)
        x[0] = 7.0
    return results, x, versions(x), x.is_leaf, x.requires_grad


def saved_values_are_checked(lib, leaf):
    def run(make, change):
        x = leaf([2.0])
        y = x * 1
        z = make(x, y)
        with lib.no_grad():
            change(x, y, z)
        z.backward()
        return x.grad

    makes = [lambda x, y: y * y, lambda x, y: y.exp(), lambda x, y: y + x]
    changes = [lambda x, y, z: y.add_(1), lambda x, y, z: z.add_(1), lambda x, y, z: x.add_(1),
               lambda x, y, z: y.detach().add_(1)]
    return [[outcome(run, m, c) for c in changes] for m in makes]


def versions_are_shared(lib, leaf):
    x = leaf([1.0])
    d = x.detach()
    d.add_(1)
    y = x * 1
    y.add_(1)
    y.mul_(2)
    return x, versions(x, d, x.clone(), y)


def assignments(lib, leaf):
    x, w = leaf([1.0, 2.0]), leaf(3.0)
    y = x * 4
    y[0] = 10.0
    plain_one = lib.ones(2)
    plain_one[1] = w * w
    (y.sum() + plain_one.sum()).backward()
    return y, x.grad, w.grad, plain_one.is_leaf


def plain_tensors_join(lib, leaf):
    w, t = leaf([2.0, 3.0]), lib.ones(2) * 10
    t.mul_(w)
    t.sum().backward()
    return t.is_leaf, t.requires_grad, w.grad


def flags(lib, leaf):
    y = leaf(1.0) * 2
    return (outcome(lambda: y.requires_grad_(False)), y.requires_grad_(True) is y,
            outcome(lambda: setattr(leaf(1.0), "requires_grad", 1)),
            outcome(lambda: lib.ones(1).int().requires_grad_()))


def modes(lib, leaf):
    x, states = leaf(1.0), []

    @lib.no_grad()
    def numbers():
        for _ in range(2):
            states.append(lib.is_grad_enabled())
            yield x * 2

    for y in numbers():
        states.append((lib.is_grad_enabled(), y.requires_grad))
    with lib.no_grad():
        with lib.enable_grad():
            states.append((x * 2).requires_grad)
        thread = threading.Thread(target=lambda: states.append(lib.is_grad_enabled()))
        thread.start()
        thread.join()
        states.append((x * 2).is_leaf)
    return states


def function_needs(lib, leaf):
    seen = []

    class F(lib.autograd.Function):
        @staticmethod
        def forward(ctx, a, b, n):
            seen.append(ctx.needs_input_grad)
            ctx.save_for_backward(a, b)
            return a * b, a + b

        @staticmethod
        def backward(ctx, g, h):
            seen.append((g, h))
            a, b = ctx.saved_tensors
            seen.append((a is x, b is w))
            return g * b + h, None, None, None

    x, w = leaf(2.0), lib.ones(()) * 3
    out = F.apply(x, w, 5)[0]
    out.backward()
    return plain([list(s) if isinstance(s, tuple) else s for s in seen]), x.grad


def function_errors(lib, leaf):
    results = []
    for given in ((1,), (1, 1), (1, None, None), (1, None, 1), (3, None), ("x", None)):
        class F(lib.autograd.Function):
            value = given

            @staticmethod
            def forward(ctx, a, b):
                return a * b

            @classmethod
            def make(cls):
                kinds = {1: lib.ones(2), 3: lib.ones(3), None: None, "x": "x"}
                grads = tuple(kinds[v] for v in cls.value)
                return grads[0] if len(grads) == 1 else grads

            @staticmethod
            def backward(ctx, g):
                return F.make()

        x = leaf([1.0, 1.0])
        results.append(outcome(lambda F=F, x=x: F.apply(x, 2.0).sum().backward() or x.grad))
    return results


def function_of_the_input_itself(lib, leaf):
    class F(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 7

    x = leaf(2.0)
    y = F.apply(x)
    y.backward()
    return y is x, y, x.grad


def once(lib, leaf):
    class F(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @lib.autograd.function.once_differentiable
        def backward(ctx, g):
            return g * 2 * ctx.saved_tensors[0]

    x = leaf(3.0)
    (g,) = lib.autograd.grad(F.apply(x), x, create_graph=True)
    return g, outcome(lambda: lib.autograd.grad(g, x))


def hooks_of_saved_tensors(lib, leaf):
    x, log = leaf(3.0), []
    with lib.autograd.graph.saved_tensors_hooks(
            lambda t: (log.append("pack"), t)[1], lambda t: (log.append("unpack"), t)[1]):
        y = x * x
    y.backward(retain_graph=True)
    y.backward()
    return log, x.grad


def several_gradients_at_once(lib, leaf):
    a, b, c, seen = leaf(1.0), leaf(3.0), leaf(5.0), []
    lib.autograd.graph.register_multi_grad_hook((b, c), lambda gs: seen.append(plain(list(gs))))
    (a * b + c).backward()
    return seen


def copies(lib, leaf):
    x = leaf([1.0])
    (x * 3).sum().backward()
    deep, shallow = copy.deepcopy(x), copy.copy(x)
    back = pickle.loads(pickle.dumps(x))
    return ([t.requires_grad and t.is_leaf for t in (deep, shallow, back)],
            [t.grad for t in (deep, shallow, back)], outcome(lambda: copy.deepcopy(x * 2)))


def subgradients(lib, leaf):
    def g(f, at):
        x = leaf(at)
        f(x).sum().backward()
        return x.grad

    return (g(lambda x: x.abs(), [0.0]), g(lambda x: x.relu(), [0.0]),
            g(lambda x: x.max(), [2.0, 2.0]), g(lambda x: x.min(), [2.0, 2.0]),
            g(lambda x: x.prod(), [0.0, 2.0]), g(lambda x: x**0, [0.0]),
            g(lambda x: x.std(), [1.0, 1.0]),
            g(lambda x: x[lib.tensor([0, 0, 1])], [5.0, 6.0]))
