"""Trains nets from nothing and writes their weights: `python -m workers.training [NAME …]`, two at a time."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

CORES = 2


def main(names: list[str]) -> None:
    """Train the nets of these names, or all. Progress goes to stderr; weights are written after each net."""
    # One thread for each process, or they wait for each other. numpy reads this when it is imported.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from workers.training import card_course, course

    known = {variant.name: partial(course.train, variant) for variant in course.VARIANTS}
    known |= {variant.name: partial(card_course.train, variant) for variant in card_course.VARIANTS}
    check_names(names, list(known))
    with ProcessPoolExecutor(CORES, mp_context=get_context("spawn")) as pool:
        for run in [pool.submit(known[name]) for name in names or known]:
            print(run.result(), file=sys.stderr, flush=True)


def check_names(names: list[str], known: list[str]) -> None:
    """Exit with an error if a name is unknown."""
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no net is called {', '.join(unknown)}; there are {', '.join(known)}")


if __name__ == "__main__":
    main(sys.argv[1:])
