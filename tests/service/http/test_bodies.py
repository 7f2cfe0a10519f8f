"""Bodies that are no good: refused with a code that says why, and nothing is stored."""

import json
from io import BytesIO

import pytest
import redis
from werkzeug.test import TestResponse

from service.http.problems import Problem
from service.http.requests import LARGEST_BODY, parse_json
from tests.support.api_client import ApiClient

PLAN = b'{"edition": "classic", "seats": [{"name": "Anna"}, {"name": "Ben"}]}'

BAD_JSON = {
    "only a space": (b" ", "bad_json"),
    "no JSON": (b"edition=classic", "bad_json"),
    "cut off": (PLAN[:-1], "bad_json"),
    "two documents": (PLAN + PLAN, "bad_json"),
    "not UTF-8": (b'{"edition": "\xff"}', "bad_json"),
    "UTF-16": (PLAN.decode().encode("utf-16"), "bad_json"),
    "a byte order mark": (b"\xef\xbb\xbf" + PLAN, "bad_json"),
    "NaN": (b'{"ask": NaN}', "bad_json"),
    "Infinity": (b'{"ask": -Infinity}', "bad_json"),
    "a number beyond all": (b'{"ask": 1e999}', "bad_json"),
    "a number of many digits": (b'{"ask": ' + b"9" * 5_000 + b"}", "bad_json"),
    "deep nesting": (b"[" * 8_000 + b"]" * 8_000, "bad_json"),
    "a control character": (b'{"edition": "a\nb"}', "bad_json"),
    "a key twice": (b'{"edition": "classic", "edition": "modern", "seats": []}', "duplicate_key"),
    "a key twice, deep down": (b'{"edition": "x", "seats": [{"name": "A", "name": "B"}]}', "duplicate_key"),
    "half a surrogate pair": (b'{"edition": "classic", "seats": [{"name": "\\ud800"}]}', "lone_surrogate"),
    "half a surrogate pair as a key": (b'{"\\udfff": 1}', "lone_surrogate"),
}
WRONG_SHAPE = (b"[]", b"1", b"null", b'"text"', b"true", b"{}", b'{"edition": null, "seats": null}')


def problem(reply: TestResponse) -> tuple[int, str]:
    return reply.status_code, json.loads(reply.data)["code"]


@pytest.mark.parametrize(("body", "code"), BAD_JSON.values(), ids=BAD_JSON)
def test_what_is_no_good_json_is_refused_and_nothing_stored(
    api: ApiClient, memory: redis.Redis, body: bytes, code: str
) -> None:
    assert problem(api.post("/v1/games", body)) == (400, code)
    assert not memory.keys()


@pytest.mark.parametrize("body", WRONG_SHAPE)
def test_json_of_another_shape_is_refused_and_nothing_stored(
    api: ApiClient, memory: redis.Redis, body: bytes
) -> None:
    reply = api.post("/v1/games", body)
    assert problem(reply) == (422, "invalid_body")
    assert json.loads(reply.data)["errors"]
    assert not memory.keys()


def test_a_number_of_many_digits_gets_a_word_of_our_own() -> None:
    with pytest.raises(Problem, match=r"a number is too large$"):
        parse_json(b"9" * 5_000)


@pytest.mark.parametrize(
    ("name", "detail"), [("", "1 to 40 characters"), (" ", "visible"), ("\u200b", "U+200B")]
)
def test_a_name_that_is_none_gets_one_fault(api: ApiClient, name: str, detail: str) -> None:
    plan = {"edition": "classic", "seats": [{"name": name}, {"open": True}]}
    (fault,) = api.post("/v1/games", plan).get_json()["errors"]
    assert fault["pointer"] == "/seats/0/name"
    assert detail in fault["detail"]


def test_a_surrogate_pair_that_is_whole_is_a_character() -> None:
    assert parse_json(b'{"name": "\\ud83c\\udfb2"}') == {"name": "🎲"}


def test_a_large_body_is_refused_unread(api: ApiClient, memory: redis.Redis) -> None:
    body = b'{"edition": "classic", "seats": [], "x": "' + b"x" * LARGEST_BODY + b'"}'
    assert problem(api.post("/v1/games", body)) == (413, "too_large")
    assert not memory.keys()


def test_a_body_of_just_the_limit_is_read() -> None:
    text = b'"' + b"x" * (LARGEST_BODY - 2) + b'"'
    assert len(str(parse_json(text))) == LARGEST_BODY - 2


