"""Games as files: the same bytes for ever, for everybody who may see them, one by one or many at once."""

import gzip
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import fakeredis
import pytest
from flask import Flask
from flask.testing import FlaskClient
from msgspec.structs import replace
from redis import Redis

from service.cli import main as croupier
from service.container import build_backend
from service.games.cursors import encode_cursor
from service.history.routes import EXPORT_BATCH
from service.lobby.lobby import WHOLE
from service.lobby.rebuild import Rebuild, rebuild_lobby
from tests.support.api_client import ApiClient, Game, PlayerClient, project
from tests.support.app import open_app
from tests.support.finished_games import ends_apart, finished_file, put_finished, say_that_all_are_listed
from tests.support.games import play_answers

NDJSON = "application/x-ndjson"
YEAR = "max-age=31536000, immutable"


def export(api: ApiClient, game: str, token: str | None = None) -> bytes:
    reply = api.get(f"/v1/games/{game}/export", token)
    assert (reply.status_code, reply.mimetype) == (200, NDJSON)
    return reply.get_data()


def lines_of(file: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.splitlines()]


def test_a_file_says_what_it_is_and_can_be_verified(
    memory: Redis, api: ApiClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = put_finished(memory)
    header, *commits = lines_of(export(api, game))
    table = api.get(f"/v1/games/{game}").get_json()
    assert (header["format"], header["game"], header["edition"]) == ("croupier/1", game, "classic")
    assert (header["commits"], header["head"]) == (len(commits), commits[-1]["hash"])
    assert header["result"] == {
        "winners": table["winners"],
        "totals": [seat["total"] for seat in table["seats"]],
    }
    assert (header["created"], header["ended"]) == (commits[0]["at"], commits[-1]["at"])
    (tmp_path / "game").write_bytes(export(api, game))
    assert croupier(["verify", str(tmp_path / "game")]) == 0
    assert game in capsys.readouterr().out


@pytest.mark.parametrize(
    "lie",
    [
        {"game": "g_0000000000000000000000"},
        {"result": {"winners": [1, 0], "totals": [1, 1]}},
        {"head": "0" * 64},
        {"commits": 3},
        {"release": "7"},
        {"remark": "trust me"},
        {"format": "croupier/2"},
    ],
)
def test_a_header_that_lies_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lie: dict[str, Any]
) -> None:
    first, rest = finished_file().split(b"\n", 1)
    (tmp_path / "game").write_bytes(json.dumps({**json.loads(first), **lie}).encode() + b"\n" + rest)
    assert croupier(["verify", str(tmp_path / "game")]) == 1
    assert "its header" in capsys.readouterr().out


