"""What a viewer may see."""

from __future__ import annotations

from events.secrecy import redact
from rules.state import State


def view(state: State, viewer: int | None) -> State:
    """The state for a seat, or for a spectator (None); the end of a round leaves nothing to hide (S1)."""
    return redact(state, viewer)
