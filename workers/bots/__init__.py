"""Every level of bot, by its name."""

from __future__ import annotations

from workers.bots import greedy, random_bot
from workers.bots.bot import Bot

BOTS: dict[str, Bot] = {"random": random_bot.choose, "greedy": greedy.choose}
