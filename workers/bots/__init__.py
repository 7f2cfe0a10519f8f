"""Lists the levels of bots by name, from the weakest to the strongest.

Each level is the module of its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from service.catalog.bots import BOT_NAMES
from workers.bots.protocol import Level


def load_bot(name: str) -> Level:
    """Load the level of this name from the module `workers.bots.<name>`.

    Raises ImportError without such a module, and AttributeError if it lacks BUILD, BUDGET or `decide`.
    """
    module = import_module(f"workers.bots.{name}")
    return Level(name, module.BUILD, module.BUDGET, module.decide)


BOTS: Mapping[str, Level] = {name: load_bot(name) for name in BOT_NAMES}
