"""Programs that run alike on functape and on PyTorch: gradients, hooks and passes.

Each takes the library and a maker of leaves, and returns what can be observed.
"""

from comparing_torch import outcome, versions


def gradients_of_leaves_and_results(lib, leaf):
    x = leaf([1.0, 1.0, 1.0])
    h = x * 2
    h.retain_grad()
    (h * h).sum().backward()
    return h.is_leaf, h.grad, x.grad, x.grad_fn


def identity_of_grad(lib, leaf):
    p = leaf([1.0, 1.0])
    (p * p).sum().backward()
    held = p.grad
    (p * p).sum().backward()
    facts = [p.grad is held, held.detach().clone(), versions(held)[0] > 0]
    lib.optim.SGD([p], 0.1).zero_grad()
    return facts, p.grad, held


def zero_grad_in_place(lib, leaf):
    p = leaf([1.0])
    (p * p).sum().backward()
    held = p.grad
    lib.optim.SGD([p], 0.1).zero_grad(set_to_none=False)
    return p.grad is held, held


def grad_leaves_grad_alone(lib, leaf):
    z = leaf([1.0, 1.0])
    g = lib.autograd.grad((z * z).sum(), z)
    return g, z.grad


def freezing_between_the_passes(lib, leaf):
    x = leaf([1.0, 1.0])
    y = (x * 2).sum()
    x.requires_grad_(False)
    y.backward(retain_graph=True)
    first = x.grad
    x.requires_grad_(True)
    y.backward()
    return first, x.grad


def setting_grad(lib, leaf):
    x, results = leaf([1.0]), []
    for value in (lib.ones(2), lib.ones(1).double(), 5, x):
        results.append(outcome(lambda v=value: setattr(x, "grad", v)))
    x.grad = g = lib.ones(1)
    (x * 2).backward()
    return results, x.grad is g, g


def recorded_and_plain_passes(lib, leaf):
    x = leaf(2.0)
    (x**3).backward(create_graph=True)
    first = x.grad
    (x**3).backward()
    return first is x.grad, x.grad, lib.autograd.grad(x.grad, x)


def plain_then_recorded(lib, leaf):
    x = leaf(2.0)
    (x * x).backward()
    old = x.grad
    (x * x).backward(create_graph=True)
    return old, x.grad, old is x.grad, x.grad.requires_grad


def broadcasting(lib, leaf):
    x, y, z = leaf([2.0]), leaf([[1.0], [2.0]]), leaf([1.0, 1.0, 1.0])
    (x * lib.ones(4, 3)).sum().backward()
    (y * z).sum().backward()
    return x.grad, y.grad, z.grad


def hooks_before_and_after_keeping(lib, leaf):
    x = leaf(1.0)
    y = x * 3
    y.register_hook(lambda g: g * 10)
    y.retain_grad()
    y.register_hook(lambda g: g * 100)
    y.backward()
    return y.grad, x.grad, y.retains_grad


def kept_gradients_add_up(lib, leaf):
    x = leaf(1.0)
    y = x * 1
    y.retain_grad()
    y.backward(retain_graph=True)
    first = y.grad
    y.backward(retain_graph=True)
    y.grad = lib.ones(()) * 7
    lib.autograd.grad(y, x)
    return first, y.grad


def keeping_follows_the_tensor(lib, leaf):
    x, seen = leaf(3.0), []
    y = x * 3
    y.retain_grad()
    y.register_hook(lambda g: seen.append(g.item()))
    y.mul_(2)
    y.backward()
    return y.grad, x.grad, seen


def chains_of_hooks(lib, leaf):
    x, seen = leaf(1.0), []
    x.register_hook(lambda g: seen.append(g.item()) or g * 2)
    x.register_hook(lambda g: seen.append(g.item()))
    x.register_hook(lambda g: seen.append(g.item()) or g + 1)
    (x * 3).backward()
    return seen, x.grad


def what_hooks_may_return(lib, leaf):
    results = []
    for wrong in (lambda g: 5, lambda g: g.sum(), lambda g: g.double()):
        x = leaf([1.0, 2.0])
        x.register_hook(wrong)
        results.append(outcome(lambda x=x: (x * 2).sum().backward()))
    return results, outcome(lambda: lib.ones(1).register_hook(print))


def removing_hooks(lib, leaf):
    x, seen = leaf(1.0), []
    a = x.register_hook(lambda g: (seen.append("a"), b.remove())[1])
    b = x.register_hook(lambda g: seen.append("b"))
    (x * 1).backward()
    (x * 1).backward()
    a.remove()
    a.remove()
    with x.register_hook(lambda g: seen.append("c")):
        (x * 1).backward()
    (x * 1).backward()
    return seen


def hooks_in_order(lib, leaf):
    x, seen = leaf(1.0), []
    y = x * 1
    a, b = y * 2, y * 3
    for name, t in (("y", y), ("a", a), ("b", b)):
        t.register_hook(lambda g, name=name: seen.append((name, g.item())))
    (a + b).backward()
    return seen


def order_of_leaves(lib, leaf):
    x, w, seen = leaf(1.0), leaf(1.0), []
    a = x * 2
    a.register_hook(lambda g: seen.append("a"))
    for name, t in (("x", x), ("w", w)):
        t.register_post_accumulate_grad_hook(lambda t, name=name: seen.append(name))
    (a * w).exp().backward()
    return seen


