"""What an option does, in words: as the standing after it has it, in every edition."""

from __future__ import annotations

import re

import pytest
from msgspec import UNSET

from events.types import OptionValue
from events.values import OWNER
from rules.editions import EDITIONS
from rules.legal import legal
from rules.standings import standing_of
from rules.view import view
from tests.support.bot_games import GREEDY, states_of_game
from workers.tasks.outcomes import find_casino, tell_outcome

TABLES: list[tuple[str, dict[str, OptionValue], int]] = [
    ("classic", {"neutral_dice": True}, 3),
    ("modern", {"bandit": True}, 5),
    ("royale", {"tiles": 6}, 4),
    ("cards", {"sequential": True}, 3),
]


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_what_is_told_is_what_the_rules_find(
    edition: str, options: dict[str, OptionValue], players: int
) -> None:
    told = 0
    for state in states_of_game(edition, options, [GREEDY] * players, 1):
        seat = 0 if state.ask is None else state.ask.awaited[0]
        seen = view(state, seat)
        for option in legal(seen, seat):
            parts = list(tell_outcome(seen, seat, option))
            assert bool(parts) == (option.standing is not UNSET)
            casino = find_casino(seen, seat, option)
            if option.standing is UNSET or casino is None:
                continue
            own = {one.owner: one for one in option.standing}.get(OWNER[seat])
            before = standing_of(seen, EDITIONS.of(seen), casino)
            had = sum(sum(one.notes) for one in before if one.owner == OWNER[seat])
            assert parts[0].startswith("ties you") == (own is not None and own.tied)
            if own is not None and own.notes:
                amount = int(re.sub("[^0-9]", "", re.findall(r"\$[0-9,]+", parts[0])[0]))
                assert amount == sum(own.notes)
                assert ("safer" in parts[0]) == (had == amount)
            told += 1
    assert told
