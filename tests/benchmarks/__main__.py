"""Run the benchmarks: ``python -m tests.benchmarks --help``. See docs/benchmarks.md."""

import contextlib
import json
import os
import platform
from fnmatch import fnmatch
from importlib import metadata

from absl import app, flags

from . import chart, report, runner
from .libraries import LIBRARIES
from .workloads import CURVES, WORKLOADS

FLAGS = flags.FLAGS
flags.DEFINE_list("only", [], "Workloads and curves to run, by name or pattern; all if empty.")
flags.DEFINE_list("libs", list(LIBRARIES), "Libraries to run, in this order.")
flags.DEFINE_integer("rounds", 5, "How often each library has its turn.", lower_bound=1)
flags.DEFINE_float("seconds", 0.3, "How long a turn lasts, about.", lower_bound=0)
flags.DEFINE_bool("curves", True, "Also measure how the cost grows.")
flags.DEFINE_bool("toy", False, "Toy sizes: to see that all works, not to measure.")
flags.DEFINE_string("json", None, "Write all measurements to this file.")
flags.DEFINE_string("plot", None, "Draw them in this PNG file (needs matplotlib).")


def main(argv):
    if len(argv) > 1:
        raise app.UsageError(f"unexpected arguments: {argv[1:]}; use --only and --libs")
    libraries = known("--libs", FLAGS.libs, LIBRARIES)
    workloads = list(map(WORKLOADS.get, known("--only", FLAGS.only, WORKLOADS)))
    curves = list(map(CURVES.get, known("--only", FLAGS.only, CURVES))) if FLAGS.curves else []
    if FLAGS.only and not workloads and not curves:
        raise app.UsageError(f"--only takes some of {', '.join([*WORKLOADS, *CURVES])}")
    reports = {w.name: run(w, libraries) for w in workloads}
    points = {c.name: run_curve(c, libraries) for c in curves}
    print("\n" + "\n\n".join(report.sections(reports, points, libraries)))
    if FLAGS.json:
        with open(FLAGS.json, "w") as file:
            json.dump({"about": about(), "workloads": reports, "curves": points}, file, indent=1)
    if FLAGS.plot:
        chart.draw(FLAGS.plot, workloads, reports, curves, points, libraries)


def known(flag, names, table):
    """The names in the table that match; all for `--only` without patterns."""
    if flag == "--only":
        return [n for n in table if not names or any(fnmatch(n, p) for p in names)]
    unknown = [n for n in names if n not in table]
    if unknown:
        raise app.UsageError(f"{flag} takes some of {', '.join(table)}; not {', '.join(unknown)}")
    return names


def run(workload, libraries, sizes=None, label=""):
    print(f"{workload.name}{label} ...", flush=True)
    if not workload.compiled:
        libraries = [name for name in libraries if not LIBRARIES[name].compiled]
    if sizes is None:
        sizes = workload.toy if FLAGS.toy else workload.full
    return runner.run(workload, libraries, FLAGS.rounds, FLAGS.seconds, sizes)


def run_curve(curve, libraries):
    points = []
    for value in curve.toy if FLAGS.toy else curve.values:
        chosen = [name for name in libraries if curve.allows(name, value)]
        sizes = curve.sizes(value, FLAGS.toy)
        points.append((value, run(curve.workload, chosen, sizes, f" ({curve.axis} {value:,})")))
    return points


def about():
    """What was measured, with what, and where."""
    installed = {}
    for name in ("mlx", "jax", "torch", "autograd"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            installed[name] = metadata.version(name)
    return {"machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
            "python": platform.python_version(), "installed": installed, "libraries": FLAGS.libs,
            "rounds": FLAGS.rounds, "seconds": FLAGS.seconds, "toy": FLAGS.toy}


if __name__ == "__main__":
    app.run(main)
