"""Small bodies that would take much work: refused soon, with a short reply."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import pytest
from flask.testing import FlaskClient
from marshmallow import Schema, ValidationError, fields, missing

from rules.prompt import Option
from service.analysis.schemas import SentCasino, SentSeat, SentTable
from service.games.schemas import MOST_OPTIONS
from service.http.bounds import MOST_MEMBERS, MOST_OBJECTS, MOST_VALUES, find_oversize
from service.http.fields import Items, Lenient, StrictInt, limit_faults
from service.http.headers import LONGEST_PARSED
from service.http.operation import Operation
from service.http.problems import LARGEST_PROBLEM, MOST_ERRORS, Fault, Problem, to_response
from service.http.requests import load_body
from tests.support.api_client import ApiClient
from tests.support.app import open_app, open_memory
from tests.support.dear_bodies import Caller, count_calls, dear_bodies, operations_with_bodies
from tests.support.sent_tables import sent_tables, spoil, wooden_table

# Some two milliseconds. To parse 16 KiB of empty objects takes 16,500.
MOST_CALLS = 20_000
TRIED = 40
OPERATIONS = operations_with_bodies()


@pytest.fixture(scope="module")
def caller() -> Iterator[Caller]:
    with open_memory() as memory, open_app(memory) as app:
        # The usual client of the tests holds every reply to the contract, which is more work than the reply.
        app.test_client_class = FlaskClient
        yield Caller(app.test_client(), memory)


def check_refusals(caller: Caller, operation: Operation, most: int) -> None:
    bodies = [*dear_bodies(operation.body)] if operation.body else []
    random.Random(operation.id).shuffle(bodies)
    for name, make in bodies[:most]:
        body = make()
        reply, calls = count_calls(partial(caller.send, operation, body))
        assert reply.status_code < 500, name
        if reply.status_code >= 400:
            assert len(reply.data) <= LARGEST_PROBLEM, name
            assert len(json.loads(reply.data).get("errors", ())) <= MOST_ERRORS, name
            assert calls <= MOST_CALLS, name


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_no_refusal_is_large_or_takes_much_work(caller: Caller, operation: Operation) -> None:
    check_refusals(caller, operation, TRIED)


@pytest.mark.long
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_no_refusal_of_all_bodies_is_large_or_takes_much_work(caller: Caller, operation: Operation) -> None:
    check_refusals(caller, operation, 1_000_000)


def errors_of(api: ApiClient, address: str, body: Any) -> tuple[list[dict[str, str]], int]:
    reply = api.post(address, body)
    assert reply.status_code == 422, reply.data
    problem = reply.get_json()
    return problem["errors"], problem.get("more", 0)


def test_a_list_that_is_too_long_is_one_fault_and_its_items_are_not_loaded(api: ApiClient) -> None:
    table = {**wooden_table(), "casinos": [{"number": 1, "dice": [{}] * 4_000}]}
    (fault,), more = errors_of(api, "/v1/advice", {"table": table, "seat": 0})
    assert fault["pointer"] == "/table/casinos/0/dice"
    assert fault["detail"] == "`table.casinos[0].dice` must have at most 60 items, not 4000."
    assert more == 0


@pytest.mark.parametrize(
    ("member", "pointer", "most"),
    [
        ({f"x{number}": 0 for number in range(1_000)}, "", MOST_MEMBERS),
        ({"options": {f"x{number}": 0 for number in range(40)}}, "/options", MOST_OPTIONS),
        ({"seats": [{"open": True}] * 21}, "/seats", 20),
        ({"seats": [{f"x{number}": 0 for number in range(65)}]}, "/seats/0", MOST_MEMBERS),
    ],
    ids=["body", "options", "seats", "seat"],
)
def test_too_many_members_or_items_are_one_fault(
    api: ApiClient, member: dict[str, Any], pointer: str, most: int
) -> None:
    plan = {"edition": "classic", "seats": [{"open": True}, {"open": True}]}
    (fault,), _ = errors_of(api, "/v1/games", {**plan, **member})
    assert fault["pointer"] == pointer
    assert fault["detail"].find(f"must have at most {most} ") > 0


def test_a_body_has_so_many_objects_at_most(api: ApiClient) -> None:
    table = wooden_table()
    for casino in table["casinos"]:
        casino["dice"] = [{"owner": "seat-0", "small": 1}] * 30
    (fault,), _ = errors_of(api, "/v1/advice", {"table": table, "seat": 0})
    assert fault["pointer"] == ""
    assert fault["detail"].startswith(f"The body must have at most {MOST_OBJECTS} objects in all,")


def test_what_no_schema_describes_has_so_many_values_at_most(api: ApiClient) -> None:
    table = wooden_table()
    table["casinos"][0]["tile"] = {"code": "A1", "shows": {"jackpot": [[0] * 50] * 20}}
    (fault,), _ = errors_of(api, "/v1/advice", {"table": table, "seat": 0})
    assert fault["pointer"] == "/table/casinos/0/tile/shows/jackpot"
    assert fault["detail"].find(f"must have at most {MOST_VALUES} values,") > 0


def test_twenty_faults_are_told_and_the_others_counted(api: ApiClient) -> None:
    table = {**wooden_table(), "under": [""] * 50}
    errors, more = errors_of(api, "/v1/advice", {"table": table, "seat": 0, "extra": 1})
    assert len(errors) == MOST_ERRORS
    assert len(errors) + more == 51


def test_twenty_unknown_members_are_told_and_the_others_counted(api: ApiClient) -> None:
    body = {"name": "Anna", **{f"x{number}": 0 for number in range(50)}}
    errors, more = errors_of(api, "/v1/players", body)
    assert (len(errors), more) == (MOST_ERRORS, 30)


def test_twenty_faults_of_the_rules_are_told_and_the_others_counted(api: ApiClient) -> None:
    table = wooden_table()
    for seat in table["seats"]:
        seat["chip_cards"] = ["red"] * 10
    errors, more = errors_of(api, "/v1/advice", {"table": table, "seat": 0})
    assert (len(errors), more) == (MOST_ERRORS, 10)


def test_unknown_parameters_are_told_up_to_twenty(api: ApiClient) -> None:
    query = "&".join(f"x{number}=1" for number in range(30))
    problem = api.get(f"/v1/games?{query}").get_json()
    assert (len(problem["errors"]), problem["more"]) == (MOST_ERRORS, 10)


def test_a_query_has_so_many_parameters_at_most(api: ApiClient) -> None:
    query = "&".join(f"x{number}=1" for number in range(500))
    (fault,) = api.get(f"/v1/games?{query}").get_json()["errors"]
    assert fault["detail"] == f"At most {MOST_MEMBERS} parameters are allowed."


def test_a_text_that_is_too_long_is_not_searched_for_wrong_characters(api: ApiClient) -> None:
    (fault,), _ = errors_of(api, "/v1/players", {"name": "\u202e" * 1_000})
    assert fault["detail"] == "`name` must have 1 to 40 characters."


def _with(field: fields.Field[Any]) -> Schema:
    return Schema.from_dict({"field": field})()


@pytest.mark.parametrize("field", [fields.List(StrictInt(0)), fields.Dict()], ids=["list", "mapping"])
def test_a_body_without_bounds_cannot_be_declared(field: fields.Field[Any]) -> None:
    with pytest.raises(TypeError, match="no greatest length"):
        find_oversize(_with(field), {})


def test_whole_numbers_of_json_are_loaded_fast_and_slowly_alike() -> None:
    schema = _with(Items(StrictInt(0, 9), 10))
    assert load_body(schema, {"field": [1, 2.0]}) == {"field": [1, 2]}


@pytest.mark.parametrize(("edition", "options"), [("royale", {"tiles": 6}), ("cards", {}), ("classic", {})])
def test_what_fits_is_loaded_as_marshmallow_loads_it(edition: str, options: dict[str, Any]) -> None:
    chance = random.Random(1)
    schemas: dict[str, Lenient] = {"casinos": SentCasino(), "seats": SentSeat()}
    verdicts = set()
    for sent in islice(sent_tables(edition, options, 3, 1), 0, 60, 10):
        for table in (sent.table, *(spoil(sent.table, chance) for _ in range(20))):
            verdicts.add(_compare(SentTable(), table))
            for name, schema in schemas.items():
                found = table.get(name)
                items = found if isinstance(found, list) else []
                verdicts.update(_compare(schema, item) for item in items)
    assert verdicts == {True, False}


def _compare(schema: Lenient, value: Any) -> bool:
    """Whether the value fits, on which both ways must agree."""
    plain = schema.load_plain(value)
    with limit_faults():
        try:
            assert Schema.load(schema, value) == plain
        except ValidationError:
            assert plain is missing
    return plain is not missing


def test_long_texts_of_a_caller_are_cut_in_the_reply() -> None:
    faults = [Fault("\x01" * 5_000, "/" + "\x01" * 5_000)] * 30
    reply = to_response(Problem("invalid_body", "\x01" * 5_000, errors=faults))
    problem = json.loads(reply.get_data())
    assert len(reply.get_data()) <= LARGEST_PROBLEM
    assert 0 < len(problem["errors"]) < MOST_ERRORS
    assert len(problem["errors"]) + problem["more"] == 30


def test_options_that_make_a_refusal_too_large_are_left_out_and_counted() -> None:
    options = [Option(f"choice-{number}", "x" * 80, None) for number in range(200)]
    reply = to_response(Problem("illegal_choice", "no", options=options))
    problem = json.loads(reply.get_data())
    assert len(reply.get_data()) <= LARGEST_PROBLEM
    assert len(problem["options"]) + problem["more_options"] == 200


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("Accept", ",".join(["a/b;q=0.5"] * 800), 406),
        ("Accept-Encoding", ",".join(["gzip;q=0.1"] * 700), 200),
        ("Accept", "application/x-ndjson, */*;q=0.1", 200),
    ],
    ids=["media types", "encodings", "usual"],
)
def test_long_headers_are_not_parsed(api: ApiClient, name: str, value: str, status: int) -> None:
    game = api.create_for(2)
    reply, calls = count_calls(partial(api.get, f"{game.address}/events", **{name: value}))
    assert reply.status_code == status
    if len(value) > LONGEST_PARSED:
        _, usual = count_calls(partial(api.get, f"{game.address}/events"))
        assert calls < usual + 2_000


def test_a_long_content_type_is_refused(api: ApiClient) -> None:
    reply = api.post("/v1/players", {"name": "Anna"}, Content_Type="application/json;" + "a=b;" * 1_000)
    assert (reply.status_code, reply.get_json()["code"]) == (415, "unsupported_media_type")
