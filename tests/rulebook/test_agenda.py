"""What the agenda of a game can carry."""

from __future__ import annotations

import pytest

from events.agenda import Step
from tests.rulebook.positions import new_game, worked


@pytest.mark.parametrize("step", [Step("payout.casino"), Step("tile", seat=0), Step("tile", number=1)])
def test_a_step_without_its_seat_or_casino_is_a_fault(step: Step) -> None:
    """It must not pass for one about seat 0, or about no casino at all."""
    with pytest.raises(ValueError, match="names no"):
        worked(new_game("royale", 3), step)
