"""Writes every playthrough again: python -m tests.playthroughs.write [name …]."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.playthroughs.plays import PLAYS
from tests.playthroughs.story import found

FOLDER = Path(__file__).parent


def main(names: list[str]) -> None:
    for play in PLAYS:
        if not names or play.name in names:
            text = found(play).text
            (FOLDER / f"{play.name}.txt").write_text(text)
            print(f"{play.name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main(sys.argv[1:])
