"""Takes what is worth most now, and never gives up its own for nothing."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from rules.legal import choices
from rules.state import State
from workers.bots.outlook import Outlook
from workers.bots.prospect import Prospect


def choose(view: State, seat: int, rng: Random) -> str:
    options = choices(view, seat)
    if len(options) == 1:
        return options[0]
    outlook = Outlook(seat, rng.getrandbits(32), len(options))
    mixture = outlook.mix(view, options)
    if mixture is not None:
        return mixture.draw(rng)
    prospects = {option: outlook.weigh(view, option) for option in options}
    sound = _harmless_options(prospects, outlook.weigh_now(view).own)
    return max(sound, key=lambda option: (prospects[option].worth, rng.random()))


def _harmless_options(prospects: Mapping[str, Prospect], own: float) -> list[str]:
    """Where one answer leaves the seat what it has, none that costs it something, whoever else it hurts."""
    if all(prospect.own != own for prospect in prospects.values()):
        return list(prospects)
    return [option for option, prospect in prospects.items() if prospect.own >= own]
