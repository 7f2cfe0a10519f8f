"""Every edition, by its name."""

from __future__ import annotations

from rules.editions.classic import CLASSIC
from rules.ruleset import Ruleset

RULESETS = (CLASSIC,)
EDITIONS: dict[str, Ruleset] = {ruleset.id: ruleset for ruleset in RULESETS}
