"""What a viewer may see."""

from __future__ import annotations

from events.secrecy import redact
from rules.state import State


def view(state: State, viewer: int | None) -> State:
    """The state for a seat, or for a spectator (None); where a round or game ends nothing is hidden (S1)."""
    return state if state.status == "over" else redact(state, viewer)
