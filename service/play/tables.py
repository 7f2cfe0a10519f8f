"""The table for a seat or a spectator: built from the redacted view and nothing else."""

from __future__ import annotations

from datetime import datetime

from msgspec import UNSET
from msgspec.structs import replace

from events.agenda import Ask
from events.secrecy import Secret
from events.values import NEUTRAL, SUPPLY, UNDER
from rules.about import Option
from rules.editions import EDITIONS
from rules.legal import describe_choice, legal, prompt_of
from rules.ruleset import Ruleset
from rules.scoring import money, total
from rules.shown import add_members
from rules.state import State
from rules.view import view
from service.play.casino_tables import render_casinos
from service.play.snapshots import Snapshot
from service.play.table_types import (
    AskShown,
    ClockShown,
    ClosedShown,
    ForkShown,
    RemoteShown,
    SeatShown,
    TableShown,
)
from service.timestamps import stamp


def render_snapshot(snapshot: Snapshot, viewer: int | None, everything: bool = False) -> TableShown:
    """The table of a game as it stands or stood."""
    own = viewer is not None and viewer in snapshot.people_asked
    deadline = snapshot.deadline_of(viewer) if own and viewer is not None else snapshot.deadline
    table = render_table(snapshot.state, viewer, snapshot.version, everything, _stamp(deadline))
    table = replace(table, imported=snapshot.imported) if snapshot.imported else table
    return replace(table, clock=_clock(snapshot)) if snapshot.left else table


def _clock(snapshot: Snapshot) -> tuple[ClockShown, ...]:
    """Whose clock runs has a deadline."""
    running, bots = snapshot.people_asked, [seat.bot for seat in snapshot.state.seats]
    return tuple(
        ClockShown(seat, left / 1000, _stamp(snapshot.deadline_of(seat)) if seat in running else None)
        for seat, left in enumerate(snapshot.left)
        if bots[seat] is None
    )


def _stamp(moment: datetime | None) -> str | None:
    return None if moment is None else stamp(moment)


def render_table(
    state: State, viewer: int | None, version: int, everything: bool = False, deadline: str | None = None
) -> TableShown:
    """What the viewer, a seat or None for a spectator, may know.

    `everything` is for an earlier version of a game that is over by now (S1).
    """
    seen = state if everything else view(state, viewer)
    ruleset = EDITIONS.of(seen)
    covered = bool(seen.options.get("hide_money")) and not everything and seen.status != "over"
    table = TableShown(
        id=seen.game,
        version=version,
        edition=seen.edition,
        options=seen.options,
        status=seen.status,
        round=seen.round,
        rounds=ruleset.rounds,
        starter=seen.starter if seen.round else None,
        turn=seen.turn,
        you=viewer,
        seats=tuple(
            _seat(seen, ruleset, seat, covered and seat != viewer) for seat in range(len(seen.seats))
        ),
        casinos=render_casinos(seen, ruleset),
        roll=seen.roll,
        asks=_asks(seen, viewer, deadline),
        winners=seen.winners,
        visibility=seen.visibility,
        # How many notes are unseen is no secret; which come next is not known.
        pile=len(seen.unseen),
        under=seen.notes.get(UNDER, ()),
        closed=ClosedShown(seen.close_reason) if seen.close_reason else UNSET,
        host=seen.host if seen.status == "lobby" else UNSET,
        void=seen.void or UNSET,
        rematch=seen.rematch or UNSET,
        rematch_of=seen.rematch_of or UNSET,
        fork=ForkShown(seen.origin.game, seen.origin.at) if seen.origin else UNSET,
    )
    return add_members(table, [shows.table(seen) for shows in ruleset.shows])


def _seat(state: State, ruleset: Ruleset, seat: int, covered: bool) -> SeatShown:
    """The winnings of others stay covered until the end where that was agreed (M8, S2)."""
    taken, supply = state.seats[seat], state.supply_of(seat)
    shown = SeatShown(
        seat=seat,
        name=taken.name,
        kind="human" if taken.bot is None else "bot",
        dice=supply.count,
        big=bool(supply.big),
        neutral_dice=state.dice_of(NEUTRAL, SUPPLY[seat]).count,
        chips=state.chips_of(seat),
        note_count=len(state.notes_of(seat)),
        notes=None if covered else tuple(sorted(state.notes_of(seat), reverse=True)),
        money=None if covered else money(state, seat),
        total=None if covered else total(state, seat),
        bot=UNSET if taken.bot is None else taken.bot,
        open=True if taken.name is None else UNSET,
        stand_in=taken.stand_in or UNSET,
        player=taken.player or UNSET,
        remote=RemoteShown(taken.seconds, taken.fallback) if taken.fallback else UNSET,
    )
    return add_members(shown, [shows.seat(state, seat) for shows in ruleset.shows])


def _asks(state: State, viewer: int | None, deadline: str | None) -> tuple[AskShown, ...]:
    """Who is awaited is for everybody, the options are for the seat that is asked."""
    ask = state.ask
    if ask is None:
        return ()
    yours = viewer in ask.awaited
    shown = AskShown(
        ask=ask.id,
        prompt=ask.prompt,
        seats=ask.awaited,
        yours=yours,
        options=legal(state, viewer) if yours and viewer is not None else (),
        deadline=deadline,
        casino=UNSET if ask.number is None else ask.number,
        tile=ask.tile or UNSET,
        answer=_own_answer(state, ask, viewer) or UNSET,
    )
    return (shown,)


def _own_answer(state: State, ask: Ask, viewer: int | None) -> Option | None:
    """While others are still awaited; a view keeps it from everybody else (C2)."""
    for answer in ask.answers:
        choice = answer.choice.value if isinstance(answer.choice, Secret) else answer.choice
        if viewer is not None and answer.seat == viewer and choice is not None:
            return describe_choice(prompt_of(state, ask), state, ask, viewer, choice)
    return None
