"""Every level of bot, by its name: each is the function `choose` of the module that is called like it."""

from __future__ import annotations

from importlib import import_module

from service.play.bot_levels import BOT_NAMES
from workers.bots.bot import Bot


def load_bot(name: str) -> Bot:
    """Fails for a level that is on offer but has no module, or a module without `choose`."""
    bot: Bot = import_module(f"workers.bots.{name}").choose
    return bot


BOTS: dict[str, Bot] = {name: load_bot(name) for name in BOT_NAMES}
