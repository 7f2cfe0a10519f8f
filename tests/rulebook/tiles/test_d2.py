"""POWER PLAY, tile D2."""

from __future__ import annotations

from events.types import CasinoClosed, TilesLaid, TokenMoved, TurnStarted
from events.values import BOX, CASINO, GREY, OWNER, SUPPLY, Dice
from rules.editions import EDITIONS
from rules.legal import choices, legal
from rules.mechanics.dice_turn import TURNS
from rules.state import State
from rules.table import Table
from rules.tiles.d2_power_play import POWER_PLAY
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DiceLaid,
    ScriptedChance,
    apply_events,
    gains,
    pay_out,
    place_number,
    play,
    roll_dice,
    tile_table,
    with_bank,
    work_agenda,
)


def token(state: State) -> object:
    return POWER_PLAY.shows(state)["token"]


def owned(dice: DiceLaid, *codes: str, players: int = 3) -> State:
    """The token lies on Anna's dice."""
    state = tile_table("D2", *codes, dice=dice, players=players)
    return apply_events(state, TokenMoved("D2", SUPPLY[ANNA]))


def at_turn(state: State) -> State:
    """Anna's turn opens."""
    before = apply_events(state, TurnStarted(len(state.seats) - 1))
    return work_agenda(before, TURNS).state


def test_who_alone_has_most_dice_takes_the_token() -> None:
    """000 POWER PLAY."""
    state = tile_table("D2", dice={1: {BEN: 1}})
    assert token(place_number(state, ANNA, 1, small=2).state) == ANNA


def test_a_tie_for_most_takes_nothing() -> None:
    """000 POWER PLAY: alone, and more than any other."""
    state = tile_table("D2", dice={1: {BEN: 2}})
    assert token(place_number(state, ANNA, 1, small=2).state) is None


def test_the_big_die_counts_as_two() -> None:
    """D2."""
    state = tile_table("D2", dice={1: {BEN: 1}})
    assert token(place_number(state, ANNA, 1, small=0, big=True).state) == ANNA


def test_it_is_taken_from_an_opponent() -> None:
    """000 POWER PLAY."""
    state = owned({1: {ANNA: 2}})
    assert token(place_number(state, BEN, 1, small=3).state) == BEN


def test_it_goes_back_as_soon_as_the_lead_is_shared() -> None:
    """000 POWER PLAY: Ben ties and gets nothing himself."""
    state = owned({1: {ANNA: 2}})
    assert token(place_number(state, BEN, 1, small=2).state) is None


def test_blank_dice_take_the_lead_away() -> None:
    """000 and 003 BLOCK IT!, example: two red dice lead until two blank ones come."""
    state = owned({1: {ANNA: 2, BEN: 1, CARLA: 1}})
    table = Table(state, EDITIONS.newest["royale"], ScriptedChance())
    table.move_dice(GREY, BOX, CASINO[1], 2)
    assert token(table.state) is None
    assert not any(pay_out(table.state).state.notes_of(seat) for seat in range(3))


def test_it_goes_back_when_own_dice_leave() -> None:
    """T-D2: at the instant."""
    table = Table(owned({1: {ANNA: 2, BEN: 1}}), EDITIONS.newest["royale"], ScriptedChance())
    table.move_dice(OWNER[ANNA], CASINO[1], SUPPLY[ANNA], 1)
    assert token(table.state) is None


def test_the_owners_turn_opens_with_a_choice_before_the_roll() -> None:
    """000 POWER PLAY (T-D2)."""
    state = at_turn(owned({1: {ANNA: Dice(6, 1)}}))
    assert state.roll is None
    assert choices(state, ANNA) == ("roll", *(f"set-small-{number}" for number in range(1, 7)))
    assert legal(state, ANNA)[0].label == "Roll all your dice"
    assert legal(state, ANNA)[3].label == "Turn a small die in hand to 3 and place it on casino 3"


def test_the_owner_may_roll_as_usual() -> None:
    """T-D2."""
    state = play(at_turn(owned({1: {ANNA: Dice(6, 1)}})), ANNA, "roll", ScriptedChance([(5,)]))
    assert choices(state, ANNA) == ("place-5", "pass")
    assert token(state) == ANNA


def test_a_set_die_activates_the_casino_it_goes_to() -> None:
    """000 POWER PLAY: and resolve any effects, here the JACKPOT."""
    before = at_turn(with_bank(owned({1: {ANNA: 3}}, "A2"), 30_000))
    state = play(before, ANNA, "set-small-2", ScriptedChance([(3, 4)]))
    assert state.own_dice(ANNA, 2) == Dice(1)
    assert gains(before, state, ANNA) == ((30_000,), 0)
    assert state.turn == BEN


def test_the_big_die_may_be_set_too() -> None:
    """T-D2."""
    state = play(at_turn(owned({1: {ANNA: 3}})), ANNA, "set-big-5")
    assert state.own_dice(ANNA, 5) == Dice(0, 1)


def test_the_token_is_not_used_up() -> None:
    """T-D2."""
    assert token(play(at_turn(owned({1: {ANNA: 3}})), ANNA, "set-small-2")) == ANNA


