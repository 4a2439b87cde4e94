"""Runs workloads: a process a library, all alive for a workload, timed in turn round by round."""

import contextlib
import json
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

from . import measure

ROOT = Path(__file__).resolve().parents[2]
REFERENCES = ("jax", "torch", "autograd", "mlx", "mlx-stock")  # whose numbers others must match


class Worker:
    """The process of one library, from here."""

    def __init__(self, library, workload, sizes, folder):
        self.library = library
        self.file = Path(folder) / f"{library}.pickle"
        arguments = [library, workload.name, json.dumps(sizes), str(self.file)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.worker", *arguments], cwd=ROOT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            return {"failed": f"the process ended (status {self.process.wait()})"}
        return json.loads(line)

    def visit(self, seconds):
        with contextlib.suppress(BrokenPipeError):  # the answer will say so
            print(seconds, file=self.process.stdin, flush=True)
        return self.answer()

    def results(self):
        return pickle.loads(self.file.read_bytes())

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def run(workload, libraries, rounds, seconds, sizes=None):
    """Measure a workload.

    Args:
      workload: a `Workload`.
      libraries: names; they take turns in this order.
      rounds: how often each has its turn.
      seconds: how long a turn lasts, about.
      sizes: instead of the workload's own.

    Returns:
      A dict from each library's name to a dict with ``skipped`` or ``failed`` and the reason, or
      with ``setup``, ``peak``, ``grown``, ``rounds`` (a list of what the visits gave),
      ``difference`` (from the first of `REFERENCES` that ran) and ``wrong`` (too far from it).
    """
    sizes = workload.full if sizes is None else sizes
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        workers, report = [], {}
        for library in libraries:
            worker = Worker(library, workload, sizes, folder)
            stack.callback(worker.close)
            workers.append(worker)
        for worker in workers:
            report[worker.library] = worker.answer()
        running = [w for w in workers if "setup" in report[w.library]]
        if not workload.staged:
            compare(running, report, workload.tolerance)
        for worker in running:
            report[worker.library]["rounds"] = []
        for _ in range(rounds):
            for worker in list(running):
                visit = worker.visit(seconds)
                if "failed" in visit:
                    report[worker.library] = visit
                    running.remove(worker)
                else:
                    report[worker.library]["rounds"].append(visit)
    return report


def compare(running, report, tolerance):
    """Note in the report how far each library's numbers are from the reference's."""
    results = {w.library: w.results() for w in running}
    reference = next((name for name in (*REFERENCES, *results) if name in results), None)
    for name, found in results.items():
        report[name]["reference"] = reference
        report[name]["difference"] = gap = measure.difference(found, results[reference])
        report[name]["wrong"] = not gap <= tolerance
