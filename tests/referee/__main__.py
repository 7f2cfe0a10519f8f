"""Judges exported games: python -m tests.referee FILE…"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.referee.books import Foul, Unwatched
from tests.referee.game import judge


def commits_in(text: str) -> list[dict[str, Any]]:
    """NDJSON, a JSON list, or a page as /events gives it."""
    try:
        things = [json.loads(text)]
    except json.JSONDecodeError:
        things = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [commit for thing in things for commit in _page(thing)]


def _page(thing: Any) -> list[dict[str, Any]]:
    if isinstance(thing, list):
        return thing
    return list(thing["commits"]) if "commits" in thing else [thing]


def report_foul(path: str) -> bool:
    """Prints what was found."""
    try:
        referee = judge(commits_in(Path(path).read_text()))
    except Foul as foul:
        print(f"{path}: FOUL at {foul}")
        return True
    except Unwatched as why:
        print(f"{path}: not judged, {why}")
        return True
    state = "to its end" if referee.over else f"up to round {referee.round}"
    print(f"{path}: {referee.payments} payments checked, fair {state}")
    return False


def main(paths: list[str]) -> int:
    return int(sum(map(report_foul, paths)) > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
