"""What schemathesis is told beyond the contract: whose token to send, and what no schema can say.

A request that fits its schema may still be refused by a rule of the game, with a code of its own. It may not
be refused for its form: what is enforced stands in the contract, but for what depends on something else.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.request import Request, urlopen

import schemathesis

from tests.support.contract import PlainValidator, contract, validator

FORM = {"invalid_query", "invalid_body", "bad_header"}
# A place that only the service knows, a table that nobody could sit at, a seat that this game does not have,
# an address that no webhook may be sent to, and what is good only with another.
BEYOND_SCHEMAS = re.compile("cursor|min_version|wait|after|to|seat|/seat|/url|/table/.*")
GAME_ID = re.compile("g_[A-Za-z0-9_-]{22}")
# Erased and left again and again: whoever plays is soon somebody else.
SECONDS_AT_A_TABLE = 3
LONGEST_WAIT = 1
_games: list[str] = []


def _post(base: str, path: str, body: object, token: str = "") -> Any:
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    with urlopen(Request(base + path, json.dumps(body).encode(), headers)) as reply:
        return json.load(reply)


@schemathesis.auth(refresh_interval=SECONDS_AT_A_TABLE)
class _Player:
    """Somebody who sits at a table of their own."""

    def get(self, case: Any, context: Any) -> str:
        base = case.operation.base_url.rstrip("/")
        token = str(_post(base, "/v1/players", {"name": "Anna"})["token"])
        seats = [{"player": True}, {"name": "Ben"}]
        _games.append(_post(base, "/v1/games", {"edition": "classic", "seats": seats}, token)["id"])
        return token

    def set(self, case: Any, token: str, context: Any) -> None:
        case.headers["Authorization"] = f"Bearer {token}"


@schemathesis.serializer("application/x-ndjson")
def _write_lines(context: Any, value: Any) -> bytes:
    """A text as it is; whatever else the fuzzer thinks of is one line."""
    return (value if isinstance(value, str) else json.dumps(value, default=str)).encode("utf-8", "replace")


@schemathesis.hook("map_path_parameters")
def _take_a_known_game(context: Any, path_parameters: Any) -> Any:
    """Every other game is one that there is."""
    game = (path_parameters or {}).get("game")
    if _games and isinstance(game, str) and GAME_ID.fullmatch(game) and ord(game[-1]) % 2:
        return {**path_parameters, "game": _games[-1]}
    return path_parameters


@schemathesis.hook("map_query")
def _shorten_waits(context: Any, query: Any) -> Any:
    """What is waited for does not come."""
    if isinstance((query or {}).get("wait"), int) and query["wait"] > LONGEST_WAIT:
        return {**query, "wait": LONGEST_WAIT}
    return query


@schemathesis.check
def _form_is_documented(ctx: Any, response: Any, case: Any) -> None:
    allowed = case.meta is not None and case.meta.generation.mode.is_positive
    if not allowed or response.status_code not in (400, 422):
        return
    problem = json.loads(response.content)
    for fault in problem.get("errors", []) if problem["code"] in FORM else []:
        assert not _fits(case, fault), f"{fault} is refused and fits its schema"


def _fits(case: Any, fault: Any) -> bool:
    """What the fault is about, as the contract sees it."""
    if BEYOND_SCHEMAS.fullmatch(fault.get("parameter") or fault["pointer"]):
        return False
    if "parameter" in fault:
        return _fits_parameter(case, fault["parameter"])
    described = contract()["paths"][case.path][case.method.lower()]
    [content] = described["requestBody"]["content"].values()
    return bool(validator(content["schema"]["$ref"]).is_valid(case.body))


def _fits_parameter(case: Any, name: str) -> bool:
    described = contract()["paths"][case.path][case.method.lower()]["parameters"]
    [schema] = [known["schema"] for known in described if known["name"] == name] or [False]
    value = {**(case.headers or {}), **(case.query or {})}.get(name)
    return bool(PlainValidator(schema).is_valid(value))
