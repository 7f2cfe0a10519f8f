"""Every edition, by its name."""

from __future__ import annotations

from rules.claims import claim
from rules.editions.cards import CARDS
from rules.editions.classic import CLASSIC
from rules.editions.modern import MODERN
from rules.editions.royale import ROYALE
from rules.ruleset import Ruleset

RULESETS = (CLASSIC, MODERN, ROYALE, CARDS)
EDITIONS: dict[str, Ruleset] = claim((ruleset.id, ruleset) for ruleset in RULESETS)
