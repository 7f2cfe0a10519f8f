"""How far one can look ahead."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.agenda import Step
from events.types import AgendaChanged, DicePlaced, DiceRolled, OptionValue, Revealed
from rules.editions import EDITIONS
from rules.legal import legal
from rules.lookahead import pay_out_now, try_answer
from rules.scoring import total
from rules.state import State, view
from tests.support.bots import RANDOM, states_of_game
from tests.support.positions import (
    ANNA,
    BEN,
    DiceLaid,
    new_game,
    place_number,
    play,
    roll_dice,
    table_at,
    tile_table,
)
from workers.bots.valuation import SampledChance

LUCK = SampledChance(0)


def test_the_look_ahead_ends_at_what_others_hide() -> None:
    """LUCKY PUNCH: Ben guesses, and only Anna knows her fist."""
    guess = play(place_number(tile_table("A1"), ANNA, 1).state, ANNA, "hide-2")
    assert not try_answer(view(guess, BEN), BEN, "guess-2", LUCK).events
    assert any(isinstance(event, Revealed) for event in try_answer(guess, BEN, "guess-2", LUCK).events)


def test_the_look_ahead_ends_with_the_move() -> None:
    """The last die of a round: neither the payout nor the next round is looked at."""
    dice: DiceLaid = {3: {ANNA: 7, BEN: 8}}
    state = roll_dice(table_at("classic", 2, dice=dice), ANNA, 1)
    tried = try_answer(state, ANNA, "place-1", LUCK)
    assert [type(event) for event in tried.events] == [DicePlaced, AgendaChanged]
    assert tried.state.round == state.round


def test_a_fault_of_a_rule_is_not_taken_for_a_secret() -> None:
    state = new_game("classic", 2, {"start_seat": ANNA})
    with pytest.raises(IndexError):
        try_answer(state, ANNA, "place-9", LUCK)


def test_nor_is_a_fault_of_the_payout() -> None:
    state = replace(new_game("classic", 2), agenda=(Step("round.end"), Step("payout.casino", number=9)))
    with pytest.raises(IndexError):
        pay_out_now(state, LUCK)


def royale_states(options: dict[str, OptionValue], seeds: range) -> Iterator[tuple[State, int]]:
    """Every state of some games in which a seat is asked, and the seat."""
    for seed in seeds:
        for state in states_of_game("royale", options, [RANDOM] * 3, seed):
            if state.ask is not None:
                yield state, state.ask.awaited[0]


CODES: tuple[tuple[str, ...], ...] = (
    ("A1", "B2", "C1", "D2", "E1", "F2"),
    ("A2", "B1", "C2", "D1", "E2", "G2"),
    ("H2", "G1", "F1", "C2"),
    ("H1", "E2", "F2"),
)


@pytest.mark.parametrize("codes", CODES, ids="-".join)
def test_a_preview_is_what_the_tile_then_does(codes: tuple[str, ...]) -> None:
    """As far as it says that it is certain; what it cannot know it does not tell."""
    seen, kinds = set[str](), set[str | None]()
    for state, seat in royale_states({"tile_codes": codes}, range(3)):
        before = state
        for option in legal(view(state, seat), seat):
            preview = option.preview
            if preview is UNSET:
                continue
            table = try_answer(state, seat, option.choice, SampledChance(5))
            after = table.state
            thrown = any(isinstance(event, DiceRolled) for event in table.events)
            kinds.add(preview.uncertain)
            if preview.uncertain is None:
                assert not thrown
                assert not (after.ask and after.ask.id > (state.ask.id if state.ask else 0))
            if preview.uncertain == "answer":
                assert after.ask
                assert (preview.prompt, preview.seat) == (after.ask.prompt, after.ask.seats[0])
            if preview.uncertain == "dice":
                assert thrown
            if preview.uncertain in (None, "answer"):
                changes = {gain.seat: gain.money for gain in preview.gains}
                for number in range(3):
                    assert total(after, number) - total(before, number) == changes.get(number, 0)
                rules = EDITIONS.of(state).tiles[preview.tile]
                assert preview.shows == rules.shows(after)
            if preview.acts:
                seen.add(preview.tile)
    assert seen
    assert "answer" in kinds or None in kinds


def test_a_preview_tells_nothing_that_the_seat_does_not_know() -> None:
    """Neither dice to come nor what is in another's fist: with other secrets it is the same."""
    for state, seat in royale_states({"tile_codes": ("A1", "G1", "H2", "B2")}, range(3)):
        other = replace(state, drawn=state.drawn + 1_000)
        assert [option.preview for option in legal(view(state, seat), seat)] == [
            option.preview for option in legal(view(other, seat), seat)
        ]
        if state.ask and state.ask.prompt in ("A1.guess", "G1.take"):
            previews = [option.preview for option in legal(view(state, seat), seat)]
            assert {preview.uncertain for preview in previews if preview is not UNSET} == {"secret"}


def test_games_without_tiles_have_no_previews() -> None:
    for state in states_of_game("classic", {}, [RANDOM] * 3, 1):
        for option in legal(state, state.ask.awaited[0]) if state.ask else ():
            assert option.preview is UNSET