def order_of_all_kinds_of_hooks(lib, leaf):
    x, seen = leaf(1.0), []
    y = x * 2
    acc = y.grad_fn.next_functions[0][0]
    acc.register_hook(lambda gi, go: seen.append(("node", len(gi), len(go))))
    x.register_post_accumulate_grad_hook(lambda t: seen.append("after"))
    acc.register_prehook(lambda go: seen.append("pre"))
    x.register_hook(lambda g: seen.append("tensor"))
    y.backward()
    return seen


def hooks_of_nodes(lib, leaf):
    x, seen = leaf(3.0), []
    y = x * (lib.ones(()) * 2)
    y.grad_fn.register_hook(lambda gi, go: seen.append((gi, go)))
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, gi[1]))
    y.grad_fn.register_prehook(lambda go: (go[0] + 1,))
    y.backward()
    return seen, x.grad


def after_the_accumulation(lib, leaf):
    x, seen = leaf(1.0), []
    x.register_post_accumulate_grad_hook(lambda t: seen.append((t is x, t.grad.item())))
    x.register_post_accumulate_grad_hook(lambda t: setattr(t, "grad", None))
    (x * 2).backward()
    lib.autograd.grad(x * 2, x)
    return seen, x.grad, outcome(lambda: (x * 2).register_post_accumulate_grad_hook(print))


def unused_inputs(lib, leaf):
    x, other, grad = leaf(2.0), leaf([1.0, 2.0]), lib.autograd.grad
    return (outcome(lambda: grad(x * x, [x, other])),
            grad(x * x, [x, other], allow_unused=True),
            grad(x * x, [x, other], materialize_grads=True),
            outcome(lambda: grad(x * x, [x, other], allow_unused=False, materialize_grads=True)),
            outcome(lambda: grad(x * x, lib.ones(1), allow_unused=True)),
            outcome(lambda: grad(x * x, [])))


def inputs_inside_and_twice(lib, leaf):
    x, grad = leaf(2.0), lib.autograd.grad
    y, z = x * 3, x * 3
    return (grad(x * x, [x, x]), grad(y * y, (y, x)), grad(z, z),
            grad(x, x, lib.ones(()) * 4))


def seeds(lib, leaf):
    def back(x, seed=None):
        (x * 2).backward(seed)
        return x.grad

    return [outcome(back, leaf(value), *seed) for value, seed in [
        ([1.0, 2.0], ()), ([[1.0]], ()), ([1.0, 2.0], (lib.ones(3),)),
        ([1.0, 2.0], (lib.ones(()),)),
        ([1.0, 2.0], (lib.ones(2).double(),)), (1.0, (5.0,))]]


def derivatives_by_seeds(lib, leaf):
    x, v = leaf([1.0, 2.0]), leaf([1.0, 1.0])
    (g,) = lib.autograd.grad(x * x, x, v, create_graph=True)
    return lib.autograd.grad(g.sum(), v)


def several_roots(lib, leaf):
    x = leaf(2.0)
    y = x * x
    lib.autograd.backward([y * 3, y * y])
    first = x.grad
    x.grad = None
    y = x * x
    lib.autograd.backward([y, y])
    return first, x.grad, outcome(lambda: lib.autograd.backward([x * 1, lib.ones(1)]))


def chosen_inputs(lib, leaf):
    x, w = leaf(2.0), leaf(3.0)
    (x * w).backward(inputs=[x])
    h = x * w
    (h * h).backward(inputs=[h, x])
    return x.grad, w.grad, h.grad, outcome(lambda: (x * w).backward(inputs=[]))


def freed_graphs(lib, leaf):
    x = leaf(2.0)
    y, z, s = x * x, x + x, x * x
    a, b = s * x, s + 1
    y.backward()
    z.backward()
    z.backward()
    a.backward()
    return outcome(y.backward), outcome(b.backward), x.grad


def retaining(lib, leaf):
    results = []
    for options in ({}, {"retain_graph": True}, {"create_graph": True},
                    {"create_graph": True, "retain_graph": False}):
        x = leaf(2.0)
        y = x**3 * x
        (g,) = lib.autograd.grad(y, x, **options)
        results.append((g.requires_grad, outcome(lambda g=g, x=x: lib.autograd.grad(
            g, x, retain_graph=True)), outcome(lambda y=y, x=x: lib.autograd.grad(y, x))))
    return results


def linear_functions(lib, leaf):
    x = leaf(2.0)
    (g,) = lib.autograd.grad(x * 3, x, create_graph=True)
    return g, g.requires_grad, outcome(lambda: lib.autograd.grad(g, x))


def rows_of_a_jacobian(lib, leaf):
    x = leaf([1.0, 2.0, 3.0])
    return lib.autograd.grad(x * x, x, lib.eye(3), is_grads_batched=True)


def passes_in_hooks(lib, leaf):
    x, w, seen = leaf(2.0), leaf(5.0), []

    def hook(g):
        seen.append((lib.is_grad_enabled(), outcome(lambda: (w * w).backward())))
        with lib.enable_grad():
            (w * w).backward()

    y = x * x
    y.register_hook(hook)
    (y * 3).backward()
    return seen, w.grad, x.grad
