"""The table as JSON: the members of the contract in every edition, and nothing a viewer may not know."""

from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events.secrecy import Secret
from events.values import BANDIT_STACK, CASINO, GREY, LENT, OWNER, Dice, SeatPlan
from rules.editions import EDITIONS
from rules.legal import choices, legal
from rules.state import State
from service.catalog.routes import describe_edition
from service.games.snapshots import Snapshot
from service.games.table_view import CasinoShown, TableShown, render_snapshot, render_table
from service.games.writer import Caller
from service.languages.catalogue import ENGLISH
from tests.support.games import (
    TABLES,
    answer_at_random,
    make_games,
    people,
    play_answers,
    play_game,
    start_game,
)

MEMBERS = {
    "id", "version", "edition", "options", "status", "round", "rounds", "starter", "seats", "casinos",
    "roll", "asks", "winners",
}  # fmt: skip
SEAT = {"seat", "name", "kind", "dice", "big", "neutral_dice", "chips", "notes", "money", "total"}
CASINO_MEMBERS = {"number", "name", "notes", "closed", "tile", "dice"}


def state_of(edition: str, options: dict[str, Any], players: int, turns: int = 6) -> State:
    games = make_games()
    game = start_game(games, edition, options, players)
    for _ in play_answers(games, game, turns):
        pass
    return games.snapshot(game).state


def render(state: State, viewer: int | None, version: int, everything: bool = False) -> Any:
    """As it is read from the wire."""
    return wire(render_table(state, viewer, version, everything))


def wire(value: Any) -> Any:
    return msgspec.json.decode(ENGLISH.encoder.encode(value))


def deadline_of(snapshot: Snapshot, viewer: int | None) -> str | None:
    (ask,) = render_snapshot(snapshot, viewer).asks
    return ask.deadline


def viewers(state: State) -> list[int | None]:
    return [None, *range(len(state.seats))]


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_every_table_has_the_members_of_the_contract(
    edition: str, options: dict[str, Any], players: int
) -> None:
    state = state_of(edition, options, players)
    for viewer in viewers(state):
        table = render(state, viewer, 7)
        assert table.keys() >= MEMBERS
        assert all(seat.keys() >= SEAT for seat in table["seats"])
        assert all(casino.keys() >= CASINO_MEMBERS for casino in table["casinos"])
        assert [casino["number"] for casino in table["casinos"]][:6] == [1, 2, 3, 4, 5, 6]
        assert (table["version"], table["edition"], table["status"]) == (7, edition, "playing")


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_a_table_is_what_its_types_say(edition: str, options: dict[str, Any], players: int) -> None:
    """What mechanisms and tiles add too: read back from the wire, it is the same value."""
    state = state_of(edition, options, players)
    for viewer in viewers(state):
        table = render_table(state, viewer, 7)
        read = msgspec.json.decode(ENGLISH.encoder.encode(table), type=TableShown)
        assert read == replace(table, casinos=read.casinos, options=read.options)
        assert [_plain(casino) for casino in read.casinos] == [_plain(casino) for casino in table.casinos]


def _plain(casino: CasinoShown) -> CasinoShown:
    """Without what the tile shows, which has types of its own."""
    return casino if casino.tile is None else replace(casino, tile=replace(casino.tile, shows={}))


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_the_options_are_for_the_seat_that_is_asked(
    edition: str, options: dict[str, Any], players: int
) -> None:
    state = state_of(edition, options, players)
    assert state.ask is not None
    for viewer in viewers(state):
        (ask,) = render(state, viewer, 7)["asks"]
        assert (ask["ask"], tuple(ask["seats"])) == (state.ask.id, state.ask.awaited)
        assert ask["yours"] is (viewer in state.ask.awaited)
        expected = [] if viewer is None else wire(legal(state, viewer))
        assert ask["options"] == expected


