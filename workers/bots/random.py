"""Any legal answer, each as likely as the next."""

from __future__ import annotations

from random import Random

from rules.legal import choices
from rules.state import State


def choose(view: State, seat: int, rng: Random) -> str:
    return rng.choice(choices(view, seat))
