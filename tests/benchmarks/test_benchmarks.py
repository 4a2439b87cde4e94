"""Each workload runs at toy size, and gives the same numbers in each library: no times."""

import pytest

from . import measure, report, runner
from .libraries import LIBRARIES
from .workload import Skip
from .workloads import CURVES, WORKLOADS

IN_PROCESS = ("jax", "mlx", "functape", "functape-jit")  # the first that runs is the reference


def prepared(workload, name):
    try:
        return measure.Prepared(workload, LIBRARIES[name], workload.toy)
    except (ImportError, Skip):
        return None


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
def test_libraries_agree(workload):
    names = [n for n in IN_PROCESS if workload.compiled or not LIBRARIES[n].compiled]
    ran = [p for p in (prepared(workload, name) for name in names) if p]
    assert ran, "no library runs it"
    for p in ran:
        visit = p.visit(1e-9)
        if workload.staged:
            assert set(visit) >= set(report.STAGES)
            continue
        assert visit["calls"] == 1
        gap = measure.difference(p.results, ran[0].results)
        assert gap <= workload.tolerance, p.library.name


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_curves_name_a_size(curve):
    assert curve.axis in curve.workload.full
    assert curve.workload.arguments(curve.sizes(curve.toy[0], toy=True))


def test_processes_take_turns_and_the_report_tells():
    chain = WORKLOADS["chain-100"]
    found = runner.run(chain, ["mlx", "mlx-stock"], 2, 0, chain.toy)
    assert [len(entry.get("rounds", ())) for entry in found.values()] == [2, 2], found
    assert not any(entry["wrong"] for entry in found.values())
    least, most = report.ratio(found, "mlx", "mlx-stock")[1:]
    assert 0 < least <= most
    assert chain.title in report.times_table([chain], {chain.name: found}, ["mlx", "mlx-stock"])


def test_wrong_results_are_noticed():
    ones = [measure.np.ones(3)]
    assert measure.difference(ones, ones) == 0
    assert measure.difference([1.001 * ones[0]], ones) == pytest.approx(1e-3)
    assert measure.difference([ones[0] * float("nan")], ones) == float("inf")


def test_exponent_of_a_power():
    sizes = [1, 10, 100, 1000]
    assert report.exponent(sizes, [5 + n**2 for n in sizes]) == pytest.approx(2, abs=0.03)
