"""A process that measures one library on one workload, for the runner at the other end of a pipe.

It answers in lines of JSON: first that it is ready (or why not), then the times of each visit.
"""

import json
import os
import pickle
import sys

from . import measure
from .libraries import LIBRARIES
from .workload import Skip
from .workloads import WORKLOADS


def main(library, workload, sizes, results):
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not get between the answers

    def answer(**message):
        print(json.dumps(message), file=answers, flush=True)

    try:
        prepared = measure.Prepared(WORKLOADS[workload], LIBRARIES[library], json.loads(sizes))
    except ImportError as error:
        return answer(skipped=f"not installed ({error})")
    except Skip as reason:
        return answer(skipped=str(reason))
    except Exception as error:
        return answer(failed=f"{type(error).__name__}: {str(error).splitlines()[:1]}")
    with open(results, "wb") as file:
        pickle.dump(prepared.results, file)
    answer(setup=prepared.setup, peak=prepared.peak, grown=prepared.grown)
    for line in sys.stdin:
        answer(**prepared.visit(float(line)))


if __name__ == "__main__":
    main(*sys.argv[1:])
