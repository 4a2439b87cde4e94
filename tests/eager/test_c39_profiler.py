"""The profiler: what it records, that it nests, and that nothing is slower when it is off."""

import gc
import json
import re
import threading
import time
import weakref
import xml.etree.ElementTree as ET

import pytest

import functape as ft
import functape.numpy as np
from functape.autograd import Function, detect_anomaly, is_anomaly_enabled
from functape.autograd.profiler import profile, record_function
from functape.errors import AnomalyError, ArgumentError, GraphError, ShapeError
from functape.op import Op
from functape.tape import mode

PLAIN = Op.__call__


@pytest.fixture(autouse=True)
def nothing_stays():
    yield
    assert Op.__call__ is PLAIN and mode.watch == () and mode.check is None


def names(prof, kind):
    return [e.name for e in prof.events if e.kind == kind]


def step(n=3):
    w = ft.ones(n, requires_grad=True)
    np.sum(np.sin(w) * w).backward()
    return w


def test_an_event_for_each_op_and_each_node():
    with profile() as prof:
        step()
    assert names(prof, "forward") == ["sin", "multiply", "sum"]
    assert names(prof, "backward") == ["SumBackward", "MultiplyBackward", "SinBackward"]
    starts = [e.start for e in prof.events]
    assert starts == sorted(starts) and all(e.stop > e.start for e in prof.events)


