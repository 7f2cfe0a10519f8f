"""Refusals: each has a code that is explained, the id of its request, and a word on what to do."""

from typing import Any

import pytest

from service.http.problems import CODES, PROBLEM_TEXTS
from tests.support.api_client import ApiClient


def test_every_code_is_explained() -> None:
    assert {*PROBLEM_TEXTS} == {*CODES}
    assert all(text.meaning.endswith(".") and text.remedy.endswith(".") for text in PROBLEM_TEXTS.values())


@pytest.mark.parametrize("code", CODES)
def test_a_code_says_what_it_means_and_what_to_do(api: ApiClient, code: str) -> None:
    explained = api.get(f"/v1/problems/{code}").get_json()
    assert (explained["code"], explained["status"]) == (code, CODES[code])
    assert explained["example"]["code"] == code
    assert explained["example"]["doc"] == f"/v1/problems/{code}"
    assert explained in api.get("/v1/problems").get_json()["problems"]


def test_a_code_that_nobody_gives_is_not_found(api: ApiClient) -> None:
    reply = api.get("/v1/problems/nonsense")
    assert (reply.status_code, reply.get_json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("address", ["/nowhere", "/v1/games?limit=x", "/v1/games/g_1", "/v1/games/g_1/audit"])
def test_a_refusal_says_which_request_it_is_about_and_where_it_is_explained(
    api: ApiClient, address: str
) -> None:
    reply = api.get(address, X_Request_ID="Mine/7")
    problem: dict[str, Any] = reply.get_json()
    assert problem["request_id"] == reply.headers["X-Request-ID"] == "Mine/7"
    assert api.get(problem["doc"]).get_json()["code"] == problem["code"]
