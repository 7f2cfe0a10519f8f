"""What holds at every commit of every game that any edition and its options allow."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.editions import RULESETS
from rules.ruleset import Ruleset
from tests.laws.laws import describes, replays
from tests.laws.moves import moves
from tests.laws.plans import plans, seeds


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
@settings(max_examples=10, deadline=None)
@given(data=st.data(), seed=seeds)
def test_replaying_a_game_leads_to_the_same_table(ruleset: Ruleset, data: st.DataObject, seed: int) -> None:
    """Folding the events of each commit again, with every answer worded for its seat."""
    *game, last = moves(data.draw(plans(ruleset)), seed)
    for move in (*game, last):
        replays(move)
        describes(move.after)
    assert last.after.status == "over"
