"""Answers that must be refused, and leave nothing behind."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest

from events.commands import Choose
from rules.decide import run_command
from rules.errors import Reason, Rejected
from rules.legal import choices
from rules.state import State
from tests.support.game_loop import SeededChance

ODD = ("", " ", "place-0", "place-7", "PLACE-1", "place-1 ", "play", "play-1-1-1-1-1-1", "play-1d-1d", "é")


def check_refusals(state: State, heard: Iterable[str], chance: SeededChance) -> None:
    """Whatever is not listed, whoever is not asked, and every number but the open ask's."""
    before = msgspec.msgpack.encode(state)
    for seat in range(-1, len(state.seats) + 1):
        for ask, choice, reason in refusable_answers(state, seat, heard):
            with pytest.raises(Rejected) as refusal:
                run_command(state, Choose(ask, seat, choice), chance)
            assert refusal.value.reason is reason
    assert msgspec.msgpack.encode(state) == before


def refusable_answers(state: State, seat: int, heard: Iterable[str]) -> list[tuple[int, str, Reason]]:
    """Answers of a seat, and why they are none."""
    listed, ask = choices(state, seat), state.ask
    if ask is None:
        reason = Reason.NOT_STARTED if state.status == "lobby" else Reason.GAME_OVER
        return [(number, "place-1", reason) for number in (0, state.asked, state.asked + 1)]
    if seat not in ask.awaited:
        answered = seat in ask.seats
        reason = Reason.ALREADY_ANSWERED if answered else Reason.NOT_ASKED
        return [(ask.id, choice, reason) for choice in (*ODD, *ask.options)]
    unlisted = {*ODD, *heard} - {*listed}
    wrong = [(ask.id, choice, Reason.ILLEGAL_CHOICE) for choice in sorted(unlisted)]
    return [(ask.id - 1, listed[0], Reason.STALE_ASK), (ask.id + 1, listed[0], Reason.UNKNOWN_ASK), *wrong]
