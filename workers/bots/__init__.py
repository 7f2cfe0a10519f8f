"""Every level of bot, by its name and from the weakest: what the module that is called like it decides."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from service.catalog.bots import BOT_NAMES
from workers.bots.protocol import Level


def load_bot(name: str) -> Level:
    """Fails for a level that is on offer but has no module, or a module that does not decide."""
    module = import_module(f"workers.bots.{name}")
    return Level(name, module.BUILD, module.BUDGET, module.decide)


BOTS: Mapping[str, Level] = {name: load_bot(name) for name in BOT_NAMES}