def test_times_are_real():
    class Slow(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            time.sleep(0.02)
            return g

    x = ft.ones(2, requires_grad=True)
    before = time.perf_counter_ns()
    with profile() as prof:
        Slow.apply(x).sum().backward()
    after = time.perf_counter_ns()
    (slow,) = [e for e in prof.events if e.name == "SlowBackward"]
    assert before < slow.start and slow.stop < after
    assert 0.02 <= slow.time < (after - before) / 1e9 and slow.self_time <= slow.time


def test_nested_events_know_their_own_time():
    with profile() as prof:
        x = ft.ones(2, requires_grad=True)
        with record_function("outer"), record_function("inner"):
            np.sin(x)
    outer, inner, sine = [e for e in prof.events if e.name in ("outer", "inner", "sin")]
    assert (outer.depth, inner.depth, sine.depth) == (0, 1, 2)
    assert sine.parent is inner and inner.parent is outer
    assert outer.self_time == pytest.approx(outer.time - inner.time)


def test_an_error_closes_what_is_open():
    x = ft.ones(2, requires_grad=True)
    with profile() as prof:
        with pytest.raises(ShapeError):
            with record_function("fails"):
                x.reshape(7)
        np.sin(x)
    assert [e.depth for e in prof.events if e.name in ("fails", "sin")] == [0, 0]


def test_profiles_nest_and_each_sees_its_own():
    x = ft.ones(2, requires_grad=True)
    with profile() as outer:
        np.sin(x)
        with profile() as inner:
            np.cos(x)
        np.exp(x)
    assert [e.name for e in outer.events] == ["sin", "cos", "exp"]
    assert [e.name for e in inner.events] == ["cos"]


def test_profiles_may_end_in_any_order():
    x = ft.ones(2, requires_grad=True)
    first, second = profile(), profile()
    first.start()
    second.start()
    first.stop()
    np.sin(x)
    second.stop()
    assert [e.name for e in second.events] == ["sin"] and first.events == []
    with pytest.raises(GraphError, match="does not record.*start"):
        first.stop()
    with first, pytest.raises(GraphError, match="already.*stop"):
        first.start()


def test_each_thread_records_its_own():
    x = ft.ones(2)
    ft.numpy.sin(x).block_until_ready()
    inside, done = threading.Event(), threading.Event()

    def other():
        inside.wait()
        step()
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with profile() as prof:
        np.cos(x)
        inside.set()
        done.wait()
    thread.join()
    assert [e.name for e in prof.events] == ["cos"]


def test_one_profile_may_record_several_threads():
    prof, both = profile(), threading.Barrier(2)  # alive at once, so their numbers differ

    def work():
        with prof:
            both.wait()
            step()
            both.wait()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len({e.thread for e in prof.events}) == 2
    assert names(prof, "backward").count("SinBackward") == 2
    assert all(e.depth == 0 for e in prof.events if e.kind == "backward")


def test_record_function_decorates():
    @record_function("mine")
    def f(x):
        return np.sin(x)

    @record_function("steps")
    def generate(x):
        yield np.sin(x)
        yield np.cos(x)

    f(ft.ones(2))  # without a profile it does nothing
    with profile() as prof:
        f(ft.ones(2))
        list(generate(ft.ones(2)))
    assert f.__name__ == "f"
    ranges = [e for e in prof.events if e.kind == "range"]
    assert [e.name for e in ranges] == ["mine", "steps", "steps", "steps"]
    with pytest.raises(ArgumentError, match=r"@record_function\("):
        record_function(f)


# --- evaluation, memory ---------------------------------------------------------------------------


def test_evaluation_is_asked_for_and_said():
    with profile() as lazy:
        step()
    with profile(evaluate=True) as waited:
        step()
    assert not any(e.evaluated for e in lazy.events)
    assert all(e.evaluated for e in waited.events)
    assert "dispatch" in lazy.table() and "waited for its result" in waited.table()
    with pytest.raises(ArgumentError, match="True or False"):
        profile(evaluate="yes")


def test_compiled_code_is_not_evaluated():
    f = ft.jit(lambda x: np.sum(np.sin(x) * x))
    with profile(evaluate=True) as prof:
        out = f(ft.ones(3))
    assert float(out) == pytest.approx(3 * 0.8414709848)
    assert not any(e.evaluated for e in prof.events if e.name == "sin")


def test_saved_bytes_and_memory():
    x = ft.ones(1000, requires_grad=True)
    with profile(evaluate=True) as prof:
        y = np.exp(x)  # saves its output
        z = np.sin(y)  # saves its input: the same array
        z.sum().backward()
        del y, z
        gc.collect()
    rows = {row["name"]: row for row in prof.nodes()}
    assert rows["exp"]["saved_bytes"] == rows["sin"]["saved_bytes"] == 4000
    assert rows["sum"]["saved_bytes"] == 0
    assert prof.saved_peak_bytes == 4000 and prof.kept.bytes == 0
    assert prof.peak_bytes >= 8000
    (sine,) = [e for e in prof.events if e.name == "sin"]
    assert sine.allocated_bytes >= 4000


def test_what_rules_of_the_users_own_save_counts():
    class Cube(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3.0 * g * x * x

    cube = ft.custom_vjp(lambda x: x * x * x)
    cube.defvjp(lambda x: (x * x * x, x), lambda x, g: (3.0 * g * x * x,))
    for f in (Cube.apply, cube):
        x = ft.ones(100, requires_grad=True)
        with profile() as prof:
            f(x).backward(ft.ones(100))
        *_, row = prof.nodes()  # behind those of the rule's forward pass
        assert row["saved_bytes"] == 400 <= prof.saved_peak_bytes
        assert row["backward_time"] > 0.0


def test_a_nested_profile_does_not_hide_the_peak():
    with profile() as outer:
        big = ft.ones(1_000_000) * 2.0
        big.block_until_ready()
        del big
        with profile() as inner:
            (ft.ones(10) * 2.0).block_until_ready()
    assert outer.peak_bytes >= 4_000_000 > inner.peak_bytes - inner.events[0].before


def test_a_profile_keeps_no_array():
    x = ft.ones(3, requires_grad=True)
    with profile() as prof:
        y = np.sin(x)
    gone = weakref.ref(y), weakref.ref(y.grad_fn)
    gc.disable()
    try:
        del y
        assert gone[0]() is None and gone[1]() is None
        ended = weakref.ref(prof)
        del prof
        assert ended() is None
    finally:
        gc.enable()


# --- with everything else -------------------------------------------------------------------------


def test_anomaly_mode_inside_and_outside():
    x = ft.tensor(0.0, requires_grad=True)
    bad = ft.tensor(float("inf"))
    for managers in ((profile, detect_anomaly), (detect_anomaly, profile)):
        with managers[0](), managers[1]():
            assert is_anomaly_enabled()
            y = (x * bad) * 0.0
            with pytest.raises(AnomalyError, match="MultiplyBackward"):
                y.backward()
        assert not is_anomaly_enabled()
    with profile():
        assert not is_anomaly_enabled()


def test_the_gradients_are_the_same():
    def f(x):
        return np.sum(np.tanh(x @ x) * x)

    x = ft.randn(4, 4)
    plain = [np.sum(ft.grad(f)(x)), np.sum(ft.hessian(f)(x)), np.sum(ft.vmap(np.sin)(x))]
    for evaluate in (False, True):
        with profile(evaluate=evaluate) as prof:
            again = [np.sum(ft.grad(f)(x)), np.sum(ft.hessian(f)(x)), np.sum(ft.vmap(np.sin)(x))]
        assert [float(a) for a in again] == [float(p) for p in plain]
        assert names(prof, "backward")


def test_recorded_passes_nest_in_their_nodes():
    x = ft.ones(3, requires_grad=True)
    with profile() as prof:
        (g,) = ft.autograd.grad(np.sum(np.sin(x) * x), x, create_graph=True)
        g.sum().backward()
    cos = [e for e in prof.events if e.name == "cos"]
    assert cos and cos[0].parent.name == "SinBackward"


# --- what it shows --------------------------------------------------------------------------------


def test_the_table_sorts_by_any_column():
    with profile() as prof:
        for n in (2, 3):
            step(n)
    rows = prof.key_averages()
    for column in rows.columns:
        values = [row[column] for row in rows.sorted(column)]
        assert values == sorted(values, reverse=column not in ("name", "kind"))
        assert column in rows.table(sort_by=column).splitlines()[0]
    assert "2 more rows" in rows.table(row_limit=len(rows) - 2)
    with pytest.raises(ArgumentError, match="Did you mean 'self_time'"):
        prof.table(sort_by="self_tim")
    shapes = [r["inputs"] for r in prof.key_averages(group_by_inputs=True) if r["name"] == "sin"]
    assert sorted(shapes) == ["float32[2]", "float32[3]"]


def test_nodes_have_both_times():
    with profile() as prof:
        step()
    rows = prof.nodes()
    assert [r["name"] for r in rows] == ["sin", "multiply", "sum"]
    assert all(r["forward_time"] > 0 and r["backward_time"] > 0 for r in rows)
    assert rows.sorted("backward_time")[0]["backward_time"] == max(
        r["backward_time"] for r in rows)


def test_chrome_trace(tmp_path):
    with profile() as prof:
        step()
    prof.export_chrome_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert [e["name"] for e in events] == [e.name for e in prof.events]
    assert all(e["dur"] > 0 and {"ts", "pid", "tid"} <= set(e) for e in events)
    flows = [e for e in trace["traceEvents"] if e["ph"] in "sf"]
    assert len(flows) == 6 and {e["ph"] for e in flows} == {"s", "f"}
    assert "dispatch" in trace["otherData"]["note"]


def test_the_page_needs_no_network(tmp_path):
    with profile(evaluate=True) as prof, record_function("<&>"):
        step()
    prof.save(tmp_path / "profile.html")
    page = (tmp_path / "profile.html").read_text()
    links = re.findall(r"(?:src|href)=|@import|url\(|https?://(?!www\.w3\.org/2000/svg)", page)
    assert not links and page.startswith("<!doctype html>")
    assert "&lt;&amp;&gt;" in page and "<&>" not in page and "MultiplyBackward" in page
    for picture in re.findall(r"<svg.*?</svg>", page, re.S):
        ET.fromstring(picture)
    assert "saved for backward" in prof.memory_chart() and "<table" in prof._repr_html_()


def test_an_empty_profile_shows_itself():
    with profile() as prof:
        pass
    assert prof.events == [] and prof.memory_chart() == "" and "0 events" in prof.html()
    assert prof.table().startswith("name")
