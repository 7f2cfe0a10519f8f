"""Writes every playthrough again: python -m tests.playthroughs.write [name …].

A story that is there keeps its dice and its answers as far as the rules allow, so that the diff shows what
they changed; one that no longer shows what it should is sought anew.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.playthroughs.plays import PLAYS, Play
from tests.playthroughs.story import Story, adapt_story, seek_story, shows_all

FOLDER = Path(__file__).parent


def renew_story(play: Play, path: Path) -> Story:
    story = adapt_story(play, path.read_text()) if path.exists() else None
    return story if story is not None and shows_all(play, story) else seek_story(play)


def main(names: list[str]) -> None:
    for play in PLAYS:
        if not names or play.name in names:
            text = renew_story(play, FOLDER / f"{play.name}.txt").text
            (FOLDER / f"{play.name}.txt").write_text(text)
            print(f"{play.name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main(sys.argv[1:])
