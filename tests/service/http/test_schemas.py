"""What marshmallow takes is what the contract promises to take, no more and no less."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import Schema, ValidationError

from events.values import MOST_SEATS
from rules.editions import EDITIONS
from service.games.schemas import FEWEST_SEATS, Choice, NewGame, SitDown
from tests.support.contract import PlainValidator, contract
from tests.support.profiles import examples
from tests.support.request_bodies import ODD_NUMBERS, ODD_TEXTS, REQUEST_BODIES

SCHEMAS: dict[str, Schema] = {"NewGame": NewGame(), "SitDown": SitDown(), "Choice": Choice()}


def taken(name: str, document: Any) -> bool:
    """By its schema and, where the contract says what only the rules know, by those."""
    try:
        SCHEMAS[name].load(document)
    except ValidationError:
        return False
    return name != "NewGame" or (
        document["edition"] in EDITIONS.newest and FEWEST_SEATS <= len(document["seats"]) <= MOST_SEATS
    )


def promised(name: str, document: Any) -> bool:
    components = contract()["components"]
    ref = {"$ref": f"#/components/schemas/{name}", "components": components}
    return bool(PlainValidator(ref).is_valid(document))


@pytest.mark.parametrize("name", SCHEMAS)
@given(data=st.data())
@examples(30)
def test_a_body_is_taken_just_when_its_json_schema_takes_it(name: str, data: st.DataObject) -> None:
    document = data.draw(REQUEST_BODIES[name])
    assert taken(name, document) == promised(name, document), json.dumps(document)


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_every_odd_text_is_judged_alike_as_a_name_and_as_entropy(text: str) -> None:
    for document in ({"name": text}, {"name": "Ben", "entropy": text}):
        assert taken("SitDown", document) == promised("SitDown", document)


@pytest.mark.parametrize("number", ODD_NUMBERS)
def test_every_odd_number_is_judged_alike(number: float) -> None:
    document = {"ask": number, "choice": "x"}
    assert taken("Choice", document) == promised("Choice", document)
    document = {"edition": "classic", "seats": [{"open": True}] * 2, "options": {"x": number}}
    assert taken("NewGame", document) == promised("NewGame", document)


def test_the_usual_bodies_are_taken() -> None:
    seats = [{"name": "Anna", "entropy": ""}, {"bot": "greedy"}, {"open": True}]
    assert taken("NewGame", {"edition": "classic", "options": {"a": [], "b": None}, "seats": seats})
    assert taken("SitDown", {"name": "Ben", "seat": 1.0})
    assert taken("Choice", {"ask": 9, "choice": "play-2-5d"})