def test_a_seat_that_has_answered_is_no_longer_asked() -> None:
    """They answer in any order (C2)."""
    games = make_games()
    game = start_game(games, "cards", players=3)
    options = render(games.snapshot(game).state, 1, 1)["asks"][0]["options"]
    state = games.choose(game, Caller(1), 1, options[0]["choice"]).state
    (ask,) = render(state, 1, 2)["asks"]
    assert (tuple(ask["seats"]), ask["yours"], ask["options"]) == ((0, 2), False, [])


def test_a_seat_sees_its_own_selection_while_others_choose() -> None:
    """C2: covered for everybody else, also in the table of an earlier version."""
    games = make_games()
    game = start_game(games, "cards", players=3)
    pick = render(games.snapshot(game).state, 1, 1)["asks"][0]["options"][-1]
    del pick["path"]
    state = games.choose(game, Caller(1), 1, pick["choice"]).state
    answers = {viewer: render(state, viewer, 2)["asks"][0].get("answer") for viewer in viewers(state)}
    assert answers == {None: None, 0: None, 1: pick, 2: None}
    for viewer in (None, 0, 2):
        table = render(state, viewer, 2)
        # The same cards may be in the viewer's own hand.
        table["asks"][0]["options"] = []
        assert pick["label"] not in str(table)
    assert "answer" not in render(games.snapshot(game, 1).state, 1, 1)["asks"][0]


@pytest.mark.parametrize("options", [{}, {"sequential": True, "chip_cards": True}])
def test_the_card_table_counts_turns_and_cards(options: dict[str, Any]) -> None:
    """C4, C6: six turns at most, and who has placed eight cards is out."""
    games = make_games()
    game, random, seen = start_game(games, "cards", options, 3), Random(5), set[int]()
    while (state := games.snapshot(game).state).round == 1:
        table = render(state, None, 1)
        asked = table["asks"][0]["seats"][0]
        taken = len(table["seats"][asked]["glass"])
        laying = table["asks"][0]["prompt"].startswith("cards.")
        assert (table["turn_number"], table["most_turns"]) == (taken + laying, 6)
        for number, seat in enumerate(table["seats"]):
            lying = [lot for casino in table["casinos"] for lot in casino["dice"]]
            own = [lot["small"] + lot["big"] for lot in lying if lot["owner"] == OWNER[number]]
            assert seat["placed"] == sum(own)
            assert seat["out"] is (sum(own) >= 8 or len(seat["glass"]) == 6)
        seen.add(table["turn_number"])
        answer_at_random(games, game, random)
    assert seen >= {1, 2, 3, 4}


def test_tables_without_cards_have_no_members_of_the_card_game() -> None:
    table = render(state_of("classic", {}, 2), None, 1)
    assert not table.keys() & {"turn_number", "most_turns"}
    assert not any(seat.keys() & {"placed", "out", "hand", "glass"} for seat in table["seats"])


def test_an_ask_of_people_says_until_when_it_may_be_answered() -> None:
    """W1: everybody sees the clock; the other answers do not set it back."""
    games = make_games()
    game = start_game(games, "cards", {"turn_seconds": 90}, 2)
    for viewer in (0, 1, None):
        assert deadline_of(games.snapshot(game), viewer) == "2026-11-15T12:01:30.000Z"
    outcome = games.choose(game, Caller(0), 1, choices(games.snapshot(game).state, 0)[0])
    assert deadline_of(outcome.snapshot, 0) == "2026-11-15T12:01:30.000Z"


