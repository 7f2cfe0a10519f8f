"""Runs every part of the bench that has a `measure` and prints the ratios: `python -m bench [part ...]`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules

import bench
from bench.ratio import Ratio


def measure_parts(wanted: Iterable[str]) -> Iterator[Ratio]:
    """A part is a module of this package with `measure() -> Ratio`; it is found by being there."""
    names = {module.name for module in iter_modules(bench.__path__)} - {"__main__"}
    for name in sorted(names & set(wanted) if wanted else names):
        measure = getattr(import_module(f"bench.{name}"), "measure", None)
        if measure is not None:
            measured = measure()
            yield from (measured,) if isinstance(measured, Ratio) else measured


def format_line(ratio: Ratio) -> str:
    demand = f"at {'most' if ratio.at_most else 'least'} {ratio.demanded:g}"
    verdict = "met" if ratio.met else "NOT MET"
    raw = f"{ratio.ours:,.1f} : {ratio.peer:,.1f} {ratio.unit}"
    return f"{ratio.name:<34} {ratio.value:7.2f} ×  {demand:<14} {verdict:<8} {raw}"


def main(wanted: list[str]) -> None:
    for ratio in measure_parts(wanted):
        print(format_line(ratio), flush=True)
        if ratio.remark:
            print(f"{'':<34} {ratio.remark}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
