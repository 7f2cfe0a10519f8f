"""LUCKY PUNCH, tile A1."""

from __future__ import annotations

import pytest

from events.secrecy import proves, redact
from events.types import CasinoClosed, Chosen, Revealed
from events.values import Dice
from rules.legal import choices, legal
from rules.state import State, view
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DiceLaid,
    answer,
    apply_events,
    gains,
    pay_out,
    place_number,
    play,
    tile_table,
    with_bank,
)

PRIZES = {1: ((), 2), 2: ((30_000,), 0), 3: ((40_000,), 0)}


def activated(players: int = 3, seat: int = ANNA) -> State:
    state = with_bank(tile_table("A1", players=players), 30_000, 40_000)
    return place_number(state, seat, 1).state


def test_the_player_hides_one_to_three_tokens() -> None:
    """000 LUCKY PUNCH."""
    state = activated()
    assert choices(state, ANNA) == ("hide-1", "hide-2", "hide-3")
    assert legal(state, ANNA)[0].label == "Hide one token: two chips for you if Ben guesses wrong"


def test_the_left_neighbour_guesses() -> None:
    """000 LUCKY PUNCH (P3)."""
    state = play(activated(), ANNA, "hide-2")
    assert choices(state, BEN) == ("guess-1", "guess-2", "guess-3")
    assert legal(state, BEN)[1].label == (
        "Guess two tokens: if right, Anna wins nothing instead of $30,000; "
        "if wrong, Anna is paid for what was hidden"
    )
    assert choices(state, ANNA) == choices(state, CARLA) == ()


def test_left_of_the_last_seat_is_the_first() -> None:
    """P3."""
    state = play(activated(seat=CARLA), CARLA, "hide-2")
    assert choices(state, ANNA) != ()


@pytest.mark.parametrize("tokens", [1, 2, 3])
@pytest.mark.parametrize("guess", [1, 2, 3])
def test_a_wrong_guess_earns_the_prize_a_right_one_nothing(tokens: int, guess: int) -> None:
    """000 LUCKY PUNCH (T-A1): the prize depends on the fist."""
    before = activated()
    state = play(play(before, ANNA, f"hide-{tokens}"), BEN, f"guess-{guess}")
    assert gains(before, state, ANNA) == (((), 0) if tokens == guess else PRIZES[tokens])
    assert gains(before, state, BEN) == ((), 0)


def test_nobody_but_the_owner_knows_the_fist() -> None:
    """T-A1 (S1): views and events of others hold a commitment only."""
    table = answer(activated(), ANNA, "hide-2")
    chosen = next(event for event in table.events if isinstance(event, Chosen))
    for viewer in (BEN, CARLA, None):
        assert "hide-2" not in repr(redact(chosen, viewer))
        assert "hide-2" not in repr(view(table.state, viewer).agenda)
        assert "hide-2" not in repr(redact(tuple(table.events), viewer))
    assert "hide-2" in repr(view(table.state, ANNA).agenda)


def test_different_fists_look_alike_to_the_others() -> None:
    """T-A1: commitments aside, nothing differs."""
    seen = []
    for tokens in (1, 3):
        table = answer(activated(), ANNA, f"hide-{tokens}")
        chosen = next(event for event in table.events if isinstance(event, Chosen))
        assert not isinstance(chosen.choice, str)
        public = repr((redact(tuple(table.events), BEN), view(table.state, BEN)))
        seen.append(public.replace(chosen.choice.hidden, "…"))
    assert seen[0] == seen[1]


def test_the_guess_reveals_the_fist_with_its_proof() -> None:
    """T-A1: salt and value open the commitment."""
    table = answer(play(activated(), ANNA, "hide-3"), BEN, "guess-1")
    shown = next(event for event in table.events if isinstance(event, Revealed))
    assert shown.seat == ANNA
    assert shown.value == "hide-3"
    assert proves(shown.hidden, shown.salt, shown.value)


def test_with_two_players_the_other_guesses() -> None:
    """T3: the imaginary player has no fist and no guess."""
    state = play(activated(players=2), ANNA, "hide-1")
    assert state.ask is not None
    assert state.ask.seats == (BEN,)


def test_the_big_die_and_several_small_ones_play_once() -> None:
    """T0."""
    state = place_number(with_bank(tile_table("A1"), 30_000), ANNA, 1, small=3, big=True).state
    state = play(play(state, ANNA, "hide-1"), BEN, "guess-2")
    assert state.ask is not None
    assert state.ask.prompt == "turn.place"


def test_a_tie_at_its_casino_does_not_matter() -> None:
    """000 LUCKY PUNCH: the prize is for the activation."""
    before = place_number(tile_table("A1", dice={1: {BEN: 1}}), ANNA, 1).state
    state = play(play(before, ANNA, "hide-1"), BEN, "guess-2")
    assert gains(before, state, ANNA) == ((), 2)


def test_at_a_closed_casino_my_choice_cannot_name_it() -> None:
    """T-E1: with no other tile, result 4 does nothing."""
    state = apply_events(tile_table("H2", "A1"), CasinoClosed(2))
    state = play(place_number(state, ANNA, 1, black=[(4, 4)]).state, ANNA, "use-4")
    assert state.ask is not None
    assert state.ask.prompt == "turn.place"


def test_my_choice_starts_it_for_the_active_player() -> None:
    """000 MY CHOICE, result 4."""
    state = play(place_number(tile_table("H2", "A1"), ANNA, 1, black=[(4, 2)]).state, ANNA, "use-4")
    state = play(play(state, ANNA, "activate-2"), ANNA, "hide-1")
    after_it = play(state, BEN, "guess-3")
    assert gains(state, after_it, ANNA) == ((), 2)


def test_after_the_last_die_of_the_round_the_payout_waits_for_the_guess() -> None:
    """000 LUCKY PUNCH (T4): both answers come first."""
    dice: DiceLaid = {5: {ANNA: Dice(6, 1)}, 4: {BEN: Dice(7, 1)}, 3: {CARLA: Dice(7, 1)}}
    before = place_number(tile_table("A1", dice=dice, notes={5: (30_000, 90_000)}), ANNA, 1).state
    hidden = play(before, ANNA, "hide-1")
    for waiting, seat, prompt in ((before, ANNA, "A1.hide"), (hidden, BEN, "A1.guess")):
        assert waiting.ask is not None
        assert (waiting.ask.prompt, waiting.ask.seats) == (prompt, (seat,))
        assert (waiting.round, waiting.notes_at(5), waiting.notes_of(ANNA)) == (1, (30_000, 90_000), ())
    end = play(hidden, BEN, "guess-2")
    assert end.round == 2
    assert gains(before, end, ANNA) == ((90_000,), 2 + 2)


def test_the_end_of_the_round_pays_nothing_more() -> None:
    """000 LUCKY PUNCH: only when activated; the two chips are those of the new round."""
    state = tile_table("A1", dice={1: {ANNA: 2}})
    assert gains(state, pay_out(state).state, ANNA) == ((), 2)
