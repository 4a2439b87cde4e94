"""Grad modes: nesting, re-entrance, generators, coroutines, threads."""

import asyncio
import threading

import pytest

import functape as ft
from functape.errors import ArgumentError


def state():
    return ft.is_grad_enabled(), ft.is_inference_mode_enabled()


@pytest.fixture(autouse=True)
def unchanged():
    assert state() == (True, False)
    yield
    assert state() == (True, False)


def test_nesting_and_exceptions_restore():
    with ft.no_grad():
        with ft.enable_grad():
            assert ft.is_grad_enabled()
            with ft.set_grad_enabled(False):
                assert not ft.is_grad_enabled()
            assert ft.is_grad_enabled()
        assert not ft.is_grad_enabled()
    with pytest.raises(KeyError), ft.no_grad():
        raise KeyError


def test_one_object_entered_twice():
    c = ft.no_grad()
    with c:
        with c, ft.enable_grad():
            with c:
                assert not ft.is_grad_enabled()
            assert ft.is_grad_enabled()
        assert not ft.is_grad_enabled()


@pytest.mark.parametrize("make", [lambda: ft.no_grad, ft.no_grad,
                                  lambda: ft.set_grad_enabled(False)])
def test_decorators(make):
    decorator = make()

    @decorator
    def f(x):
        """Doc."""
        return x * 2.0

    x = ft.tensor(1.0, requires_grad=True)
    assert not f(x).requires_grad and f.__name__ == "f" and f.__doc__ == "Doc."

    @decorator
    def fails():
        raise KeyError

    with pytest.raises(KeyError):
        fails()

    @decorator
    def recursive(n):
        return recursive(n - 1) if n else ft.is_grad_enabled()

    assert recursive(3) is False


def test_enable_grad_and_inference_mode_as_decorators():
    with ft.no_grad():
        assert ft.enable_grad(ft.is_grad_enabled)()
    assert ft.inference_mode(state)() == (False, True)
    assert ft.inference_mode()(state)() == (False, True)
    assert ft.inference_mode(False)(state)() == (True, False)


def test_set_grad_enabled_as_a_function():
    ft.set_grad_enabled(False)
    assert not ft.is_grad_enabled()
    ft.set_grad_enabled(True)
    with pytest.raises(ArgumentError, match="True or False"):
        ft.set_grad_enabled(0)


def test_classes_cannot_be_decorated():
    for decorator in (ft.no_grad, ft.no_grad(), ft.enable_grad(), ft.inference_mode()):
        with pytest.raises(ArgumentError, match="A is a class. Decorate its methods"):
            @decorator
            class A:
                pass


def test_generators_hold_the_mode_only_while_they_run():
    inside, closed = [], []

    @ft.no_grad()
    def numbers():
        try:
            inside.append(ft.is_grad_enabled())
            got = yield 1
            inside.append((ft.is_grad_enabled(), got))
            try:
                yield 2
            except KeyError:
                inside.append(ft.is_grad_enabled())
                yield 3
            return "end"
        finally:
            closed.append(ft.is_grad_enabled())

    g = numbers()
    assert next(g) == 1 and ft.is_grad_enabled()
    assert g.send("hello") == 2 and ft.is_grad_enabled()
    assert g.throw(KeyError) == 3 and ft.is_grad_enabled()
    with pytest.raises(StopIteration) as stop:
        next(g)
    assert stop.value.value == "end"
    assert inside == [False, (False, "hello"), False] and closed == [False]
    g = numbers()
    next(g)
    g.close()
    assert closed == [False, False]
    with pytest.raises(ValueError):
        g = numbers()
        next(g)
        g.throw(ValueError)


def test_coroutines_hold_the_mode_only_while_they_run():
    seen = []

    @ft.no_grad()
    async def quiet():
        seen.append(("quiet", ft.is_grad_enabled()))
        await asyncio.sleep(0)
        seen.append(("quiet", ft.is_grad_enabled()))
        return 5

    async def loud():
        for _ in range(2):
            seen.append(("loud", ft.is_grad_enabled()))
            await asyncio.sleep(0)

    async def both():
        return await asyncio.gather(quiet(), loud())

    assert asyncio.run(both())[0] == 5
    assert sorted(seen) == [("loud", True)] * 2 + [("quiet", False)] * 2


def test_asynchronous_generators_are_refused():
    with pytest.raises(ArgumentError, match="asynchronous generator"):
        @ft.no_grad()
        async def f():
            yield 1


def test_threads_start_enabled_and_share_no_stack():
    shared, seen = ft.no_grad(), []
    barrier = threading.Barrier(2)

    def first():
        seen.append(ft.is_grad_enabled())
        with shared:  # outermost here: the mode before is True
            barrier.wait()
            barrier.wait()
        seen.append(ft.is_grad_enabled())

    def second():
        seen.append(ft.is_grad_enabled())
        with ft.no_grad():
            barrier.wait()
            with shared:  # here the mode before is False
                pass
            seen.append(not ft.is_grad_enabled())
            barrier.wait()

    with ft.no_grad():
        threads = [threading.Thread(target=f) for f in (first, second)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert not ft.is_grad_enabled()
    assert seen == [True] * 4


def test_no_grad_makes_constants():
    x = ft.tensor(3.0, requires_grad=True)
    with ft.no_grad():
        y = x * x
        assert not y.requires_grad and y.is_leaf and x.requires_grad
        assert ft.tensor(1.0, requires_grad=True).requires_grad
    (x * y).backward()
    assert x.grad.item() == 9.0


def test_inference_mode():
    w = ft.tensor(2.0, requires_grad=True)
    with ft.inference_mode():
        x = w * 3.0
        assert x.is_inference and not x.requires_grad
        with ft.enable_grad():
            assert not ft.is_grad_enabled()
        with ft.inference_mode(False):
            assert ft.is_grad_enabled()
    with pytest.raises(RuntimeError, match="inference mode.*clone"):
        x * w
    (x.clone() * w).backward()
    assert w.grad.item() == 6.0
