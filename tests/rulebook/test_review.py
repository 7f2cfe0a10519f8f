"""What a second reading of the books and rulings found wrong."""

from __future__ import annotations

import pytest

from events.types import OptionValue
from rules.editions import RULESETS
from rules.rejection import Reason, Rejected
from rules.ruleset import Ruleset
from tests.rulebook.positions import new_game


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_every_casino_has_a_name_to_call_it_by(ruleset: Ruleset) -> None:
    """001 and 000 name some casinos; where a book is silent, the number is the name."""
    unnamed = [name for name in ruleset.casinos if name.isdecimal()]
    assert all(ruleset.casinos)
    assert unnamed == [str(number) for number, name in enumerate(ruleset.casinos, 1) if name in unnamed]


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [("start_seat", 2, "P2"), ("hide_money", 1, "M8"), ("turn_seconds", -1, "W1")],
)
@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_a_refused_option_names_the_ruling_it_rests_on(
    ruleset: Ruleset, name: str, value: OptionValue, rule: str
) -> None:
    """P2, M8, W1."""
    with pytest.raises(Rejected) as refusal:
        new_game(ruleset.id, 2, {name: value})
    assert (refusal.value.reason, refusal.value.rule) == (Reason.BAD_OPTION, rule)
