"""A form made from an edition's schema takes just the options that a new game takes."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from rules.editions import EDITIONS
from rules.ruleset import OptionSpec, Ruleset
from service.games.schemas import NewGame
from service.games.seating import find_faults
from service.http.openapi.schemas import options_schema
from service.http.problems import Problem
from service.http.requests import load_body
from tests.support.api_client import NAMES, ApiClient
from tests.support.profiles import examples, sample
from tests.support.request_bodies import scalars, texts

every_edition = pytest.mark.parametrize("edition", EDITIONS.newest)
ODD: tuple[Any, ...] = (None, True, 1, 1.0, 1.5, "1", [], ["1"], {})


@cache
def form(edition: str) -> Draft202012Validator:
    return Draft202012Validator(options_schema(EDITIONS.newest[edition]))


def fits(edition: str, players: int, options: dict[str, Any]) -> bool:
    """As a client judges it that knows the schema and its marks, and no rule."""
    properties = form(edition).schema["properties"]
    marks = ((properties[name], value) for name, value in options.items() if name in properties)
    return form(edition).is_valid(options) and all(seatable(mark, value, players) for mark, value in marks)


def seatable(mark: dict[str, Any], value: Any, players: int) -> bool:
    bounds = mark.get("x-players")
    if bounds and value != mark["default"] and not bounds["min"] <= players <= bounds["max"]:
        return False
    return not mark.get("x-seat") or value is None or bool(value < players)


def taken(edition: str, players: int, options: dict[str, Any]) -> bool:
    seats = [{"name": name} for name in NAMES[:players]]
    try:
        read = load_body(NewGame(), {"edition": edition, "options": options, "seats": seats})
    except Problem:
        return False
    return not any(find_faults(edition, players, read["options"]))


def samples(spec: OptionSpec, ruleset: Ruleset) -> list[Any]:
    """Values on both sides of every bound."""
    match spec.kind:
        case "flag":
            return [False, True]
        case "number":
            return [spec.least - 1, spec.least, 2, 3, spec.most, spec.most + 1]
        case "seat":
            return [None, -1, *range(1, ruleset.seats[1] + 1)]
        case "policy":
            return ["random", "greedy", "takeover:greedy", "takeover:", "nobody", "takeover:nobody", ""]
        case "codes":
            return [*lists(spec)]


def lists(spec: OptionSpec) -> Iterator[list[str]]:
    one_of_each = [group[0] for group in spec.either]
    yield from (one_of_each[:count] for count in range(spec.most + 2))
    yield from (list(group) for group in spec.either)
    yield from ([one_of_each[0]] * 2, ["Z9"], [one_of_each[0].lower()])


@every_edition
def test_each_option_alone_is_taken_just_when_it_fits(edition: str) -> None:
    ruleset = EDITIONS.newest[edition]
    for spec in ruleset.options:
        for value, players in product([*samples(spec, ruleset), *ODD], range(2, 7)):
            options = {spec.name: value}
            seated = ruleset.seats[0] <= players <= ruleset.seats[1]
            assert taken(edition, players, options) == (seated and fits(edition, players, options)), options


PAIRS = [
    (edition, one, two)
    for edition, ruleset in EDITIONS.newest.items()
    for one, two in combinations(ruleset.options, 2)
]


@pytest.mark.parametrize(("edition", "one", "two"), sample(PAIRS, 7))
def test_two_options_are_taken_just_when_they_fit(edition: str, one: OptionSpec, two: OptionSpec) -> None:
    ruleset = EDITIONS.newest[edition]
    for values in product(samples(one, ruleset), samples(two, ruleset)):
        for players in ruleset.seats:
            options = dict(zip((one.name, two.name), values, strict=True))
            assert taken(edition, players, options) == fits(edition, players, options), options


@every_edition
def test_some_pairs_of_options_fit_and_some_do_not(edition: str) -> None:
    """Else the test of all pairs would compare nothing."""
    ruleset = EDITIONS.newest[edition]
    found = (
        fits(edition, players, {one.name: first, two.name: second})
        for one, two in combinations(ruleset.options, 2)
        for first, second in product(samples(one, ruleset), samples(two, ruleset))
        for players in ruleset.seats
    )
    assert {True, False} <= set(found)


def any_options(ruleset: Ruleset) -> st.SearchStrategy[dict[str, Any]]:
    odd = scalars | st.lists(texts, max_size=2)
    usual = {spec.name: st.sampled_from(samples(spec, ruleset)) for spec in ruleset.options}
    named = {
        spec.name: st.lists(st.sampled_from(spec.codes), max_size=spec.most + 1)
        for spec in ruleset.options
        if spec.codes
    }
    likely = {**usual, **named}
    strange = st.dictionaries(texts | st.sampled_from(list(usual)), odd, max_size=1)
    whole = st.fixed_dictionaries({}, optional=likely)
    return whole | st.builds(lambda one, two: {**one, **two}, whole, strange)


@every_edition
@given(data=st.data())
@examples(15)
def test_any_options_are_taken_just_when_they_fit(edition: str, data: st.DataObject) -> None:
    ruleset = EDITIONS.newest[edition]
    options = data.draw(any_options(ruleset))
    players = data.draw(st.integers(*ruleset.seats))
    assert taken(edition, players, options) == fits(edition, players, options)


@every_edition
def test_a_form_filled_with_defaults_takes_one_more_wish(api: ApiClient, edition: str) -> None:
    """T2: also where a default is overruled by the wish."""
    ruleset, properties = EDITIONS.newest[edition], form(edition).schema["properties"]
    filled = {name: option["default"] for name, option in properties.items() if "default" in option}
    wishes = [{spec.name: value} for spec in ruleset.options for value in samples(spec, ruleset)]
    for wish in ({}, *(wish for wish in wishes if fits(edition, 4, wish))):
        game = api.create_for(4, edition=edition, options={**filled, **wish})
        assert game.table()["options"].items() >= wish.items()


def test_the_number_of_named_tiles_is_said() -> None:
    """T0, T2: three tiles by default, as many as are named, and no other number beside a list."""
    schema = form("royale").schema
    assert schema["properties"]["tiles"]["default"] == 3
    cases = [case["then"]["properties"] for case in schema["allOf"]]
    fitting = [case["tiles"]["enum"] for case in cases if "tiles" in case]
    assert fitting == [[1, 3], [2, 3], [3], [4, 3], [5, 3], [6, 3]]


def test_the_starter_of_simultaneous_cards_is_said_to_decide_nothing() -> None:
    """C12."""
    texts = {
        edition: form(edition).schema["properties"]["start_seat"]["description"]
        for edition in EDITIONS.newest
    }
    assert [edition for edition, text in texts.items() if "decides nothing" in text] == ["cards"]


@every_edition
def test_every_mark_is_explained_in_the_schema(edition: str) -> None:
    schema = form(edition).schema
    marks = {name for option in schema["properties"].values() for name in option if name.startswith("x-")}
    assert marks
    assert all(f"{mark}:" in schema["$comment"] for mark in marks)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
