"""What holds for bots of every level."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import Struct, structs

from events.secrecy import Secret
from rules.legal import choices
from rules.state import State, view
from service.catalog.bots import BOT_NAMES
from tests.support.bots import GREEDY, RANDOM, TABLES, play_bots, states_asking, states_of_game
from tests.support.repeated_moves import list_moves, moves_told_by, telling_process
from workers.bots import BOTS, load_bot
from workers.bots.protocol import Level


def test_every_bot_is_on_offer() -> None:
    """One file, and one line among the levels."""
    files = (Path(__file__).parents[2] / "workers/bots").glob("*.py")
    assert {path.stem for path in files if "\ndef decide(" in path.read_text()} == set(BOT_NAMES)


def test_a_level_that_nobody_wrote_cannot_be_loaded() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"workers\.bots\.genius"):
        load_bot("genius")


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
@pytest.mark.parametrize(
    "bot",
    [
        BOTS["random"],
        BOTS["novice"],
        BOTS["casual"],
        BOTS["greedy"],
        pytest.param(BOTS["steady"], marks=pytest.mark.long),
        pytest.param(BOTS["expert"], marks=pytest.mark.long),
    ],
    ids=BOTS,
)
def test_bots_play_every_edition_to_its_end(
    bot: Level, edition: str, options: dict[str, Any], players: int
) -> None:
    """With a few playouts: what is legal does not depend on how many there are."""
    brief = structs.replace(bot, budget=min(bot.budget, 3)) if bot.budget < GREEDY.budget else bot
    assert play_bots(edition, options, [brief] * players, seed=7).status == "over"


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_the_random_bot_picks_from_all_options_and_nothing_else(
    edition: str, options: dict[str, Any], players: int
) -> None:
    state = next(states_of_game(edition, options, [RANDOM] * players, seed=3))
    seat = state.ask.awaited[0] if state.ask else 0
    rng = Random(1)
    picked = {RANDOM.choose(view(state, seat), seat, rng) for _ in range(500)}
    assert picked == set(choices(state, seat))


def with_other_secrets(thing: Any) -> Any:
    """The same view over another hidden truth: every commitment is replaced."""
    if isinstance(thing, Secret):
        return thing if thing.salt is not None else Secret("f" * 64)
    if isinstance(thing, tuple):
        return tuple(with_other_secrets(item) for item in thing)
    if isinstance(thing, dict):
        return {name: with_other_secrets(item) for name, item in thing.items()}
    if isinstance(thing, Struct):
        return structs.replace(
            thing, **{name: with_other_secrets(getattr(thing, name)) for name in thing.__struct_fields__}
        )
    return thing


def secretive_moments() -> list[tuple[State, int]]:
    """Asks under which others hold something hidden: hands, sealed selections, the fist, the piles."""
    cards = [state for state in states_of_game("cards", {}, [RANDOM] * 3, seed=5) if state.ask]
    found = [(state, state.ask.awaited[0]) for state in cards[:40] if state.ask]
    found += states_asking("A1.guess", {"tile_codes": ("A1",)}, 3, games=3)
    return found + states_asking("G1.take", {"tile_codes": ("G1",)}, 3, games=3)


@pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
def test_what_is_hidden_from_a_bot_cannot_move_it(bot: Level) -> None:
    for state, seat in secretive_moments():
        seen = view(state, seat)
        other = with_other_secrets(seen)
        assert other != seen
        assert bot.choose(seen, seat, Random(9)) == bot.choose(other, seat, Random(9))


@pytest.mark.long
def test_another_process_with_another_hash_seed_makes_the_same_moves() -> None:
    with telling_process(hash_seed=1) as one, telling_process(hash_seed=2) as other:
        here = list_moves()
        assert moves_told_by(one) == moves_told_by(other) == here


def test_equal_luck_gives_equal_choices() -> None:
    for state in states_of_game("classic", {}, [RANDOM] * 3, seed=2):
        if state.ask is not None:
            seat = state.ask.awaited[0]
            assert GREEDY.choose(state, seat, Random(4)) == GREEDY.choose(state, seat, Random(4))