@pytest.mark.parametrize(
    ("seats", "seconds"), [([SeatPlan(bot="random"), SeatPlan(bot="random")], 90), (people(2), 0)]
)
def test_bots_and_people_without_a_clock_have_no_deadline(seats: list[SeatPlan], seconds: int) -> None:
    """W1."""
    games = make_games()
    game = games.create("classic", {"turn_seconds": seconds}, seats).game
    assert deadline_of(games.snapshot(game), None) is None


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_no_table_tells_a_viewer_what_is_sealed_for_others(
    edition: str, options: dict[str, Any], players: int
) -> None:
    """Hands, discards and sealed answers: two states that differ only there look alike."""
    games = make_games()
    game = start_game(games, edition, options, players)
    random = Random(3)
    while (state := games.snapshot(game).state).status != "over":
        for viewer in viewers(state):
            covered = _without_what_others_know(state, viewer)
            assert render(state, viewer, 1) == render(covered, viewer, 1)
        answer_at_random(games, game, random)


def _without_what_others_know(thing: Any, viewer: int | None) -> Any:
    """Written apart from `redact`, to check it: sealed values are replaced by nonsense."""
    if isinstance(thing, Secret):
        return thing if viewer in thing.audience else Secret(thing.hidden, "nonsense", "00", thing.audience)
    if isinstance(thing, dict):
        return {name: _without_what_others_know(item, viewer) for name, item in thing.items()}
    if isinstance(thing, tuple):
        return tuple(_without_what_others_know(item, viewer) for item in thing)
    if isinstance(thing, msgspec.Struct):
        fields = {name: getattr(thing, name) for name in thing.__struct_fields__}
        return replace(thing, **{n: _without_what_others_know(item, viewer) for n, item in fields.items()})
    return thing


def test_a_hand_is_seen_by_its_seat_alone() -> None:
    state = state_of("cards", {}, 3, turns=3)
    for viewer in viewers(state):
        for seat in render(state, viewer, 1)["seats"]:
            assert isinstance(seat["hand"], dict) is (seat["seat"] != viewer)
            assert all(isinstance(rest, dict) is (seat["seat"] != viewer) for rest in seat["glass"])


def test_an_earlier_table_of_a_finished_game_is_open() -> None:
    """When the game is over every reader gets all secrets (S1)."""
    games = make_games()
    game = play_game(games, "cards", {"hide_money": True}, 2)
    past = games.snapshot(game, 2).state
    closed, opened = render(past, None, 2), render(past, None, 2, everything=True)
    assert isinstance(closed["seats"][0]["hand"], dict)
    assert closed["seats"][0]["money"] is None
    assert not isinstance(opened["seats"][0]["hand"], dict)
    assert opened["seats"][0]["money"] is not None


def test_hidden_money_is_covered_for_others_until_the_end() -> None:
    """`notes`, `money` and `total` of the others (M8, S2); chips and the number of notes stay in sight."""
    games = make_games()
    game = start_game(games, "royale", {"hide_money": True}, 3)
    for _ in play_answers(games, game, 60):
        pass
    state = games.snapshot(game).state
    assert any(state.notes_of(seat) for seat in range(3))
    for viewer in viewers(state):
        for seat in render(state, viewer, 1)["seats"]:
            assert "place" not in seat
            covered = seat["seat"] != viewer
            assert [seat[name] is None for name in ("notes", "money", "total")] == [covered] * 3
            assert seat["chips"] is not None
            assert seat["note_count"] == len(state.notes_of(seat["seat"]))
    for _ in play_answers(games, game):
        pass
    over = render(games.snapshot(game).state, None, 99)
    assert all(seat["total"] is not None for seat in over["seats"])
    assert over["winners"] == [seat["seat"] for seat in over["seats"] if seat["place"] == 1]


def test_money_is_open_by_default() -> None:
    """Everybody saw it being paid (M8)."""
    games = make_games()
    state = games.snapshot(play_game(games, "modern", {}, 3)).state
    for seat in render(state, None, 1)["seats"]:
        assert seat["money"] == sum(seat["notes"]) <= seat["total"]
        assert seat["note_count"] == len(seat["notes"]) > 0


