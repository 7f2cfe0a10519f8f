"""Golden playthroughs: the files tell what the rules do today, and none is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest
from msgspec.structs import replace

from events.types import OptionValue
from events.values import NEUTRAL
from rules.editions import EDITIONS
from rules.errors import Rejected
from rules.options import complete_options
from rules.releases import Editions
from rules.ruleset import OptionSpec, Ruleset
from tests.playthroughs.plays import PLAYS, Play
from tests.playthroughs.story import Story, repeat_story, shows_all
from tests.playthroughs.write import FOLDER

by_edition = pytest.mark.parametrize(
    "ruleset", EDITIONS.newest.values(), ids=[ruleset.id for ruleset in EDITIONS.newest.values()]
)
_plays = {play.name: play for play in PLAYS}


WRITE = "run `python -m tests.playthroughs.write` and read the diff"


def golden(name: str) -> str:
    path = FOLDER / f"{name}.txt"
    assert path.exists(), WRITE
    return path.read_text()


@cache
def story_of(name: str) -> Story:
    return repeat_story(_plays[name], golden(name))


def plays_of(ruleset: Ruleset) -> list[Play]:
    return [play for play in PLAYS if play.edition == ruleset.id]


@pytest.mark.parametrize("name", _plays)
def test_the_playthrough_is_what_the_rules_do(name: str) -> None:
    """The diff of the file is the diff of the rules."""
    assert story_of(name).text == golden(name), WRITE
    assert shows_all(_plays[name], story_of(name))


OLDER = [ruleset for ruleset in EDITIONS.releases if ruleset is not EDITIONS.newest[ruleset.id]]


def older_golden(play: Play, ruleset: Ruleset) -> str:
    """A play as an older release told it: in a file of its own, or as today where nothing differs."""
    own = FOLDER / f"release-{ruleset.release}" / f"{play.name}.txt"
    return own.read_text() if own.exists() else golden(play.name)


@pytest.mark.parametrize("ruleset", OLDER, ids=lambda ruleset: f"{ruleset.id}-{ruleset.release}")
def test_the_playthroughs_of_an_older_release_stay_as_they_were(ruleset: Ruleset) -> None:
    """Before a new release changes a file, the file is copied; the copy is never written again."""
    for play in plays_of(ruleset):
        text = older_golden(play, ruleset)
        told = repeat_story(with_options_of(play, text), text, Editions((ruleset,))).text
        assert facts(told) == facts(text)


def test_a_copy_is_kept_only_where_an_older_release_tells_another_story() -> None:
    copies = [path for ruleset in OLDER for path in FOLDER.glob(f"release-{ruleset.release}/*.txt")]
    assert [path for path in copies if path.read_text() == golden(path.stem)] == []


def with_options_of(play: Play, text: str) -> Play:
    """Options that were added since were not agreed on then."""
    agreed = next((line for line in text.splitlines() if line.startswith("Options: ")), "")
    return replace(
        play, options={name: value for name, value in play.options.items() if f" {name} " in agreed}
    )


def facts(text: str) -> str:
    """Without the words of the labels, which may be mended for all releases; the choices stand at the end."""
    return re.sub(r"^( *seat \d chooses[^:]*): .*$", r"\1", text, flags=re.MULTILINE)


def test_no_playthrough_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(_plays)


@by_edition
def test_every_edition_is_told_to_its_end_as_it_comes(ruleset: Ruleset) -> None:
    assert any(not play.options and not play.last_round for play in plays_of(ruleset))


@by_edition
def test_every_edition_is_told_with_its_fewest_and_its_most_players(ruleset: Ruleset) -> None:
    assert set(ruleset.seats) <= {play.players for play in plays_of(ruleset)}


@by_edition
def test_every_option_is_told(ruleset: Ruleset) -> None:
    def uses(play: Play, spec: OptionSpec) -> bool:
        return bool(play.options.get(spec.name, spec.default) != spec.default)

    told_of = {spec.name for spec in ruleset.options for play in plays_of(ruleset) if uses(play, spec)}
    assert told_of == {spec.name for spec in ruleset.options}


@by_edition
def test_every_tile_is_told(ruleset: Ruleset) -> None:
    forced = {code for play in plays_of(ruleset) for code in play.options.get("tile_codes", ())[:1]}
    assert forced == set(ruleset.tiles)


@by_edition
def test_neutral_dice_are_told_for_every_number_of_players(ruleset: Ruleset) -> None:
    """They come in another number each time."""
    shown = [(play.players, play.options.items()) for play in plays_of(ruleset)]
    for players, options in with_neutral_dice(ruleset):
        assert any(count == players and options.items() <= told_of for count, told_of in shown), options


def with_neutral_dice(ruleset: Ruleset) -> Iterator[tuple[int, dict[str, OptionValue]]]:
    least, most = ruleset.seats
    flags: list[dict[str, OptionValue]] = [
        {spec.name: True} for spec in ruleset.options if spec.kind == "flag" and not spec.default
    ]
    for players in range(least, most + 1):
        for given in ({}, *flags):
            try:
                lots = ruleset.dice(players, complete_options(ruleset, players, given))
            except Rejected:
                continue
            if any(lot.owner == NEUTRAL for lot in lots):
                yield players, given


@by_edition
def test_every_ask_of_an_edition_comes_up(ruleset: Ruleset) -> None:
    asked = {prompt for play in plays_of(ruleset) for prompt in story_of(play.name).asked}
    assert asked == set(ruleset.prompts)
