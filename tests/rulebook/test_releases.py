"""Which rules a game is played by."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rules.editions import EDITIONS
from rules.releases import Editions, UnknownRules
from tests.support.positions import new_game

(CLASSIC, *_) = (ruleset for ruleset in EDITIONS.releases if ruleset.id == "classic")
SECOND = replace(CLASSIC, release=2, title="the same again")
BOTH = Editions((CLASSIC, SECOND), (replace(CLASSIC, id="copy"),))
GAME = replace(new_game("classic", 3), release="1")


def test_a_game_is_looked_up_by_edition_and_release_each_time() -> None:
    """Also where the one looked at before had the very same options."""
    looked_up = [BOTH.of(state) for state in (GAME, replace(GAME, release="2"), GAME, GAME)]
    assert [ruleset.release for ruleset in looked_up] == [1, 2, 1, 1]
    assert BOTH.of(replace(GAME, edition="copy")).id == "copy"


def test_what_is_not_known_is_not_known_after_a_look_at_what_is() -> None:
    BOTH.of(GAME)
    for stranger in (
        replace(GAME, release="3"),
        replace(GAME, edition="other"),
        replace(GAME, options={**GAME.options, "unheard_of": True}),
        replace(GAME, tile_box=("Z9",)),
    ):
        with pytest.raises(UnknownRules):
            BOTH.of(stranger)
        assert BOTH.of(GAME) is CLASSIC
