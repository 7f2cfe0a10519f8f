"""The data folder of an earlier version, served by this one: every game as it was left, and played on."""

from __future__ import annotations

import gzip
import json
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

from events.archive import object_name
from events.redis import connect
from events.redis_store import RedisStore
from service.fairness.export_file import read_export
from service.fairness.verify import verify
from service.ops.redis_server import RedisServer, find_running_url
from tests.stored.stored_games import FOLDER
from tests.support.http_client import HttpPlayer, HttpService, SeatedGame
from tests.support.profiles import sample
from tests.support.service_process import free_port, run_api, run_service
from tests.support.waiting import wait_until

FOUND = json.loads((FOLDER / "data-0.1.0.json").read_text())["games"]
by_game = pytest.mark.parametrize("found", FOUND, ids=lambda found: found["name"])
# Words for people may be mended; what they stand for may not change.
WORDS = ("label", "text")


def unpack_data(folder: Path) -> Path:
    with tarfile.open(FOLDER / "data-0.1.0.tar.gz") as stored:
        stored.extractall(folder, filter="data")
    return folder / "data"


@contextmanager
def serve_stored(folder: Path) -> Iterator[HttpService]:
    # However long ago these games were left, none of them is closed for that.
    with run_service(unpack_data(folder), LOBBY_HOURS="0", ABANDON_HOURS="0") as (base, _):
        yield HttpService(base)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpService]:
    """Nobody plays on here: the games stay as they were left."""
    with serve_stored(tmp_path_factory.mktemp("earlier")) as service:
        yield service


@pytest.fixture(scope="module")
def service_to_play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpService]:
    with serve_stored(tmp_path_factory.mktemp("earlier")) as service:
        yield service


@pytest.fixture(scope="module")
def service_with_keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpService]:
    """The API alone: the reconciler drops the keys of a game a day after its end, which is long past."""
    data = unpack_data(tmp_path_factory.mktemp("earlier"))
    with (
        RedisServer(data, os.environ.get("CROUPIER_REDIS_SERVER")) as server,
        run_api(server.url, free_port()) as base,
    ):
        yield HttpService(base)


def check_same(told: Any, then: Any, where: str = "") -> None:
    """Members may have been added since, and casinos and bots were given names."""
    if isinstance(then, dict):
        assert isinstance(told, dict), where
        words = (*WORDS, "name") if "closed" in then or "bot" in then else WORDS
        for name, value in then.items():
            if name not in words:
                assert name in told, f"{where}/{name}"
                check_same(told[name], value, f"{where}/{name}")
    elif isinstance(then, list):
        assert len(told) == len(then), where
        for number, (one, other) in enumerate(zip(told, then, strict=True)):
            check_same(one, other, f"{where}/{number}")
    else:
        assert told == then, where


def address(found: dict[str, Any]) -> str:
    return f"/v1/games/{found['id']}"


@by_game
def test_the_table_is_what_it_was_for_everybody(service: HttpService, found: dict[str, Any]) -> None:
    for viewer, table in found["tables"].items():
        told = service.insist("GET", address(found), token=found["tokens"].get(viewer))
        check_same(told, table, viewer)


@by_game
def test_the_log_is_what_it_was(service: HttpService, found: dict[str, Any]) -> None:
    export = service.call("GET", f"{address(found)}/events", headers={"Accept": "application/x-ndjson"})
    raws = read_export(BytesIO(export.body))
    assert (len(raws), raws[-1]["hash"]) == (found["version"], found["head"])
    assert {raw["rules"] for raw in raws} == {"1"}


@by_game
def test_a_finished_game_is_audited_and_an_unfinished_one_keeps_its_seed(
    service: HttpService, found: dict[str, Any]
) -> None:
    audit = service.insist("GET", f"{address(found)}/audit")
    assert (audit["version"], audit["head"]) == (found["version"], found["head"])
    if found["status"] == "over":
        assert audit["verified"]["ok"] is True
    else:
        assert (audit["seed"], audit["verified"]) == (None, None)


@by_game
def test_a_repeated_request_is_answered_as_before(
    service_with_keys: HttpService, found: dict[str, Any]
) -> None:
    """Those with a token; a creation or a seat of 0.1.0 is not told again by its key."""
    for request in found["requests"]:
        seat = request["seat"]
        if seat is None:
            continue
        reply = service_with_keys.insist(
            "POST",
            request["path"],
            request["body"],
            found["tokens"][str(seat)],
            headers={"Idempotency-Key": request["key"]},
        )
        check_same(reply, request["reply"], request["path"])


@pytest.mark.long
def test_finished_games_are_archived_and_told_as_before(service: HttpService, tmp_path: Path) -> None:
    over = [found for found in FOUND if found["status"] == "over"]
    wanted = {found["id"]: service.call("GET", f"{address(found)}/export").body for found in over}
    data = unpack_data(tmp_path)
    with (
        run_service(data, LOBBY_HOURS="0", ABANDON_HOURS="0", ARCHIVE_AFTER="0.0001") as (base, _),
        connect(find_running_url(data) or "") as client,
    ):
        store = RedisStore(client)
        wait_until(lambda: set(store.list_archived()) == wanted.keys(), "the archive")
        archived = HttpService(base)
        for found in over:
            stored = (data / "archive" / object_name(found["id"])).read_bytes()
            assert gzip.decompress(stored) == wanted[found["id"]]
            assert archived.call("GET", f"{address(found)}/export").body == wanted[found["id"]]
            test_the_table_is_what_it_was_for_everybody(archived, found)
            test_the_log_is_what_it_was(archived, found)
        test_the_lobby_lists_every_game(archived)


def test_the_lobby_lists_every_game(service: HttpService) -> None:
    listed = service.insist("GET", "/v1/games?limit=100")["games"]
    assert {(game["id"], game["status"]) for game in listed} == {
        (game["id"], game["status"]) for game in FOUND
    }


UNFINISHED = [found for found in FOUND if found["status"] != "over"]


@pytest.mark.parametrize(
    "found",
    sample(UNFINISHED, 5),
    ids=lambda found: found["name"],
)
def test_an_unfinished_game_is_played_to_its_end(service_to_play: HttpService, found: dict[str, Any]) -> None:
    """People with their tokens of then, bots by the workers; under the release it was begun with."""
    service = service_to_play
    tokens = {int(seat): token for seat, token in found["tokens"].items()}
    table = service.insist("GET", address(found))
    for seat in table["seats"]:
        if seat.get("open"):
            body = {"name": "Late", "seat": seat["seat"]}
            tokens[seat["seat"]] = service.insist("POST", f"{address(found)}/seats", body)["token"]
    seats = [{"seat": seat, "token": token} for seat, token in tokens.items()]
    HttpPlayer(service.insist, Random(1)).play(SeatedGame({"id": found["id"], "seats": seats}))
    audit = service.insist("GET", f"{address(found)}/audit")
    assert audit["verified"]["ok"] is True
    export = service.call("GET", f"{address(found)}/events", headers={"Accept": "application/x-ndjson"})
    raws = read_export(BytesIO(export.body))
    assert len(raws) > found["version"]
    assert {raw["rules"] for raw in raws} == {"1"}
    assert verify(raws).ok is True