def test_of_several_files_each_is_told_and_the_worst_decides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = finished_file()
    files = {"whole": whole, "cut": whole[: len(whole) // 2], "without": whole.split(b"\n", 1)[1]}
    for name, file in files.items():
        (tmp_path / name).write_bytes(file)
    assert croupier(["verify", *(str(tmp_path / name) for name in files)]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert croupier(["verify", str(tmp_path / "whole"), str(tmp_path / "without")]) == 0


def test_the_file_of_a_game_that_is_over_never_changes(memory: Redis, api: ApiClient) -> None:
    """Not even by the rematch that its log names afterwards, and it is the same for everybody."""
    game = api.create_for(2)
    for _ in play_answers(build_backend(memory).games, game.id):
        pass
    first = api.get(f"{game.address}/export")
    assert api.post(f"{game.address}/rematch", {}, game.tokens[0]).status_code == 201
    later = api.get(f"{game.address}/export")
    assert game.version() == lines_of(first.data)[0]["commits"] + 1
    assert (later.data, later.headers["ETag"]) == (first.data, first.headers["ETag"])
    assert export(api, game.id, game.tokens[0]) == export(api, game.id, game.tokens[1]) == first.data


def test_the_file_of_a_game_that_is_over_is_cached_for_ever(memory: Redis, api: ApiClient) -> None:
    address = f"/v1/games/{put_finished(memory)}/export"
    first = api.get(address)
    assert first.headers["Cache-Control"] == f"public, {YEAR}"
    again = api.get(address, If_None_Match=first.headers["ETag"])
    assert (again.status_code, again.headers["Cache-Control"]) == (304, f"public, {YEAR}")


def test_the_file_of_a_private_game_is_for_its_table(memory: Redis, api: ApiClient) -> None:
    seats = [{"name": "Anna"}, {"name": "Ben"}]
    plan = {"edition": "classic", "seats": seats, "visibility": "private"}
    game = Game(api, api.call("POST", "/v1/games", plan))
    assert api.get(f"{game.address}/export").get_json()["code"] == "unknown_game"
    games = build_backend(memory).games
    for _ in play_answers(games, game.id):
        pass
    build_backend(memory).lobby.update(games.snapshot(game.id))
    reply = api.get(f"{game.address}/export", game.tokens[1])
    assert reply.headers["Cache-Control"] == f"private, {YEAR}"
    say_that_all_are_listed(memory)
    assert read_many(api)[0] == {}


def test_the_file_of_a_running_game_hides_what_its_table_hides(api: ApiClient) -> None:
    game = api.create_for(3, edition="cards")
    reply = api.get(f"{game.address}/export", game.tokens[0])
    assert (reply.headers["Cache-Control"], reply.headers["ETag"]) == ("no-store", '"1"')
    header, *commits = lines_of(reply.data)
    assert "result" not in header
    dealt = [event for event in commits[0]["events"] if event["type"] == "cards_dealt"]
    assert ["value" in event["cards"] for event in dealt] == [event["seat"] == 0 for event in dealt]
    assert b'"value"' not in export(api, game.id)


def test_no_file_names_a_player(api: ApiClient) -> None:
    """Names are erased with their players, and a file is for ever."""
    game = PlayerClient(api, "Annabella").set_up({"bot": "random"})
    assert b"Annabella" not in export(api, game.id)


# Many at once


def read_many(api: ApiClient, query: str = "") -> tuple[dict[str, bytes], dict[str, Any]]:
    """The files by their games, and the last cursor."""
    reply = api.get(f"/v1/exports{query}")
    assert (reply.status_code, reply.mimetype) == (200, NDJSON)
    files, game, last = dict[str, bytes](), "", dict[str, Any]()
    for line in reply.get_data().splitlines(keepends=True):
        told = json.loads(line)
        if told.get("format") == "croupier-cursor/1":
            last = told
            continue
        game = told["game"] if isinstance(told.get("format"), str) else game
        files[game] = files.get(game, b"") + line
    return files, last


def put_three(memory: Redis) -> list[str]:
    """In the order of their ends."""
    return [put_finished(memory, *table) for table in ends_apart()]


def test_many_files_are_those_of_each_game_in_the_order_of_their_ends(memory: Redis, api: ApiClient) -> None:
    games = put_three(memory)
    api.create_for(2)
    files, last = read_many(api)
    assert list(files.items()) == [(game, export(api, game)) for game in games]
    assert last["more"] is False
    (cards,) = read_many(api, "?edition=cards")[0].values()
    assert lines_of(cards)[0]["edition"] == "cards"
    ended = lines_of(files[games[1]])[0]["ended"]
    assert list(read_many(api, f"?finished_after={ended}")[0]) == games[2:]


def test_a_cursor_goes_on_where_the_reader_broke_off(memory: Redis, api: ApiClient) -> None:
    games = put_three(memory)
    first, cut = read_many(api, "?limit=2")
    assert (list(first), cut["more"]) == (games[:2], True)
    rest, last = read_many(api, f"?cursor={cut['cursor']}")
    assert (list(rest), last["more"]) == (games[2:], False)
    assert read_many(api, f"?cursor={last['cursor']}") == ({}, last)


def follow(api: ApiClient, cursor: str, limit: int = 1) -> tuple[list[str], str]:
    """All that comes until nothing more does, and where to go on; each page makes progress."""
    found = list[str]()
    while True:
        files, last = read_many(api, f"?limit={limit}" + (f"&cursor={cursor}" if cursor else ""))
        found += files
        if not last["more"]:
            return found, last["cursor"]
        assert last["cursor"] != cursor
        cursor = last["cursor"]


def end_at_once(api: ApiClient, game: Game) -> str:
    for token in game.tokens.values():
        assert api.post(f"{game.address}/void", {}, token).status_code == 200
    return game.id


def test_who_follows_gets_each_game_once_as_soon_as_it_is_over(memory: Redis, api: ApiClient) -> None:
    say_that_all_are_listed(memory)
    games = [end_at_once(api, api.create_for(2)) for _ in range(3)]
    found, cursor = follow(api, "")
    assert sorted(found) == sorted(games)
    assert follow(api, cursor) == ([], cursor)
    another = end_at_once(api, api.create_for(2))
    assert follow(api, cursor)[0] == [another]


def test_one_that_is_listed_late_comes_last_and_is_not_missed(memory: Redis, api: ApiClient) -> None:
    """However late: the projector may have stood still. From the beginning all are there."""
    ends = ends_apart()
    late, *others = ends
    games = [put_finished(memory, *table) for table in others]
    found, cursor = follow(api, "")
    assert found == games
    missing = put_finished(memory, *late)
    assert follow(api, cursor)[0] == [missing]
    assert follow(api, "")[0] == [*games, missing]
    assert list(read_many(api, f"?finished_after={ends[late]}")[0]) == games


def test_a_rematch_does_not_bring_a_game_again(memory: Redis, api: ApiClient) -> None:
    say_that_all_are_listed(memory)
    game = api.create_for(2)
    end_at_once(api, game)
    found, cursor = follow(api, "")
    assert api.post(f"{game.address}/rematch", {}, game.tokens[0]).status_code == 201
    assert (found, follow(api, cursor)[0]) == ([game.id], [])


def test_what_was_brought_takes_no_room_among_what_is_sent(memory: Redis, api: ApiClient) -> None:
    for seed in (1, 2, 3):
        brought = finished_file("cards", 2, (), seed)
        assert api.post("/v1/imports", brought, Content_Type=NDJSON).status_code == 201
    game = put_finished(memory)
    assert list(read_many(api, "?limit=1")[0]) == [game]


def test_a_page_reads_no_more_games_than_it_may_send(memory: Redis, api: ApiClient) -> None:
    """Those that ended before come late, are left out and count; whoever follows comes past them."""
    early, later, last = ends_apart()
    wanted, *_ = [put_finished(memory, *table) for table in (last, early, later)]
    query, pages = f"?limit=1&finished_after={ends_apart()[later]}", list[list[dict[str, Any]]]()
    while not pages or (pages[-1][-1]["more"] and len(pages) < 9):
        place = f"&cursor={pages[-1][-1]['cursor']}" if pages else ""
        pages.append(lines_of(api.get(f"/v1/exports{query}{place}").get_data()))
    assert [sum("more" in line for line in page) for page in pages] == [1, 1, 1, 1]
    assert [line["game"] for page in pages for line in page if line.get("format") == "croupier/1"] == [wanted]


def test_a_cursor_does_not_lead_back_before_what_is_asked_for(memory: Redis, api: ApiClient) -> None:
    games, ends = put_three(memory), [*ends_apart().values()]
    begin, cut = encode_cursor(b"000000000000000|-"), read_many(api, "?limit=2")[1]["cursor"]
    far = api.get(f"/v1/exports?finished_after=2199-01-01T00:00:00.000Z&cursor={begin}")
    assert [line["more"] for line in lines_of(far.get_data())] == [False]
    assert list(read_many(api, f"?finished_after={ends[0]}&cursor={begin}")[0]) == games[1:]
    assert list(read_many(api, f"?finished_after={ends[0]}&cursor={cut}")[0]) == games[2:]


def test_a_rebuild_loses_none_for_those_who_follow(memory: Redis, api: ApiClient) -> None:
    """Neither what came late before nor what comes late meanwhile; what is there is sent on."""
    early, later, last = ends_apart()
    games = [put_finished(memory, *last)]
    found, cursor = follow(api, "")
    games.append(put_finished(memory, *later))
    rebuild_lobby(build_backend(memory))
    assert follow(api, cursor)[0] == games[1:]
    _, cursor = follow(api, cursor)
    backend = build_backend(memory)
    backend.lobby.clear()
    assert not backend.lobby.is_whole()
    assert (found, follow(api, "")[0], follow(api, cursor)) == (games[:1], games, ([], cursor))
    games.append(put_finished(memory, *early))
    assert (follow(api, cursor)[0], follow(api, "")[0]) == (games[2:], games)


def test_nothing_is_sent_before_all_games_were_listed(memory: Redis, api: ApiClient) -> None:
    """Whoever follows would read on past those that are not listed yet."""
    games = put_three(memory)
    memory.delete(*memory.scan_iter("croupier:{lobby}:*"))
    backend = build_backend(memory)
    backend.lobby.update(backend.games.snapshot(games[2]))
    for query in ("", "?edition=royale"):
        reply = api.get(f"/v1/exports{query}")
        told = reply.get_json()
        assert (reply.status_code, told["code"], told["cause"]) == (503, "unavailable", "listing")
    rebuild = Rebuild(backend)
    rebuild.begin()
    assert rebuild.run()
    assert follow(api, "")[0] == games


def test_a_log_that_is_away_is_said_to_be_away(log: BytesIO) -> None:
    server = fakeredis.FakeServer()
    with fakeredis.FakeRedis(server=server) as memory, open_app(memory) as app:
        put_finished(memory)
        server.connected = False
        reply = app.test_client().get("/v1/exports")
        server.connected = True
    assert (reply.status_code, reply.get_json()["cause"]) == (503, "unreachable")


def test_a_list_that_is_lost_in_the_middle_is_not_said_to_be_at_its_end(memory: Redis, app: Flask) -> None:
    backend = build_backend(memory)
    snapshot = backend.games.snapshot(put_finished(memory))
    for number in range(EXPORT_BATCH):
        backend.lobby.update(replace(snapshot, game=f"g_{number:022d}"))
    pieces = FlaskClient(app).get("/v1/exports").iter_encoded()
    sent = [next(pieces)]
    memory.delete("croupier:{lobby}:exports:*")
    sent += pieces
    assert len(sent) == EXPORT_BATCH
    assert lines_of(sent[-1])[-1]["more"] is True


def test_a_cursor_of_nobody_is_refused(api: ApiClient) -> None:
    reply = api.get("/v1/exports?cursor=junk")
    assert (reply.status_code, reply.get_json()["code"]) == (422, "invalid_query")


def test_many_files_come_compressed(memory: Redis, app: Flask, api: ApiClient) -> None:
    game = put_finished(memory)
    reply = FlaskClient(app).get("/v1/exports", headers={"Accept-Encoding": "gzip"})
    assert reply.headers["Content-Encoding"] == "gzip"
    assert export(api, game) in gzip.decompress(reply.data)
    assert len(reply.data) * 4 < len(gzip.decompress(reply.data))


def own_games(memory: Redis, api: ApiClient) -> tuple[PlayerClient, dict[str, Game]]:
    """A player with games of every kind, and all that is derived from them."""
    anna = PlayerClient(api, "Anna")
    made = {}
    plans: dict[str, dict[str, Any]] = {
        "over": {},
        "private": {"visibility": "private"},
        "unlisted": {"visibility": "unlisted", "edition": "modern"},
        "sandbox": {"sandbox": {"seed": "of a test"}},
        "running": {"visibility": "private", "edition": "cards"},
    }
    for name, plan in plans.items():
        body = {"edition": "classic", "seats": [{"player": True}, {"name": "Ben"}], **plan}
        game = Game(api, api.post("/v1/games", body, anna.token).get_json())
        for _ in play_answers(build_backend(memory).games, game.id) if name != "running" else ():
            pass
        made[name] = game
    project(memory)
    rebuild_lobby(build_backend(memory))
    return anna, made


def read_lines(api: ApiClient, address: str, token: str | None = None) -> tuple[list[str], list[Any]]:
    """The games of a reply, in its order, and its lines."""
    reply = api.get(address, token)
    assert (reply.status_code, reply.mimetype) == (200, NDJSON), reply.data
    found = lines_of(reply.get_data())
    return [line["game"] for line in found if "game" in line and "format" in line], found


def test_a_player_exports_all_their_games_and_no_token(memory: Redis, api: ApiClient) -> None:
    anna, made = own_games(memory, api)
    other = PlayerClient(api, "Ben").set_up({"name": "Carl"})
    project(memory)
    games, lines = read_lines(api, "/v1/me/export", anna.token)
    assert sorted(games) == sorted(game.id for game in made.values())
    assert other.id not in games
    assert lines[-1]["more"] is False
    text = json.dumps(lines)
    for game in made.values():
        assert all(token not in text for token in game.tokens.values())
    # Of a game that goes on, what the player may see of it.
    dealt = [event for line in lines for event in line.get("events", ()) if event["type"] == "cards_dealt"]
    assert [("value" in event["cards"], event["seat"]) for event in dealt] == [(True, 0), (False, 1)]
    reply = api.get("/v1/me/export", anna.token)
    assert reply.headers["Cache-Control"] == "no-store"
    assert "Authorization" in reply.headers["Vary"]


def test_an_export_of_ones_own_goes_on_from_a_cursor(memory: Redis, api: ApiClient) -> None:
    anna, made = own_games(memory, api)
    found, place, is_more = list[str](), "", True
    while is_more:
        games, lines = read_lines(api, f"/v1/me/export?limit=2{place}", anna.token)
        found += games
        place, is_more = f"&cursor={lines[-1]['cursor']}", lines[-1]["more"]
    assert sorted(found) == sorted(game.id for game in made.values())
    for address in ("/v1/exports?limit=1", f"/v1/exports?player={anna.id}&limit=1"):
        assert api.get(f"{address}{place}").status_code == 422
    public = read_lines(api, "/v1/exports")[1][-1]["cursor"]
    assert api.get(f"/v1/me/export?cursor={public}", anna.token).status_code == 422
    assert api.get("/v1/me/export").status_code == 401
    assert api.get("/v1/me/export", made["over"].tokens[1]).status_code == 401


def test_exports_of_a_player_are_their_public_games(memory: Redis, api: ApiClient) -> None:
    anna, made = own_games(memory, api)
    put_finished(memory)
    address = f"/v1/exports?player={anna.id}"
    assert read_lines(api, address)[0] == [made["over"].id]
    assert read_lines(api, f"{address}&edition=cards")[0] == []
    assert read_lines(api, f"{address}&finished_after=2199-01-01T00:00:00Z")[0] == []
    assert read_lines(api, "/v1/exports?player=p_0000000000000000000000")[0] == []
    assert api.get("/v1/exports?player=Anna").status_code == 422
    memory.delete(WHOLE)
    assert api.get(address).status_code == 503
