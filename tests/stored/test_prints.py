"""What a release does stays what it did."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from rules.editions import EDITIONS
from rules.editions.royale import royale
from rules.ruleset import Ruleset
from rules.tiles import TILES
from tests.stored.prints import (
    FOLDER,
    Move,
    Print,
    add_missing,
    find_differences,
    find_missing,
    path_of,
    read_prints,
)
from tests.support.toy_tile import CODE, ROUGE_ET_NOIR

RELEASES = [path.name.removesuffix(".ndjson.xz") for path in sorted(FOLDER.glob("*.xz"))]


@cache
def some_game() -> Print:
    return read_prints(FOLDER / "modern-1.ndjson.xz")[0]


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_does_what_it_did(release: str) -> None:
    """Else the rules changed under games that are stored: make it a release of its own (ADR 0008)."""
    stored = read_prints(FOLDER / f"{release}.ndjson.xz")
    assert [text for game in stored for text in find_differences(game)] == []


@pytest.mark.parametrize("ruleset", EDITIONS.releases, ids=lambda ruleset: f"{ruleset.id}-{ruleset.release}")
def test_every_option_and_tile_of_a_release_has_its_prints(ruleset: Ruleset) -> None:
    """Else run `python -m tests.stored.prints --add`."""
    assert [name for name, _, _ in find_missing(ruleset)] == []


def test_a_difference_is_told_with_game_commit_event_and_both_values() -> None:
    game = some_game()
    first = game.moves[0]
    forged = ({**first.events[0], "commitment": "00"}, *first.events[1:])
    (told,) = find_differences(Print(game.name, (Move(first.command, forged), *game.moves[1:])))
    where, then, now = told.splitlines()
    assert where.startswith(f"{game.name}, commit 1 (")
    assert where.endswith("event 1")
    assert '"commitment":"00"' in then
    assert '"commitment":"00"' not in now


def test_an_event_more_or_less_is_told() -> None:
    game = some_game()
    last = game.moves[-1]
    shorter = Move(last.command, last.events[:-1])
    (told,) = find_differences(Print(game.name, (*game.moves[:-1], shorter)))
    assert "then: null" in told


def test_an_answer_that_is_refused_now_is_told() -> None:
    game = some_game()
    moves = (game.moves[0], *game.moves[2:])
    (told,) = find_differences(replace(game, moves=moves))
    assert "is refused" in told


def test_a_new_tile_gets_prints_and_those_that_are_there_stay(tmp_path: Path) -> None:
    """Without a hand edit: whatever has none is played, and appended behind the others."""
    sixteen, seventeen = (royale(tiles)[-1] for tiles in (TILES, (*TILES, ROUGE_ET_NOIR)))
    few = replace(sixteen, seats=(2, 2), options=sixteen.options[:2])
    assert add_missing(few, tmp_path)
    before = path_of(few, tmp_path).read_bytes()
    assert add_missing(few, tmp_path) == []
    more = replace(seventeen, seats=(2, 2), options=seventeen.options[:3])
    assert f"royale-2-{CODE}" in add_missing(more, tmp_path)
    assert path_of(few, tmp_path).read_bytes().startswith(before)
    assert find_missing(more, tmp_path) == []