def test_a_closed_number_cannot_be_set() -> None:
    """T-D2 and T-E1."""
    state = at_turn(apply_events(owned({1: {ANNA: Dice(6, 1)}}), CasinoClosed(4)))
    assert "set-small-4" not in choices(state, ANNA)


def test_at_its_own_closed_casino_the_lead_cannot_be_lost() -> None:
    """T-E1: nobody gets in; the default dice would show 1."""
    state = apply_events(owned({1: {ANNA: 1}}), CasinoClosed(1))
    assert choices(roll_dice(state, BEN, 1, 1, 1, 1, 1, 1, 1, big=2), BEN) == ("place-2", "pass")
    assert token(state) == ANNA


def test_a_turn_without_a_roll_cannot_be_passed() -> None:
    """T6."""
    assert "pass" not in choices(at_turn(owned({1: {ANNA: 3}})), ANNA)


def test_others_roll_at_once() -> None:
    """000 POWER PLAY: only its owner has the choice."""
    state = apply_events(owned({1: {ANNA: 3}}), TurnStarted(ANNA))
    state = work_agenda(state, TURNS).state
    assert state.turn == BEN
    assert state.roll is not None


def test_with_two_players_neutral_dice_must_be_outweighed() -> None:
    """T-D2 and D3."""
    state = tile_table("D2", players=2, neutral=(1, 1, 2, 2, 3, 3, 4, 4))
    assert token(place_number(state, ANNA, 1, small=2).state) is None
    assert token(place_number(state, ANNA, 1, small=3).state) == ANNA


def test_imaginary_players_never_own_it() -> None:
    """T3."""
    assert token(tile_table("D2", players=2, neutral=(1,) * 8)) is None


def test_without_dice_in_hand_there_is_no_turn_to_use_it() -> None:
    """000 POWER PLAY: the round ends and the token is back on its tile."""
    dice: DiceLaid = {1: {ANNA: Dice(7, 1)}, 2: {BEN: Dice(7, 1)}, 3: {CARLA: Dice(7, 1)}}
    state = work_agenda(owned(dice), TURNS).state
    assert state.round == 2
    assert token(state) is None


def test_my_choice_takes_it_for_a_leader() -> None:
    """000 MY CHOICE, result 4."""
    state = tile_table("D2", "H2", dice={1: {ANNA: 1}})
    state = play(place_number(state, ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    assert token(play(state, ANNA, "activate-1")) == ANNA


def test_my_choice_takes_nothing_where_no_die_lies() -> None:
    """000 MY CHOICE, result 4 (T8): more than nobody is at least one."""
    state = play(place_number(tile_table("D2", "H2"), ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    assert legal(state, ANNA)[0].label == "Activate Power Play at casino 1 (nothing would happen now)"
    assert token(play(state, ANNA, "activate-1")) is None


def test_my_choice_does_nothing_for_one_who_does_not_lead() -> None:
    """000 MY CHOICE, result 4: this will not always trigger an action."""
    state = tile_table("D2", "H2", dice={1: {ANNA: 1, CARLA: 1}})
    state = play(place_number(state, ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    assert token(play(state, ANNA, "activate-1")) is None


def test_a_die_set_with_it_says_that_a_tile_reacts() -> None:
    """000 POWER PLAY: the effects of that casino are resolved."""
    labels = {option.choice: option.label for option in legal(at_turn(owned({1: {ANNA: 1}}, "A2")), ANNA)}
    there = "Turn your big die to 2 and place it on casino 2, which activates its tile"
    assert (labels["set-big-2"], labels["set-big-3"]) == (
        there,
        "Turn your big die to 3 and place it on casino 3",
    )


def activating(*codes: str, dice: DiceLaid) -> list[str]:
    """The placements of which Anna is told that they activate a tile."""
    state = at_turn(owned(dice, *codes))
    told = [option.choice for option in legal(state, ANNA) if option.label.endswith("activates its tile")]
    for choice in told:
        assert play(state, ANNA, choice) != play(apply_events(state, *gone(state)), ANNA, choice)
    return told


def gone(state: State) -> tuple[TilesLaid, ...]:
    """The same table with only its first tile, so that no other reacts."""
    return (TilesLaid(state.tiles[:1]),)


def test_tiles_without_activation_are_promised_none() -> None:
    """000 PRIME TIME, BAD LUCK, BLACK BOX: they act in the payout only."""
    assert activating("B1", "C2", "G1", "A2", dice={1: {ANNA: 1}}) == ["set-small-5", "set-big-5"]


def test_the_die_that_is_set_counts_for_what_it_activates() -> None:
    """000 HIGH FIVE, DOUBLE DOWN: five dice with the big one, and any die at all."""
    assert activating("C1", "G2", dice={1: {ANNA: 1}, 2: {ANNA: 3}}) == [
        "set-small-3",
        "set-big-2",
        "set-big-3",
    ]


def test_the_token_is_not_promised_to_its_owner() -> None:
    """000 POWER PLAY: more dice beside it change nothing."""
    assert activating(dice={1: {ANNA: 1}}) == []
