"""Writes every playthrough again: python -m tests.playthroughs.write [name …].

A story that is there keeps its dice and its answers as far as the rules allow, so that the diff shows what
they changed; one that no longer shows what it should is sought anew.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.playthroughs.plays import PLAYS, Play
from tests.playthroughs.story import Story, complete, found, retold

FOLDER = Path(__file__).parent


def told_anew(play: Play, path: Path) -> Story:
    story = retold(play, path.read_text()) if path.exists() else None
    return story if story is not None and complete(play, story) else found(play)


def main(names: list[str]) -> None:
    for play in PLAYS:
        if not names or play.name in names:
            text = told_anew(play, FOLDER / f"{play.name}.txt").text
            (FOLDER / f"{play.name}.txt").write_text(text)
            print(f"{play.name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main(sys.argv[1:])
