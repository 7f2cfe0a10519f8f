"""Why a game is closed from outside: nobody came, or nobody is heard of any more."""

from __future__ import annotations

from rules.rejection import Reason, Rejected
from rules.state import State

NOT_FILLED, ABANDONED = "not_filled", "abandoned"


def check_closing(state: State, reason: str) -> None:
    """A table that never filled (W2), or one that waits for somebody (W3): no other. Raises Rejected."""
    if state.status == "lobby" and reason != NOT_FILLED:
        raise Rejected(
            Reason.NOT_STARTED, f"a game that has not started is closed as {NOT_FILLED}", rule="W2"
        )
    if state.status == "playing" and reason != ABANDONED:
        raise Rejected(Reason.ALREADY_STARTED, f"a game in play is closed as {ABANDONED}", rule="W3")
    if state.status == "playing" and not state.people_asked:
        raise Rejected(Reason.NOT_ASKED, "nobody is asked who could have left the game", rule="W3")
