"""What casinos are called."""

from __future__ import annotations

import pytest

from rules.editions import EDITIONS
from rules.ruleset import Ruleset


@pytest.mark.parametrize("ruleset", EDITIONS.newest.values(), ids=lambda ruleset: ruleset.id)
def test_every_casino_has_a_name_to_call_it_by(ruleset: Ruleset) -> None:
    """001 and 000 name some casinos; where a book is silent, the number is the name."""
    unnamed = [name for name in ruleset.casinos if name.isdecimal()]
    assert all(ruleset.casinos)
    assert unnamed == [str(number) for number, name in enumerate(ruleset.casinos, 1) if name in unnamed]
