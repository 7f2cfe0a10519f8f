"""The referee at Royale tables with tiles: it agrees with what is played there, and with nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from rules.editions.royale import royale
from rules.releases import Editions
from rules.ruleset import Options
from rules.tiles import TILES as ALL_TILES
from tests.referee.books import Foul
from tests.referee.game import judge
from tests.referee.tiles.box import TILES
from tests.support.json_logs import Event, Log, asks, first, random_log

# The referee is a second opinion on tiles; `make test` holds tiles to the rulebook and the laws.
pytestmark = pytest.mark.long

PLAYERS = range(2, 6)
# Pairs of which one reaches into what the other does.
PAIRS = (
    ("E1", "B1"),
    ("E1", "D2"),
    ("E1", "F1"),
    ("E1", "F2"),
    ("E1", "H1"),
    ("E1", "H2"),
    ("B1", "C2"),
    ("B1", "G1"),
    ("D2", "F1"),
    ("D2", "F2"),
    ("D2", "H1"),
    ("E2", "H2"),
    ("H2", "A1"),
    ("H2", "B2"),
    ("H2", "C1"),
    ("H2", "G2"),
)
SIX = (
    ("A1", "B1", "C1", "D1", "E1", "F1"),
    ("C2", "D2", "E2", "F2", "G2", "H2"),
    ("A2", "B2", "E1", "D2", "G1", "H1"),
    ("H2", "G2", "F2", "E1", "D2", "B1"),
)
DRAWN: tuple[Options, ...] = (
    {},
    {"tiles": 6},
    {"tiles": 6, "fresh_tiles": True},
    {"tiles": 1, "fresh_tiles": True},
)


# The referee knows the book; a tile that somebody adds is not in it.
BY_THE_BOOK = Editions(royale(tuple(tile for tile in ALL_TILES if tile.code in TILES)))


def fair_games(options: Options, seeds: Iterable[int]) -> bool:
    """One game for each number of players and each seed."""
    games = (
        random_log("royale", options, players, seed, editions=BY_THE_BOOK)
        for seed in seeds
        for players in PLAYERS
    )
    return all(judge(game).over for game in games)


@pytest.mark.parametrize("code", TILES)
def test_the_referee_agrees_with_every_tile(code: str) -> None:
    assert fair_games({"tile_codes": (code,)}, range(2))


@pytest.mark.parametrize("codes", PAIRS, ids="-".join)
def test_the_referee_agrees_where_tiles_meet(codes: tuple[str, ...]) -> None:
    assert fair_games({"tile_codes": codes}, [5])


@pytest.mark.parametrize("codes", SIX, ids="-".join)
def test_the_referee_agrees_with_six_tiles(codes: tuple[str, ...]) -> None:
    assert fair_games({"tile_codes": codes}, range(3))


@pytest.mark.parametrize("options", DRAWN, ids=str)
def test_the_referee_agrees_with_tiles_that_are_drawn(options: Options) -> None:
    assert fair_games(options, [1])


@pytest.mark.parametrize("code", ["A1", "G1"])
def test_the_referee_needs_no_secrets(code: str) -> None:
    """What spectators read has commitments where answers are covered, and what opened them later."""
    assert judge(random_log("royale", {"tile_codes": (code,)}, 3, seed=2, covered=True)).over


def left_out(game: Log) -> Iterator[Event]:
    """One event after the other is missing; those left aside change nothing that can be seen."""
    for commit in game:
        whole = commit["events"]
        for place, event in enumerate(whole):
            if event["type"] not in ("game_created", "dice_rolled", "agenda_changed", "game_ended"):
                commit["events"] = [*whole[:place], *whole[place + 1 :]]
                yield event
        commit["events"] = whole


def whistled(game: Log) -> bool:
    try:
        judge(game)
    except Foul:
        return True
    return False


def test_the_referee_misses_whatever_is_left_out() -> None:
    """Notes, chips, dice, tokens, counters, what was covered and what was closed."""
    game = random_log("royale", {"tile_codes": SIX[2]}, 2, seed=4)
    assert [event for event in left_out(game) if not whistled(game)] == []


def test_the_referee_sees_every_option_that_is_kept_back() -> None:
    game = random_log("royale", {"tile_codes": SIX[3]}, 3, seed=4)
    for ask in asks(game):
        kept = ask["options"].pop()
        with pytest.raises(Foul, match=f"{ask['prompt']}: expected .*{kept}.* offered"):
            judge(game)
        ask["options"].append(kept)


# What would let dice or a tile of a closed casino move, by prompt.
INTO_THE_CLOSED = {
    "turn.place": "place-{}",
    "B1.place": "place-{}",
    "D2.turn": "set-small-{}",
    "F1.block": "block-1-{}",
    "F2.remove": "remove-{}-chip",
    "F2.die": "take-small-{}",
    "H2.die": "set-small-{}",
    "H2.tile": "activate-{}",
}


def while_closed(game: Log) -> Iterator[tuple[Event, int]]:
    """What is asked while a casino is closed, with its number."""
    closed = 0
    for event in (event for commit in game for event in commit["events"]):
        if event["type"] in ("casino_closed", "round_ended"):
            closed = event.get("number", 0)
        if event["type"] == "agenda_changed" and event["agenda"] and closed:
            yield event["agenda"][-1], closed


def offered_the_closed(prompt: str, seed: int) -> Log | None:
    beside = "A2" if prompt == "turn.place" else prompt[:2]
    game = random_log("royale", {"tile_codes": ("E1", beside)}, 3, seed)
    for ask, closed in while_closed(game):
        if ask["prompt"] == prompt:
            ask["options"].append(INTO_THE_CLOSED[prompt].format(closed))
            return game
    return None


@pytest.mark.parametrize("prompt", INTO_THE_CLOSED)
def test_the_referee_keeps_closed_casinos_closed(prompt: str) -> None:
    """Nothing enters, leaves or is set off there, whatever tile offers it."""
    false = first(filter(None, (offered_the_closed(prompt, seed) for seed in range(30))))
    with pytest.raises(Foul, match=f"{prompt}: expected .* offered"):
        judge(false)
