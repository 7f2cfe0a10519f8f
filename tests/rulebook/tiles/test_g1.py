"""BLACK BOX, tile G1."""

from __future__ import annotations

import pytest

from events.secrecy import proves
from events.types import CasinoClosed, Revealed, RoundStarted
from events.values import GREY, Dice
from rules.legal import choices, legal
from rules.state import State, view
from rules.tiles.g1_black_box import BLACK_BOX, FIRST_PILES, TOKENS, second_pile
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DENNY,
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

ANNA_WINS: DiceLaid = {1: {ANNA: 2, BEN: 1}}


def box(dice: DiceLaid = ANNA_WINS, players: int = 3) -> State:
    """The payout has come to the box; the bank holds what its piles may cost."""
    state = tile_table("G1", dice=dice, players=players, notes={2: (30_000, 90_000)})
    return pay_out(with_bank(state, 40_000, 60_000, 80_000, 100_000)).state


def asked(state: State) -> tuple[str, tuple[int, ...]]:
    assert state.ask is not None
    return state.ask.prompt, state.ask.seats


def test_the_winners_left_neighbour_parts_the_tokens() -> None:
    """000 BLACK BOX (P3)."""
    assert asked(box()) == ("G1.part", (BEN,))
    assert asked(box({1: {CARLA: 1}})) == ("G1.part", (ANNA,))
    assert asked(box({1: {CARLA: 1}}, players=4)) == ("G1.part", (DENNY,))


def test_the_box_holds_sixty_twice_twenty_and_three_blanks() -> None:
    """T-G1."""
    assert sorted(TOKENS) == [0, 0, 0, 20_000, 20_000, 60_000]


def test_every_parting_into_two_piles_is_on_offer() -> None:
    """000 BLACK BOX (T-G1): 3 and 3, 4 and 2, 5 and 1; of equal piles either may lie first."""
    assert choices(box(), BEN) == tuple(FIRST_PILES)
    sizes = [(len(first), len(second_pile(first))) for first in FIRST_PILES.values()]
    assert [sizes.count(size) for size in ((3, 3), (4, 2), (5, 1))] == [6, 5, 3]
    assert len(sizes) == 14
    assert all(sorted(first + second_pile(first)) == sorted(TOKENS) for first in FIRST_PILES.values())


def test_labels_name_both_piles() -> None:
    """000 BLACK BOX."""
    labels = {option.choice: option.label for option in legal(box(), BEN)}
    words = "First pile: $60,000 + blank + blank; second pile: $20,000 + $20,000 + blank"
    assert labels["part-60-0-0"] == words


def test_the_winner_knows_the_sizes_and_takes_one() -> None:
    """000 BLACK BOX (T-G1)."""
    state = play(box(), BEN, "part-60-0-0-0")
    assert asked(state) == ("G1.take", (ANNA,))
    assert [option.label for option in legal(state, ANNA)] == [
        "Take the first pile, of four tokens",
        "Take the second pile, of two tokens",
    ]


def test_everybody_sees_how_many_tokens_a_pile_has() -> None:
    """000 BLACK BOX (T-G1): and nothing else, whatever lies in them."""
    assert BLACK_BOX.shows(box()) == {"piles": None}
    state = play(box(), BEN, "part-60-0-0-0")
    assert BLACK_BOX.shows(view(state, None)) == {"piles": [4, 2]}
    assert BLACK_BOX.shows(view(play(box(), BEN, "part-60-20-20-0"), CARLA)) == {"piles": [4, 2]}
    assert BLACK_BOX.shows(play(state, ANNA, "take-1")) == {"piles": None}


@pytest.mark.parametrize(
    ("parting", "notes", "chips"),
    [
        ("part-60-20-20", (100_000,), 0),
        ("part-60-20-0", (80_000,), 0),
        ("part-60-0-0-0", (60_000,), 0),
        ("part-20-20-0-0-0", (40_000,), 0),
        ("part-20-0-0", (), 2),
        ("part-0-0-0", (), 0),
    ],
)
def test_the_pile_taken_is_paid(parting: str, notes: tuple[int, ...], chips: int) -> None:
    """000 BLACK BOX (T-G1): a total of $20,000 is two chips; two more come with the next round."""
    state = with_bank(play(box(), BEN, parting), 40_000, 60_000, 80_000, 100_000)
    assert gains(state, play(state, ANNA, "take-1"), ANNA) == (notes, chips + 2)


