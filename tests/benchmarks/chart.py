"""A picture of the measurements: ratios to `mx.grad` as bars, and the curves."""

from . import report
from .libraries import LIBRARIES


def draw(path, workloads, reports, curves, points, libraries):
    """Write a PNG; needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    panels = bool(workloads) + len(curves)
    figure, axes = pyplot.subplots(panels, 1, figsize=(9, 4.5 * panels), squeeze=False)
    axes = list(axes[:, 0])
    if workloads:
        bars(axes.pop(0), workloads, reports, libraries)
    for axis, curve in zip(axes, curves, strict=True):
        lines(axis, curve, points[curve.name])
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def bars(axis, workloads, reports, libraries):
    """Times relative to those of mx.grad; of functape where mx.grad has no version."""
    workloads = [w for w in workloads if not w.staged]
    width = 0.8 / max(len(libraries), 1)
    for k, name in enumerate(libraries):
        at, heights = [], []
        for i, w in enumerate(workloads):
            base = "mlx" if "rounds" in reports[w.name].get("mlx", {}) else "functape"
            found = report.ratio(reports[w.name], name, base)
            if found:
                at.append(i + (k - (len(libraries) - 1) / 2) * width)
                heights.append(found[0])
        axis.bar(at, heights, width, label=LIBRARIES[name].title)
    axis.axhline(1, color="black", linewidth=0.8)
    axis.set_yscale("log")
    axis.set_ylabel("time / mx.grad")
    axis.set_xticks(range(len(workloads)), [w.name for w in workloads], rotation=30, ha="right")
    axis.legend(fontsize="small", ncols=4)


def lines(axis, curve, points):
    for name, (sizes, costs) in report.curve_series(curve, points).items():
        if name.endswith(" grown"):
            continue
        power = report.exponent(sizes, costs)
        axis.loglog(sizes, costs, "o-", label=name if power is None else f"{name} ({power:.2f})")
    axis.set_title(f"{curve.title} (fitted exponents)")
    axis.set_xlabel(curve.axis)
    axis.set_ylabel("seconds")
    axis.legend(fontsize="small")
