"""Programs of several ranks, on MLX's ring over loopback: this process only looks on.

Each start costs seconds, so one program checks many things and tells what failed.
"""

import functape as ft

# isort: split
import types

import mlx.core as mx
import pytest
from distributed.launching import launch, results, start

from functape.distributed.collectives import check_peer

pytestmark = pytest.mark.skipif(not mx.distributed.is_available("ring"), reason="MLX has no ring")


def test_collectives_and_their_derivatives():
    found, output = launch("program_collectives.py", ranks=3)
    assert {r: f["failures"] for r, f in found.items()} == dict.fromkeys(range(3), {}), output
    assert all(f["checks"] == 12 for f in found.values())


def test_training_equals_that_of_one_process():
    found, output = launch("program_training.py")
    assert sorted(found) == [0, 1, 2, 3], output
    for f in found.values():
        assert f["falls"] < 0.8
        assert max(f["values"], f["params"], f["small"], f["jit"]) < 2e-5, f
        if f["bytes"] is not None:
            assert 0 < f["bytes"] <= f["bytes of MLX"], f


@pytest.mark.parametrize("how, limit", [("dies", 2.9), ("hangs", 20.0)])
def test_a_lost_rank_is_an_error_for_the_others(how, limit, tmp_path):
    """With a time-out of 3 s; a rank that has died is noticed before that."""
    ranks = start("program_failing.py", how, ranks=3, hostfile=tmp_path / "hosts.json")
    try:
        found = {}
        for r in (0, 2):
            out, err = ranks[r].communicate(timeout=60)
            found |= results(out)
            assert r in found, err
    finally:
        for process in ranks:
            process.kill()
            process.communicate()
    for f in found.values():
        assert f["step"] == 3 and f["waited"] < limit
        assert f["again"] == f["first"]  # and does not wait again
        assert "start all of them again" in f["first"]
    if how == "hangs":
        assert max(f["waited"] for f in found.values()) > 2.9
        assert any("time-out" in f["first"] for f in found.values())


@pytest.mark.nightly
def test_a_rank_that_never_comes_ends_the_others(tmp_path):
    here, absent = start("program_failing.py", "absent", ranks=2,
                         hostfile=tmp_path / "hosts.json")
    _, err = here.communicate(timeout=60)
    absent.communicate(timeout=60)
    assert (here.returncode, absent.returncode) == (1, 3)
    assert "Timeout" in err and "init" in err


def test_the_ring_reaches_neighbours_only():
    """Which MLX would say late, when the array is evaluated."""
    group = types.SimpleNamespace(rank=0, size=4, backend="ring")
    for rank in (1, 3):
        check_peer("send", "dst", rank, group)
    with pytest.raises(ft.errors.ArgumentError, match="two neighbours only, but dst is 2"):
        check_peer("send", "dst", 2, group)


def test_alone():
    """Without a launcher there is one rank, and nothing is sent."""
    group = ft.distributed.init()
    x = mx.array([1.0, 2.0])
    for name in ("all_sum", "all_mean", "all_max", "all_min", "all_gather", "sum_scatter"):
        out = getattr(ft.distributed, name)(x)
        assert type(out) is mx.array and out.tolist() == [1.0, 2.0]
        assert ft.grad(lambda x, f=name: (getattr(ft.distributed, f)(x) ** 2).sum())(
            x).tolist() == [2.0, 4.0]
    assert group.split(0) is group


@pytest.mark.parametrize("call, words", [
    (lambda: ft.distributed.init(check="sometimes"), "'first', 'always', 'never'"),
    (lambda: ft.distributed.all_sum(1.0, group="all"), "functape.distributed.Group"),
    (lambda: ft.distributed.average_gradients({"w": [mx.zeros(2), "x"]}), r"\['w'\]\[1\] is str"),
    (lambda: ft.distributed.broadcast(1.0, src=1), "src must be a rank"),
])
def test_mistakes(call, words):
    with pytest.raises(ft.errors.ArgumentError, match=words):
        call()
