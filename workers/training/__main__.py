"""Makes the weights from nothing: `python -m workers.training [NAME …]`, two nets at a time."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

CORES = 2


def main(names: list[str]) -> None:
    """Progress is told on stderr; the weights of each net are written as soon as it is done."""
    # One thread each, or they wait for each other; it has to be said before numpy comes.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from workers.training.course import VARIANTS, train

    known = {variant.name: variant for variant in VARIANTS}
    check_names(names, list(known))
    with ProcessPoolExecutor(CORES, mp_context=get_context("spawn")) as pool:
        for told in pool.map(train, [known[name] for name in names or known]):
            print(told, file=sys.stderr, flush=True)


def check_names(names: list[str], known: list[str]) -> None:
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no net is called {', '.join(unknown)}; there are {', '.join(known)}")


if __name__ == "__main__":
    main(sys.argv[1:])