def test_a_chunked_body_is_refused_because_it_could_be_cut(api: ApiClient, memory: redis.Redis) -> None:
    reply = api.client.post(
        "/v1/games",
        input_stream=BytesIO(PLAN),
        content_type="application/json",
        headers={"Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert problem(reply) == (411, "length_required")
    assert not memory.keys()


def test_a_body_shorter_than_it_says_is_refused(api: ApiClient, memory: redis.Redis) -> None:
    reply = api.client.post(
        "/v1/games",
        input_stream=BytesIO(PLAN),
        content_type="application/json",
        environ_overrides={"CONTENT_LENGTH": "5000"},
    )
    assert problem(reply) == (400, "bad_request")
    assert not memory.keys()


@pytest.mark.parametrize(
    "kind",
    [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin-1",
        "x",
        ";",
        "/",
    ],
)
def test_only_json_in_utf8_is_read(api: ApiClient, memory: redis.Redis, kind: str) -> None:
    assert problem(api.post("/v1/games", PLAN, Content_Type=kind)) == (415, "unsupported_media_type")
    assert not memory.keys()


def test_an_empty_body_is_no_json(api: ApiClient) -> None:
    reply = api.client.post(
        "/v1/games", content_type="application/json", environ_overrides={"CONTENT_LENGTH": "0"}
    )
    assert problem(reply) == (400, "bad_json")


def test_a_compressed_body_is_not_read(api: ApiClient) -> None:
    reply = api.post("/v1/games", PLAN, Content_Encoding="gzip")
    assert problem(reply) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    "kind", ["application/json;charset=UTF-8", "Application/JSON", "application/json; x=y"]
)
def test_json_may_be_announced_in_other_words(api: ApiClient, kind: str) -> None:
    assert api.post("/v1/games", PLAN, Content_Type=kind).status_code == 201


def test_a_refusal_never_repeats_what_was_sent() -> None:
    with pytest.raises(Problem) as refusal:
        parse_json(b'{"token": "not-for-others", "token": 1}')
    assert "not-for-others" not in str(refusal.value)


@pytest.mark.parametrize(
    "query",
    [
        *("at=0", "at=-1", "at=abc", "at=9999999999999999999999", "at=1.0", "at=", "at=1&at=1", "at=٣"),
        *("at=%00", "at=+1", "at=1e3", "x=1", "AT=1", "at[]=1", "%FF=1"),
    ],
)
def test_an_odd_query_of_the_table_is_refused(api: ApiClient, query: str) -> None:
    game = api.create_for(2)
    reply = api.get(f"{game.address}?{query}")
    assert problem(reply) == (422, "invalid_query")
    assert all("parameter" in fault for fault in json.loads(reply.data)["errors"])


@pytest.mark.parametrize(
    "query",
    ["after=-1", "limit=0", "limit=1001", "wait=61", "wait=x", "after=99999999999", "after=1&after=2", "x="],
)
def test_an_odd_query_of_the_log_is_refused(api: ApiClient, query: str) -> None:
    game = api.create_for(2)
    assert problem(api.get(f"{game.address}/events?{query}")) == (422, "invalid_query")


@pytest.mark.parametrize(
    "query", ["cursor=garbage", "cursor=", "cursor=%00", "limit=101", "status=none", "edition=", "cursor=fHw"]
)
def test_an_odd_query_of_the_lobby_is_refused(api: ApiClient, query: str) -> None:
    assert problem(api.get(f"/v1/games?{query}")) == (422, "invalid_query")


@pytest.mark.parametrize("address", ["/v1/games", "/v1/editions", "/v1/bots"])
def test_an_unknown_parameter_is_refused_by_name(api: ApiClient, address: str) -> None:
    reply = api.get(f"{address}?limt=3")
    assert problem(reply) == (422, "invalid_query")
    assert json.loads(reply.data)["errors"][0]["parameter"] == "limt"
    assert "`limt` is not known here;" in json.loads(reply.data)["detail"]


@pytest.mark.parametrize(
    ("method", "address"),
    [("DELETE", "/v1/games"), ("POST", "/v1/bots"), ("PUT", "/livez"), ("PATCH", "/docs")],
)
def test_a_method_that_is_not_there_is_answered_with_those_that_are(
    api: ApiClient, method: str, address: str
) -> None:
    reply = api.client.open(address, method=method)
    assert problem(reply) == (405, "method_not_allowed")
    assert "GET" in reply.headers["Allow"]


@pytest.mark.parametrize(
    "address", ["/page", "/docs/", "/v1/", "/v1/games/", "//v1/games", "/v2/games", "/v1/advices"]
)
def test_an_address_that_is_not_there_is_a_problem_too(api: ApiClient, address: str) -> None:
    assert api.client.get(address).status_code == 404
