"""What marshmallow takes is what the contract promises to take, no more and no less."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from marshmallow import Schema, ValidationError

from service.api.schemas import Choice, NewGame, SitDown
from tests.service.contract import contract
from tests.service.documents import DOCUMENTS, ODD_NUMBERS, ODD_TEXTS

BODIES: dict[str, Schema] = {"NewGame": NewGame(), "SitDown": SitDown(), "Choice": Choice()}


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


@pytest.mark.parametrize("name", BODIES)
@given(data=st.data())
@settings(max_examples=250)
def test_a_body_is_taken_just_when_its_json_schema_takes_it(name: str, data: st.DataObject) -> None:
    document = data.draw(DOCUMENTS[name])
    assert taken(BODIES[name], document) == promised(name, document), json.dumps(document)


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_every_odd_text_is_judged_alike_as_a_name_and_as_entropy(text: str) -> None:
    for document in ({"name": text}, {"name": "Ben", "entropy": text}):
        assert taken(BODIES["SitDown"], document) == promised("SitDown", document)


@pytest.mark.parametrize("number", ODD_NUMBERS)
def test_every_odd_number_is_judged_alike(number: float) -> None:
    document = {"ask": number, "choice": "x"}
    assert taken(BODIES["Choice"], document) == promised("Choice", document)
    document = {"edition": "classic", "seats": [], "options": {"x": number}}
    assert taken(BODIES["NewGame"], document) == promised("NewGame", document)


def test_the_usual_bodies_are_taken() -> None:
    seats = [{"name": "Anna", "entropy": ""}, {"bot": "greedy"}, {"open": True}]
    assert taken(BODIES["NewGame"], {"edition": "classic", "options": {"a": [], "b": None}, "seats": seats})
    assert taken(BODIES["SitDown"], {"name": "Ben", "seat": 1.0})
    assert taken(BODIES["Choice"], {"ask": 9, "choice": "play-2-5d"})
