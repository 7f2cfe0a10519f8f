"""Every edition that is shipped."""

from __future__ import annotations

from rules.editions.cards import CARDS
from rules.editions.classic import CLASSIC
from rules.editions.modern import MODERN
from rules.editions.royale import ROYALE
from rules.releases import Editions

EDITIONS = Editions(CLASSIC, MODERN, ROYALE, CARDS)
