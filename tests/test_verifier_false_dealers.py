"""A dealer who breaks a rule, and whose log fits all that it does, is found by both verifiers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import pytest
from msgspec.structs import replace

from events.agenda import Ask, Step
from events.types import TurnStarted
from events.values import SUPPLY
from rules.editions import EDITIONS
from rules.editions.royale import ROYALE, royale
from rules.mechanics import dice_turn, payout
from rules.prompt import Prompt, StepWork
from rules.releases import Editions
from rules.table import Table
from rules.tile import Tile
from rules.tiles import TILES
from rules.tiles.d2_power_play import CODE, POWER_PLAY, owner, turn_prompt
from service.fairness.verify import verify
from tests.support.release_games import Raws, export, play_game
from tests.support.second_opinion import is_fair, second_opinion

PLAIN, OPENING, CLOSING = ("B1",), (CODE,), ("E1", CODE)
# The casinos, what follows them, and the end of the round.
STEPS_AFTER_TIES = 8


def deal(editions: Editions, codes: tuple[str, ...]) -> Raws:
    """All that is told fits what this dealer does: chain, seed, rolls and hashes too."""
    return export(play_game(editions, "royale", 3, {"tile_codes": codes}))


def working_off(name: str, work: StepWork) -> Editions:
    newest = ROYALE[-1]
    return Editions((replace(newest, steps={**newest.steps, name: work}),))


def with_power_play(false: Tile) -> Editions:
    return Editions(royale(tuple(false if tile is POWER_PLAY else tile for tile in TILES)))


def pay_early(table: Table, step: Step) -> None:
    """As soon as seat 0 has placed all its dice."""
    if table.state.dice.get(SUPPLY[0]):
        dice_turn.start_turn(table, step)
    else:
        table.agenda.append(dice_turn.PAYOUT)


def let_lapse(table: Table, step: Step) -> None:
    """Whatever seat 1 rolls without a six."""
    dice_turn.start_turn(table, step)
    ask = table.agenda[-1]
    if isinstance(ask, Ask) and ask.seats == (1,) and "place-6" not in ask.options:
        table.agenda.pop()
        table.asked -= 1


def play_on(table: Table, step: Step) -> None:
    """The tied place their dice again before anything is paid."""
    payout.remove_ties(table, step)
    if dice_turn.next_seat(table.state) is not None:
        del table.agenda[-STEPS_AFTER_TIES:]
        table.agenda.append(dice_turn.TURNS)


def count_holders(table: Table) -> int:
    return sum(bool(table.state.dice.get(place)) for place in SUPPLY)


def open_unasked(table: Table, seat: int) -> bool:
    """A turn that is begun and over, as long as somebody else has dice."""
    if owner(table.state) != seat or count_holders(table) < 2:
        return False
    table.record(TurnStarted(seat))
    return True


def withhold_roll(tiles: Mapping[str, Tile]) -> Prompt:
    """Who opened a turn can only roll, and is passed over as long as somebody else has dice."""
    true = turn_prompt(tiles)

    def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
        if count_holders(table) < 2:
            true.answered(table, ask, answers)

    return replace(true, choices=lambda state, ask, seat: ("roll",), answered=answered)


def never_let_pass() -> Editions:
    newest = ROYALE[-1]
    prompts = dice_turn.prompts("", {"place": dice_turn.PLACE})
    return Editions((replace(newest, prompts={**newest.prompts, **prompts}),))


DEALERS: dict[str, tuple[Editions, tuple[str, ...]]] = {
    "a round is paid early": (working_off("turns", pay_early), PLAIN),
    "a roll lapses": (working_off("turns", let_lapse), PLAIN),
    "the tied play on": (working_off("payout.ties", play_on), PLAIN),
    "nobody may pass": (never_let_pass(), PLAIN),
    "a turn is begun and over": (with_power_play(replace(POWER_PLAY, before_roll=open_unasked)), OPENING),
    "a roll is asked for in vain": (
        with_power_play(replace(POWER_PLAY, prompts={"D2.turn": withhold_roll})),
        OPENING,
    ),
}


@pytest.mark.parametrize(("editions", "codes"), DEALERS.values(), ids=DEALERS)
def test_a_dealer_who_breaks_a_rule_is_found(editions: Editions, codes: tuple[str, ...]) -> None:
    raws = deal(editions, codes)
    holds, said = second_opinion(raws)
    assert (holds, "commit " in said) == (False, True), said
    assert verify(raws).ok is False


def has_lapsed(raws: Raws) -> bool:
    """Whether somebody rolled and the next seat rolls (D7)."""
    kinds = ([(event["type"], event.get("seat")) for event in raw["events"]] for raw in raws)
    return any(
        roll[0] == "dice_rolled" and roll[1] is not None and after[0] != "agenda_changed"
        for told in kinds
        for roll, after in pairwise(told)
    )


def test_a_roll_may_lapse_where_all_that_it_shows_is_closed() -> None:
    raws = deal(EDITIONS, CLOSING)
    assert has_lapsed(raws)
    assert is_fair(raws)
