"""Runs every part of the bench that has a `measure` and prints the ratios: `python -m bench [part ...]`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import bench
from bench.before import compare_part, measure_choices
from bench.ratio import Ratio, Skipped
from rules.wording import did_you_mean


def part_names(wanted: Sequence[str]) -> list[str]:
    """A part is a module of this package with `measure() -> Ratio`; it is found by being there."""
    names = {module.name for module in iter_modules(bench.__path__)} - {"__main__"}
    chosen = sorted(names & set(wanted) if wanted else names)
    return [name for name in chosen if hasattr(import_module(f"bench.{name}"), "measure")]


def explain_unknown(wanted: Sequence[str], parts: Sequence[str]) -> str:
    """What there is instead of a word that is no part; empty where all are."""
    unknown = [word for word in wanted if word not in parts]
    return f"there is no {unknown[0]}: {did_you_mean(unknown[0], part_names(()))}" if unknown else ""


def measure_part(name: str) -> Iterator[Ratio]:
    measured = import_module(f"bench.{name}").measure()
    yield from (measured,) if isinstance(measured, Ratio) else measured


def format_line(ratio: Ratio) -> str:
    demand = f"at {'most' if ratio.at_most else 'least'} {ratio.demanded:g}"
    verdict = "met" if ratio.met else "NOT MET"
    raw = f"{ratio.ours:,.2f} : {ratio.peer:,.2f} {ratio.unit}"
    return f"{ratio.name:<34} {ratio.value:7.2f} ×  {demand:<14} {verdict:<8} {raw}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Prints ratios, ours to a peer's.")
    parser.add_argument("part", nargs="*", help="one of the parts; all of them by default")
    parser.add_argument("--against", type=Path, metavar="DIR", help="a checkout of other code with a .venv")
    given = parser.parse_args(arguments)
    parts = part_names(given.part)
    if fault := explain_unknown(given.part, parts):
        parser.error(fault)
    if given.against:
        compare(given.against.resolve(), parts)
        return
    for part in parts:
        print_part(part)


def compare(directory: Path, parts: Sequence[str]) -> None:
    for ratio in measure_choices(directory):
        print_ratio(ratio)
    for part in parts:
        for line in compare_part(directory, part):
            print(line, flush=True)


def print_part(part: str) -> None:
    try:
        for ratio in measure_part(part):
            print_ratio(ratio)
    except Skipped as reason:
        print(f"{part}: skipped, {reason}", flush=True)


def print_ratio(ratio: Ratio) -> None:
    print(format_line(ratio), flush=True)
    if ratio.remark:
        print(f"{'':<34} {ratio.remark}", flush=True)


if __name__ == "__main__":
    main()
