"""Games stored by earlier code replay, verify and, where they are not over, play on under their release."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random

import pytest

from events.commit import convert_raw
from events.store import MemoryStore
from rules.legal import choices
from service.fairness.verify import verify
from service.games.games import Games
from service.games.table_view import render_snapshot
from service.games.writer import Caller
from tests.stored.stored_games import (
    FINISHED,
    UNFINISHED,
    name_of,
    read_finished,
    read_unfinished,
    release_of,
)
from tests.support.games import after, export_game, seat_of_token
from tests.support.release_games import state_of
from tests.support.second_opinion import is_fair
from workers.turns import TurnPlayer

finished = pytest.mark.parametrize("path", FINISHED, ids=name_of)
unfinished = pytest.mark.parametrize("path", UNFINISHED, ids=name_of)


@finished
def test_a_finished_game_is_replayed_and_verified_under_its_release(path: Path) -> None:
    raws = read_finished(path)
    state = state_of([convert_raw(raw) for raw in raws])
    assert (state.status, state.release) == ("over", release_of(path))
    verdict = verify(raws)
    assert (verdict.ok, verdict.fault, verdict.unchecked) == (True, None, None)
    assert is_fair(raws)


class Revival:
    """An unfinished game in a store, with the clock going on from its last commit."""

    def __init__(self, path: Path) -> None:
        self.stored = read_unfinished(path)
        store = MemoryStore()
        self.stored.load_into(store)
        start, seconds = datetime.fromisoformat(self.stored.commits[-1]["at"]), count(1)
        self.clock = lambda: start.astimezone(UTC) + timedelta(milliseconds=next(seconds))
        self.games, self.game = Games(store, self.clock), self.stored.game

    def play_to_the_end(self) -> None:
        """Bots answer as the workers would; people sit down where a seat is free, and choose at random."""
        games, game, random = self.games, self.game, Random(1)
        while any(seat.name is None for seat in games.snapshot(game).state.seats):
            games.sit(game, "Late", "late luck")
        bots = TurnPlayer(games, self.clock)
        while games.snapshot(game).state.status != "over":
            while bots.play_turns(game, after(25)):
                pass
            state = games.snapshot(game).state
            if state.ask is not None:
                seat = random.choice(state.ask.awaited)
                games.choose(game, Caller(seat), state.ask.id, random.choice(choices(state, seat)))


@unfinished
def test_an_unfinished_game_is_read_as_it_was_left(path: Path) -> None:
    revival = Revival(path)
    snapshot = revival.games.snapshot(revival.game)
    assert snapshot.version == len(revival.stored.commits)
    assert snapshot.head == revival.stored.commits[-1]["hash"]
    for viewer in (None, *range(len(snapshot.state.seats))):
        table = render_snapshot(snapshot, viewer)
        assert table.version == snapshot.version
    for seat, token in revival.stored.tokens.items():
        assert seat_of_token(revival.games, revival.game, token) == seat


@unfinished
def test_an_unfinished_game_is_played_to_its_end_under_its_release(path: Path) -> None:
    revival = Revival(path)
    revival.play_to_the_end()
    raws = export_game(revival.games, revival.game)
    assert len(raws) > len(revival.stored.commits)
    assert {raw["rules"] for raw in raws} == {release_of(path)}
    verdict = verify(raws)
    assert (verdict.ok, verdict.fault) == (True, None)
    assert is_fair(raws)


def test_games_of_every_edition_are_stored_finished_and_not() -> None:
    for paths in (FINISHED, UNFINISHED):
        first = {name_of(path).split("-")[1] for path in paths if release_of(path) == "1"}
        assert first == {"classic", "modern", "royale", "cards"}