def test_a_lobby_shows_its_seats_and_no_casinos() -> None:
    plan = [SeatPlan(name="Anna"), SeatPlan(bot="greedy"), SeatPlan()]
    table = render(make_games().create("classic", {}, plan).state, None, 1)
    assert (table["status"], table["casinos"], table["asks"], table["roll"]) == ("lobby", [], [], None)
    assert (table["round"], table["starter"], table["turn"]) == (0, None, None)
    anna, bot, free = table["seats"]
    assert (anna["name"], anna["kind"], anna.get("open")) == ("Anna", "human", None)
    assert (bot["name"], bot["kind"], bot["bot"]) == ("greedy", "bot", "greedy")
    assert (free["name"], free["open"]) == (None, True)


def test_the_roll_and_the_dice_in_hand() -> None:
    state = state_of("modern", {"neutral_dice": True}, 2, turns=0)
    table = render(state, None, 1)
    roll = table["roll"]
    seat = table["seats"][roll["seat"]]
    assert (seat["dice"], seat["big"], seat["neutral_dice"]) == (7, True, 3)
    assert (len(roll["own"]), len(roll["neutral"])) == (6, 3)
    assert roll["big"] in range(1, 7)


def test_the_bandit_comes_last_and_keeps_the_numbers_of_its_dice() -> None:
    state = state_of("modern", {"bandit": True}, 5, turns=0)
    stacks = {BANDIT_STACK[2]: {OWNER[1]: Dice(3)}, BANDIT_STACK[5]: {OWNER[0]: Dice(0, 1)}}
    bandit = render(replace(state, dice={**state.dice, **stacks}), None, 1)["casinos"][-1]
    assert (bandit["number"], bandit["name"], len(bandit["notes"])) == ("bandit", "One-armed bandit", 2)
    assert bandit["dice"] == [
        {"owner": "seat-1", "seat": 1, "small": 3, "big": 0, "weight": 3, "face": 2},
        {"owner": "seat-0", "seat": 0, "small": 0, "big": 1, "weight": 2, "face": 5},
    ]


def test_the_edition_with_a_bandit_says_how_it_is_called() -> None:
    names = {ruleset.id: describe_edition(ruleset).bandit for ruleset in EDITIONS.newest.values()}
    assert names == {"classic": None, "modern": "One-armed bandit", "royale": None, "cards": None}


def test_lent_dice_lie_with_the_dice_of_their_player() -> None:
    """Extra dice are small dice of that seat wherever they lie (T-B1); grey ones are another player (D3)."""
    state = state_of("royale", {}, 3, turns=0)
    heap = {OWNER[0]: Dice(1, 1), LENT[0]: Dice(2), GREY: Dice(1), OWNER[2]: Dice()}
    casino = render(replace(state, dice={**state.dice, CASINO[4]: heap}), None, 1)["casinos"][3]
    assert casino["dice"] == [
        {"owner": "seat-0", "seat": 0, "small": 3, "big": 1, "weight": 5},
        {"owner": "grey", "seat": None, "small": 1, "big": 0, "weight": 1},
    ]


def test_tiles_show_what_lies_on_them() -> None:
    games = make_games()
    game = start_game(games, "royale", {"tiles": 2, "tile_codes": ["A2", "E1"]}, 2)
    table = render(games.snapshot(game).state, None, 1)
    jackpot, no_entry, *others = (casino["tile"] for casino in table["casinos"])
    assert (jackpot["code"], jackpot["name"], jackpot["shows"]["jackpot"]) == ("A2", "Jackpot", 30_000)
    assert (no_entry["code"], no_entry["shows"]["closed"]) == ("E1", None)
    assert others == [None] * 4
    assert table["bank"] == sorted(table["bank"], reverse=True) != []


def test_chip_cards_lie_beside_the_casinos_and_before_the_seats() -> None:
    table = render(state_of("classic", {"chip_cards": True}, 3, turns=0), None, 1)
    assert [len(casino["chip_cards"]) for casino in table["casinos"]] == [1] * 6
    assert [list(seat["chip_cards"]) for seat in table["seats"]] == [[], [], []]
