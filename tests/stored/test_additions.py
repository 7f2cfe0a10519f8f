"""A new edition, tile or option needs no new release: what is stored replays, verifies and plays on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from events.commands import Create
from events.commit import convert_raw
from events.types import GameCreated, OptionValue
from events.values import SeatPlan
from rules.decide import decide
from rules.editions import EDITIONS
from rules.editions.royale import royale
from rules.mechanics import stocking
from rules.releases import Editions
from rules.ruleset import OptionSpec, Ruleset
from rules.state import EMPTY
from rules.table import Table
from rules.tiles import TILES
from service.fairness.verify import verify
from tests.stored.prints import FOLDER, find_differences, read_prints
from tests.stored.stored_games import FINISHED, UNFINISHED, name_of, read_finished, read_unfinished
from tests.support.forgeries import reseal
from tests.support.game_loop import SeededChance
from tests.support.release_games import SEED, Raws, export, play_game, play_on, state_of
from tests.support.toy_tile import CODE, ROUGE_ET_NOIR

# Every stored release is replayed once more with an invented edition and tile added.
pytestmark = pytest.mark.long

RICH = OptionSpec("rich", "flag", "Casinos are filled to $90,000.", False, added=True)


def stock(table: Table) -> None:
    """The mechanism that reads the new option, whatever game it is asked to serve."""
    stocking.until(90_000 if RICH.value_in(table.state.options) else 50_000)(table)


def with_option(ruleset: Ruleset) -> Ruleset:
    return replace(ruleset, options=(*ruleset.options, RICH), set_up=(stock, *ruleset.set_up[1:]))


def releases_of(edition: str) -> tuple[Ruleset, ...]:
    return tuple(ruleset for ruleset in EDITIONS.releases if ruleset.id == edition)


GROWN = Editions(
    tuple(map(with_option, releases_of("classic"))),
    releases_of("modern"),
    royale((*TILES, ROUGE_ET_NOIR)),
    releases_of("cards"),
    (replace(EDITIONS.newest["modern"], id="boat", title="On a boat"),),
)
# What is made today: begun now, and verified or played on when more is known.
TODAY: tuple[tuple[str, int, dict[str, OptionValue]], ...] = (
    ("classic", 3, {"neutral_dice": True, "chip_cards": True}),
    ("modern", 5, {"bandit": True}),
    ("royale", 3, {"tiles": 6}),
    ("royale", 2, {"fresh_tiles": True}),
    ("royale", 2, {"tile_codes": ("C2", "B1")}),
    ("royale", 2, {"tiles": 0}),
    ("cards", 3, {}),
)
today = pytest.mark.parametrize(("edition", "players", "options"), TODAY)


@pytest.mark.parametrize("path", FINISHED, ids=name_of)
def test_a_stored_game_is_verified_when_more_is_known(path: Path) -> None:
    assert verify(read_finished(path), GROWN).ok is True


@pytest.mark.parametrize("path", UNFINISHED, ids=name_of)
def test_a_stored_game_plays_on_when_more_is_known(path: Path) -> None:
    stored = read_unfinished(path)
    commits = [convert_raw(raw) for raw in stored.commits]
    raws = export(play_on(commits, bytes.fromhex(stored.vault["seed"]), GROWN))
    assert verify(raws, GROWN).ok is True
    assert verify(raws).ok is True


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.xz")), ids=lambda path: path.name)
def test_a_release_does_what_it_did_when_more_is_known(path: Path) -> None:
    assert [text for stored in read_prints(path) for text in find_differences(stored, GROWN)] == []


@today
def test_a_game_of_today_is_verified_when_more_is_known(
    edition: str, players: int, options: dict[str, OptionValue]
) -> None:
    raws = export(play_game(EDITIONS, edition, players, options))
    assert verify(raws).ok is True
    assert verify(raws, GROWN).ok is True


@today
def test_a_game_of_today_plays_on_when_more_is_known(
    edition: str, players: int, options: dict[str, OptionValue]
) -> None:
    """It goes on as if nothing had been added: the new tile is not in its box."""
    half = play_game(EDITIONS, edition, players, options, answers=30)
    assert play_on(half, SEED, GROWN) == play_on(half, SEED, EDITIONS)


def test_a_game_of_today_that_waits_for_players_starts_with_what_is_known_then() -> None:
    """The tiles come out of the box when everybody sits; the options were fixed before."""
    waiting = play_game(EDITIONS, "royale", 2, {"tiles": 6}, last_sits_down=True)[:1]
    game = play_on(waiting, SEED, GROWN)
    assert CODE in state_of(game).tile_box
    assert verify(export(game), GROWN).ok is True
    assert verify(export(game)).ok is None


def test_what_was_added_is_played_and_verified() -> None:
    games: tuple[tuple[str, int, dict[str, OptionValue]], ...] = (
        ("classic", 3, {"rich": True}),
        ("royale", 2, {"tile_codes": (CODE,)}),
        ("boat", 4, {}),
    )
    for edition, players, options in games:
        raws = export(play_game(GROWN, edition, players, options))
        assert verify(raws, GROWN).ok is True
        assert verify(raws).ok is None


def test_a_new_option_works_and_a_game_without_it_has_its_default() -> None:
    rich, plain = (play_game(GROWN, "classic", 2, options, answers=0) for options in ({"rich": True}, {}))
    of_today = play_game(EDITIONS, "classic", 2, {}, answers=0)
    sums = [sum(state_of(rich).notes_at(number)) for number in range(1, 7)]
    assert all(worth >= 90_000 for worth in sums)
    assert state_of(plain).notes == state_of(of_today).notes
    assert "rich" not in state_of(of_today).options


def test_every_edition_begins_under_its_newest_release() -> None:
    for ruleset in (*EDITIONS.newest.values(), GROWN.newest["boat"]):
        create = Create("g_1", ruleset.id, (SeatPlan("Anna"), SeatPlan("Ben")), "c0" * 32)
        created = decide(EMPTY, create, SeededChance(1), GROWN)[0]
        assert isinstance(created, GameCreated)
        assert created.rules == str(ruleset.release)


def forget_an_option(raws: Raws) -> None:
    del raws[0]["events"][0]["options"]["hide_money"]


def leave_a_tile_in_the_box(raws: Raws) -> None:
    started = next(event for event in raws[0]["events"] if event["type"] == "game_started")
    started["tiles"].remove("C2")


@pytest.mark.parametrize("forge", [forget_an_option, leave_a_tile_in_the_box])
def test_what_the_release_began_with_may_not_be_missing(forge: Callable[[Raws], None]) -> None:
    """Else a server could leave out what it does not like, and say that it came later."""
    raws = export(play_game(EDITIONS, "royale", 2, {"tile_codes": ("A1",)}))
    forge(raws)
    assert verify(reseal(raws)).ok is False
