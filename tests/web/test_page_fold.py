"""The page lays out a table from commits alone, and it is the one that the service would serve."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser

from events.commit import convert_raw
from events.store import MemoryStore
from rules.editions import EDITIONS
from rules.state import State
from service.catalog.routes import describe_edition
from service.games.games import Games
from service.games.snapshots import Snapshot
from service.games.table_view import render_snapshot
from service.languages.catalogue import ENGLISH
from tests.stored.stored_games import FINISHED, name_of, read_finished
from tests.support.browser import Json, PageModules, Raws, open_modules
from tests.support.games import TABLES, export_game, make_games, play_game, ticking_clock

# Every kind of game is folded in a real browser.
pytestmark = pytest.mark.long

EVERYTHING = "everything"
# What takes rules: the page asks the service for it, and goes without where there is none.
BY_RULES = {"standing", "shows", "out", "most_turns", "place"}


@pytest.fixture(scope="module")
def modules(browser: Browser) -> Iterator[PageModules]:
    with open_modules(browser) as modules:
        yield modules


def without_rules(thing: Any) -> Any:
    if isinstance(thing, dict):
        # The page reads whose dice these are from `owner`.
        left_out = {*BY_RULES, "seat"} if "owner" in thing else BY_RULES
        return {name: without_rules(item) for name, item in thing.items() if name not in left_out}
    return [without_rules(item) for item in thing] if isinstance(thing, list) else thing


def served(snapshot: Snapshot, viewer: object) -> Json:
    """The table as the service would show it, with what the page does not draw from a file taken out."""
    seat = viewer if isinstance(viewer, int) else None
    shown = render_snapshot(snapshot, seat, everything=viewer == EVERYTHING)
    table = msgspec.json.decode(ENGLISH.encoder.encode(shown))
    for ask in table["asks"]:
        ask |= {"options": [], "deadline": None}
        ask.pop("answer", None)
    for seat_shown in table["seats"]:
        if seat_shown.get("chip_cards") and snapshot.state.status != "over":
            seat_shown["total"] = None
    for name in ("host", "clock", "release"):
        table.pop(name, None)
    drawn: Json = without_rules(table)
    return drawn


def compare(modules: PageModules, games: Games, game: str, raws: Raws, step: int) -> None:
    """At every so manieth version, for everybody in turn, and at the end."""
    state = games.snapshot(game).state
    viewers = (EVERYTHING, None, *range(len(state.seats)))
    versions = [*range(1, len(raws), step), len(raws)]
    wanted = [(version, viewers[number % len(viewers)]) for number, version in enumerate(versions)]
    folded = modules.fold(raws, edition_of(state), wanted)
    for (version, viewer), table in zip(wanted, folded, strict=True):
        assert without_rules(table) == served(games.snapshot(game, version), viewer), (version, viewer)


def edition_of(state: State) -> Json:
    edition: Json = msgspec.json.decode(ENGLISH.encoder.encode(describe_edition(EDITIONS.of(state))))
    return edition


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_a_fresh_game_is_laid_out_as_the_service_does(
    edition: str, options: dict[str, Any], players: int, modules: PageModules
) -> None:
    games = make_games()
    game = play_game(games, edition, options, players)
    compare(modules, games, game, export_game(games, game), step=3)


@pytest.mark.parametrize("path", FINISHED[::5], ids=name_of)
def test_a_stored_game_is_laid_out_as_the_service_does(path: Path, modules: PageModules) -> None:
    raws = read_finished(path)
    games, game = bring_back(raws)
    compare(modules, games, game, raws, step=7)


def bring_back(raws: Sequence[Json]) -> tuple[Games, str]:
    store, game = MemoryStore(), raws[0]["command"]["game"]
    for raw in raws:
        store.append(game, convert_raw(raw), None)
    return Games(store, ticking_clock()), game
