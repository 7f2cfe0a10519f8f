"""What marshmallow takes is what the contract promises to take, no more and no less."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from marshmallow import Schema, ValidationError

from service.api.schemas import Choice, NewGame, SitDown
from tests.support.contract import contract
from tests.support.request_bodies import ODD_NUMBERS, ODD_TEXTS, REQUEST_BODIES

SCHEMAS: dict[str, Schema] = {"NewGame": NewGame(), "SitDown": SitDown(), "Choice": Choice()}


def taken(schema: Schema, document: Any) -> bool:
    try:
        schema.load(document)
    except ValidationError:
        return False
    return True


def promised(name: str, document: Any) -> bool:
    components = contract()["components"]
    ref = {"$ref": f"#/components/schemas/{name}", "components": components}
    return bool(Draft202012Validator(ref).is_valid(document))


@pytest.mark.parametrize("name", SCHEMAS)
@given(data=st.data())
@settings(max_examples=250)
def test_a_body_is_taken_just_when_its_json_schema_takes_it(name: str, data: st.DataObject) -> None:
    document = data.draw(REQUEST_BODIES[name])
    assert taken(SCHEMAS[name], document) == promised(name, document), json.dumps(document)


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_every_odd_text_is_judged_alike_as_a_name_and_as_entropy(text: str) -> None:
    for document in ({"name": text}, {"name": "Ben", "entropy": text}):
        assert taken(SCHEMAS["SitDown"], document) == promised("SitDown", document)


@pytest.mark.parametrize("number", ODD_NUMBERS)
def test_every_odd_number_is_judged_alike(number: float) -> None:
    document = {"ask": number, "choice": "x"}
    assert taken(SCHEMAS["Choice"], document) == promised("Choice", document)
    document = {"edition": "classic", "seats": [], "options": {"x": number}}
    assert taken(SCHEMAS["NewGame"], document) == promised("NewGame", document)


def test_the_usual_bodies_are_taken() -> None:
    seats = [{"name": "Anna", "entropy": ""}, {"bot": "greedy"}, {"open": True}]
    assert taken(SCHEMAS["NewGame"], {"edition": "classic", "options": {"a": [], "b": None}, "seats": seats})
    assert taken(SCHEMAS["SitDown"], {"name": "Ben", "seat": 1.0})
    assert taken(SCHEMAS["Choice"], {"ask": 9, "choice": "play-2-5d"})