def test_the_other_pile_holds_the_rest() -> None:
    """000 BLACK BOX."""
    state = play(box(), BEN, "part-20-20-0-0-0")
    assert gains(state, play(state, ANNA, "take-2"), ANNA) == ((60_000,), 2)


def test_taking_a_pile_reveals_both_with_their_proof() -> None:
    """T-G1."""
    table = answer(play(box(), BEN, "part-60-20-0"), ANNA, "take-2")
    shown = next(event for event in table.events if isinstance(event, Revealed))
    assert (shown.seat, shown.value) == (BEN, "part-60-20-0")
    assert proves(shown.hidden, shown.salt, shown.value)


def test_it_is_paid_straight_after_its_own_casino() -> None:
    """D8: casino 2 waits."""
    state = box()
    assert state.notes_at(2) == (30_000, 90_000)
    assert state.notes_at(1) == ()


def test_who_stands_first_when_ties_are_gone_is_the_winner() -> None:
    """000 BLACK BOX: this casino's winner."""
    assert asked(box({1: {ANNA: 2, BEN: 2, CARLA: 1}})) == ("G1.part", (ANNA,))


def test_the_big_die_can_make_the_winner() -> None:
    """D2."""
    assert asked(box({1: {ANNA: 1, BEN: Dice(0, 1)}})) == ("G1.part", (CARLA,))


@pytest.mark.parametrize("heap", [{}, {ANNA: 1, BEN: 1}, {ANNA: 1, GREY: 2}])
def test_without_a_real_winner_the_box_stays_shut(heap: dict[int | str, int | Dice]) -> None:
    """T-G1: nobody, nobody left, or an imaginary player."""
    assert asked(box({1: heap}))[0] == "turn.place"


def test_with_two_players_the_opponent_parts() -> None:
    """T3: the imaginary players part nothing."""
    assert asked(box({1: {ANNA: 1}}, players=2)) == ("G1.part", (BEN,))
    assert asked(box({1: {BEN: 1}}, players=2)) == ("G1.part", (ANNA,))


def test_the_neutral_set_opens_no_box() -> None:
    """T-G1, two players; grey dice of the same number would tie it away (D3)."""
    ahead = tile_table("G1", players=2, neutral=(1, 1, 6, 6, 6, 6, 6, 6), dice={1: {ANNA: 1}})
    assert asked(pay_out(ahead).state)[0] == "turn.place"
    tied = tile_table("G1", players=2, neutral=(1, 1, 6, 6, 6, 6, 6, 6), dice={1: {ANNA: 1, GREY: 2}})
    assert asked(pay_out(tied).state) == ("G1.part", (BEN,))


def test_the_box_of_a_closed_casino_is_opened() -> None:
    """T7."""
    assert (
        asked(pay_out(apply_events(tile_table("G1", dice=ANNA_WINS), CasinoClosed(1))).state)[0] == "G1.part"
    )


def test_the_last_round_waits_for_the_box() -> None:
    """D8."""
    state = pay_out(apply_events(tile_table("G1", dice=ANNA_WINS), RoundStarted(3, ANNA))).state
    state = play(state, BEN, "part-0-0-0")
    assert state.status == "playing"
    assert play(state, ANNA, "take-1").status == "over"


def test_placing_dice_there_does_nothing_yet() -> None:
    """000 BLACK BOX: during the payout only."""
    assert asked(place_number(tile_table("G1"), ANNA, 1, small=2, big=True).state)[0] == "turn.place"


def test_my_choice_sets_nothing_off() -> None:
    """000 MY CHOICE, result 4 (T8)."""
    state = play(place_number(tile_table("G1", "H2"), ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    assert asked(play(state, ANNA, "activate-1"))[0] == "turn.place"
