"""Games from elsewhere: verified, kept as they are, and nothing at all of a file that does not hold."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from werkzeug.test import TestResponse

from events.redis_store import RedisStore
from events.store import MemoryStore
from events.values import SeatPlan
from service.cli import main as croupier
from service.container import build_backend
from service.fairness.export_file import write_file
from service.games.games import Games
from service.lobby.rebuild import rebuild_lobby
from service.timestamps import stamp
from tests.support.api_client import ApiClient, Game, PlayerClient, project
from tests.support.app import open_app, open_memory
from tests.support.finished_games import finished_file, put_finished
from tests.support.forgeries import MUTATIONS, Mutation, reseal
from tests.support.games import (
    TABLES,
    make_games,
    numbered_seeds,
    play_answers,
    play_under,
    ticking_clock,
    verify_stored,
)
from verifier.verify import verify_file as verify_path

NDJSON = "application/x-ndjson"


@pytest.fixture
def elsewhere() -> Iterator[ApiClient]:
    """A second service."""
    with open_memory() as memory, open_app(memory) as app:
        yield ApiClient(app.test_client())


def bring(api: ApiClient, file: bytes, **headers: str) -> TestResponse:
    return api.post("/v1/imports", file, **{"Content_Type": NDJSON, **headers})


@pytest.mark.parametrize(("edition", "options", "players"), TABLES[1::2])
def test_a_game_moves_between_services_and_loses_nothing(
    memory: Redis, api: ApiClient, elsewhere: ApiClient, edition: str, options: dict[str, Any], players: int
) -> None:
    game = put_finished(memory, edition, players, tuple(options.items()))
    file = api.get(f"/v1/games/{game}/export").get_data()
    reply = bring(elsewhere, file)
    told = reply.get_json()
    assert (reply.status_code, told["id"], told["report"]["ok"]) == (201, game, True)
    assert reply.headers["Location"] == f"/v1/games/{game}"
    assert elsewhere.get(f"/v1/games/{game}/export").get_data() == file
    there, here = (service.get(f"/v1/games/{game}").get_json() for service in (elsewhere, api))
    assert there.pop("imported")
    assert there == here
    assert elsewhere.get(f"/v1/games/{game}/audit").get_json()["verified"]["ok"] is True


def test_an_import_is_in_no_list_and_in_no_statistic(memory: Redis, api: ApiClient) -> None:
    reply = bring(api, finished_file()).get_json()
    game = reply["id"]
    assert reply["note"].startswith("This copy is read-only. It is in no list")
    assert api.get(f"/v1/games/{game}").get_json()["imported"]
    for query in ("", "?status=over", "?status=over&edition=classic", "?name=Anna"):
        assert api.get(f"/v1/games{query}").get_json()["games"] == []
    assert finished_file() not in api.get("/v1/exports").get_data()
    stats = build_backend(memory).stats
    stats.count(game)
    assert stats.read_counts() == {}


def test_the_same_file_again_changes_nothing(api: ApiClient) -> None:
    first, again = bring(api, finished_file()).get_json(), bring(api, finished_file()).get_json()
    assert again == {**first, "new": False}
    native = bring(api, finished_file().split(b"\n", 1)[1]).get_json()
    assert (native["id"], native["new"]) == (first["id"], False)


def test_another_game_of_the_same_id_gets_an_id_of_its_own(memory: Redis, api: ApiClient) -> None:
    """Somebody plays a game of their own under an id that is taken."""
    game = put_finished(memory)
    file = write_file(play_under(game))
    reply = bring(api, file)
    told = reply.get_json()
    own = told["id"]
    assert (reply.status_code, told["new"], told["report"]["game"]) == (201, True, game)
    assert own != game
    assert reply.headers["Location"] == f"/v1/games/{own}"
    assert api.get(f"/v1/games/{game}/export").get_data() == finished_file()
    assert api.get(f"/v1/games/{own}/export").get_data() == file
    assert api.get(f"/v1/games/{own}").get_json()["id"] == own
    again = bring(api, file).get_json()
    assert (again["id"], again["new"]) == (own, False)
    assert {row["id"] for row in api.get("/v1/games?status=over").get_json()["games"]} == {game}


def doctor(file: bytes, minutes: int) -> bytes:
    """A copy of a true game with other times, which verifies."""

    def move(raw: Any) -> None:
        raw["at"] = stamp(datetime.fromisoformat(raw["at"]) + timedelta(minutes=minutes))

    return resign([json.loads(line) for line in file.splitlines()[1:]], move)


def test_a_doctored_copy_cannot_keep_the_genuine_file_out(memory: Redis, api: ApiClient) -> None:
    """Three games of one id: each names the others, and each audit says what it does not judge."""
    doctored, genuine, third = (
        bring(api, file).get_json()
        for file in (doctor(finished_file(), 1), finished_file(), doctor(finished_file(), 2))
    )
    named = genuine["report"]["game"]
    assert doctored["id"] == named
    ids = {doctored["id"], genuine["id"], third["id"]}
    assert len(ids) == 3
    assert api.get(f"/v1/games/{genuine['id']}/export").get_data() == finished_file()
    for game in ids:
        audit = api.get(f"/v1/games/{game}/audit").get_json()
        assert (audit["id"], audit["named"], audit["verified"]["ok"]) == (game, named, True)
        assert {game, *audit["namesakes"]} == ids
        assert any("when each commit was made" in text for text in audit["unjudged"])
        assert any("every roll" in text for text in audit["judged"])
    assert bring(api, finished_file()).get_json() == {**genuine, "new": False}
    build_backend(memory).redis.delete(*memory.keys("croupier:{namesakes}:*"))
    rebuild_lobby(build_backend(memory))
    assert {named, *api.get(f"/v1/games/{named}/audit").get_json()["namesakes"]} == ids


def test_an_audit_is_not_unchanged_when_a_namesake_has_come(api: ApiClient) -> None:
    game = bring(api, finished_file()).get_json()["id"]
    before = api.get(f"/v1/games/{game}/audit")
    assert before.get_json()["namesakes"] == []
    own = bring(api, doctor(finished_file(), 1)).get_json()["id"]
    after = api.get(f"/v1/games/{game}/audit", If_None_Match=before.headers["ETag"])
    assert (after.status_code, after.get_json()["namesakes"]) == (200, [own])


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_of_a_bad_file_nothing_is_kept_and_its_first_fault_is_named(
    memory: Redis, api: ApiClient, mutation: Mutation
) -> None:
    for resealed in (False, True):
        raws = [json.loads(line) for line in finished_file().splitlines()[1:]]
        mutation(raws, 7)
        raws = reseal(raws) if resealed else raws
        reply = bring(api, b"\n".join(json.dumps(raw).encode() for raw in raws))
        told = reply.get_json()
        assert (reply.status_code, told["code"]) == (422, "bad_file")
        assert told.get("commit") in (None, 7, 8, 9, 10, len(raws))
    assert memory.keys() == []


@pytest.mark.parametrize(
    "garbage",
    [
        b"\n",
        b"hello",
        b"\xff\x00",
        b"[" * 900_000,
        b'{"a":' * 200_000,
        b"{}\n" * 600_000,
        b'{"version": ' + b"9" * 100_000 + b"}",
        b'{"format": "croupier/1"}\n',
        b"x" * 2_000_000,
    ],
    ids=lambda garbage: f"{garbage[:9]!r} {len(garbage)}",
)
def test_garbage_is_refused(memory: Redis, api: ApiClient, garbage: bytes) -> None:
    reply = bring(api, garbage)
    assert (reply.status_code, reply.get_json()["code"]) == (422, "bad_file")
    assert len(reply.get_json()["detail"]) < 2_000
    assert memory.keys() == []


def test_a_body_is_a_file_of_some_length_and_not_too_large(api: ApiClient) -> None:
    assert bring(api, b"{}", Content_Type="application/json").get_json()["code"] == "unsupported_media_type"
    assert bring(api, b"{}", Content_Encoding="gzip").get_json()["code"] == "unsupported_media_type"
    assert bring(api, b" " * 9_000_000).get_json()["code"] == "too_large"
    assert (
        api.send("POST", "/v1/imports", None, None, Content_Type=NDJSON).get_json()["code"]
        == "length_required"
    )


def test_a_running_game_is_no_file_to_bring(api: ApiClient, elsewhere: ApiClient) -> None:
    running = elsewhere.create_for(2)
    reply = bring(api, elsewhere.get(f"{running.address}/export").get_data())
    assert reply.get_json()["code"] == "bad_file"


def test_a_game_is_called_as_games_are(memory: Redis, api: ApiClient) -> None:
    """A name that is no game's would be a key of its own in the store."""
    reply = bring(api, write_file(play_under("g_a:b}")))
    assert (reply.get_json()["code"], memory.keys()) == ("bad_file", [])


def test_players_of_another_service_are_none_of_this_one(
    memory: Redis, api: ApiClient, elsewhere: ApiClient
) -> None:
    """Anybody can play a game at home in which somebody else's player loses."""
    anna = PlayerClient(api, "Annabella")
    seats = (SeatPlan(player=anna.id, name_commitment="0" * 64), SeatPlan(name="Ben"))
    game = bring(api, write_file(make_game_of(seats))).get_json()["id"]
    project(memory)
    assert b"Annabella" not in api.get(f"/v1/games/{game}").get_data() + api.get("/v1/games").get_data()
    assert anna.get("/v1/me/games")["games"] == []
    assert api.get(f"/v1/players/{anna.id}").get_json()["games"]["over"] == 0
    assert api.get(f"/v1/games?player={anna.id}").get_json()["games"] == []
    refused = api.post(f"/v1/games/{game}/rematch", {}, anna.token)
    assert refused.get_json()["code"] == "not_seated"


def make_game_of(seats: tuple[SeatPlan, ...]) -> Any:
    games = make_games()
    game = games.create("classic", {}, seats).game
    for _ in play_answers(games, game):
        pass
    return games.commits(game)


def test_the_file_of_a_private_game_is_brought_for_others_to_see_and_not_listed(api: ApiClient) -> None:
    games = make_games()
    game = games.create(
        "classic", {}, [SeatPlan(name="Anna"), SeatPlan(name="Ben")], visibility="private"
    ).game
    for _ in play_answers(games, game):
        pass
    bring(api, write_file(games.commits(game)))
    assert api.get(f"/v1/games/{game}").status_code == 200
    assert api.get("/v1/games").get_json()["games"] == []


def test_what_was_imported_stays_so_when_all_that_is_derived_is_made_anew(
    memory: Redis, api: ApiClient
) -> None:
    game = bring(api, finished_file()).get_json()["id"]
    build_backend(memory).games.forget_leftovers(game)
    assert build_backend(memory).games.snapshot(game).imported_at
    assert api.get(f"/v1/games/{game}/audit").get_json()["verified"]["ok"] is True


def resign(raws: list[Any], change: Callable[[Any], None]) -> bytes:
    """A true game that somebody played at home, with a change that only the checks of an import can find."""
    for raw in raws:
        change(raw)
    return b"\n".join(json.dumps(raw).encode() for raw in reseal(raws))


def make_raws(*seats: SeatPlan) -> list[Any]:
    return [json.loads(line) for line in write_file(make_game_of(seats)).splitlines()[1:]]


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (SeatPlan(name="A" * 50_000), "`command.seats[0].name` must have at most 40 characters, not 50000"),
        (SeatPlan(name="A" * 41), "`command.seats[0].name` must have at most 40 characters, not 41"),
        (
            SeatPlan(name="An\u202ena"),
            "`command.seats[0].name` must not contain U+202E RIGHT-TO-LEFT OVERRIDE",
        ),
        (SeatPlan(name="Anna\nBen"), "`command.seats[0].name` must not contain U+000A"),
        (SeatPlan(name="\U000e0041"), "`command.seats[0].name` must be in the form"),
        (
            SeatPlan(name="Anna", entropy="x" * 129),
            "`command.seats[0].entropy` must have at most 128 characters, not 129",
        ),
        (
            SeatPlan(player="p_" + "x" * 200),
            "`command.seats[0].player` must have at most 128 characters, not 202",
        ),
    ],
    ids=range(7),
)
def test_names_and_texts_have_the_limits_that_they_have_here(
    memory: Redis, api: ApiClient, plan: SeatPlan, told: str
) -> None:
    reply = bring(api, write_file(make_game_of((plan, SeatPlan(name="Ben")))))
    problem = reply.get_json()
    assert (reply.status_code, problem["code"], problem["commit"]) == (422, "bad_file", 1)
    assert told in problem["detail"]
    assert memory.keys() == []


def test_names_that_the_service_takes_come_back_to_it(api: ApiClient, elsewhere: ApiClient) -> None:
    """Some of their letters are kept as two."""
    created = elsewhere.create({"name": "\u0958" * 20}, {"name": " Zoë "}, {"open": True})
    elsewhere.post(f"{created.address}/cancel", {}, created.tokens[0])
    assert bring(api, elsewhere.get(f"{created.address}/export").get_data()).status_code == 201


def test_a_game_was_played_at_a_time_that_has_been(memory: Redis, api: ApiClient) -> None:
    """It would head the list until then; clocks of two services may differ a little."""
    moment = stamp(datetime.now(UTC) + timedelta(minutes=10))
    raws = make_raws(SeatPlan(name="Anna"), SeatPlan(name="Ben"))
    problem = bring(api, resign(raws, lambda raw: raw.update(at=moment))).get_json()
    assert (problem["code"], problem["commit"]) == ("bad_file", 1)
    assert f"`at` of commit 1 is in the future: {moment}." in problem["detail"]
    assert memory.keys() == []
    soon = stamp(datetime.now(UTC) + timedelta(minutes=2))
    assert bring(api, resign(raws, lambda raw: raw.update(at=soon))).status_code == 201


def test_what_is_brought_does_not_crowd_out_what_is_played_here(api: ApiClient) -> None:
    own = api.create_for(2).id
    bring(api, finished_file())
    assert [row["id"] for row in api.get("/v1/games").get_json()["games"]] == [own]


def test_a_file_can_be_brought_again_with_its_key(api: ApiClient) -> None:
    key = "0d0f9e38-6d1c-4a3b-9b86-8c4f6f6b1f36"
    first, again = (bring(api, finished_file(), Idempotency_Key=key) for _ in range(2))
    assert (first.get_json()["new"], again.get_json()) == (True, first.get_json())
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    other = bring(api, finished_file() + b"\n", Idempotency_Key=key)
    assert (other.status_code, other.get_json()["code"]) == (422, "key_reused")
    weak = bring(api, finished_file(), Idempotency_Key="k")
    assert (weak.status_code, weak.get_json()["code"]) == (400, "weak_key")


def test_no_sentence_and_no_figure_names_a_player_of_this_service(memory: Redis, api: ApiClient) -> None:
    """Of a game that somebody made up at home."""
    anna = PlayerClient(api, "Annabella")
    seats = (SeatPlan(player=anna.id, name_commitment="0" * 64), SeatPlan(name="Ben"))
    commits = make_game_of(seats)
    game = bring(api, write_file(commits)).get_json()["id"]
    pages = [api.get(f"/v1/games/{game}/explain/{commit.version}") for commit in commits]
    pages.append(api.get(f"/v1/games/{game}/diff?from=1"))
    assert {page.status_code for page in pages} == {200}
    told = b"".join(page.get_data() for page in pages)
    assert b"Ben" in told
    assert b"Annabella" not in told
    tag = pages[0].headers["ETag"]
    assert api.send("PATCH", "/v1/me", {"name": "Annette"}, anna.token).status_code == 200
    assert api.get(f"/v1/games/{game}/explain/1", If_None_Match=tag).status_code == 304


def test_a_fork_of_an_import_that_names_a_game_of_this_service_names_nobody_of_it(
    memory: Redis, api: ApiClient
) -> None:
    """Somebody made up a game under the id of one that Anna played here, and forks it."""
    anna = PlayerClient(api, "Annabella")
    played = anna.set_up({"name": "Ben"}).id
    for _ in play_answers(build_backend(memory).games, played):
        pass
    seats = (SeatPlan(player=anna.id, name_commitment="0" * 64), SeatPlan(name="Ben"))
    made_up = Games(MemoryStore(), ticking_clock(), numbered_seeds(), lambda: played)
    made_up.create("classic", {}, seats)
    for _ in play_answers(made_up, played):
        pass
    own = bring(api, write_file(made_up.commits(played))).get_json()["id"]
    assert own != played
    assert b"Annabella" in api.get(f"/v1/games/{played}/diff?from=1&to=5").get_data()
    forked = {"at": 5, "seats": [{"name": "Carla"}, {"name": "Denny"}]}
    fork = api.call("POST", f"/v1/games/{own}/forks", forked)["id"]
    told = [api.get(f"/v1/games/{game}/diff?from=1&to=5").get_data() for game in (own, fork)]
    assert b"Annabella" not in b"".join(told)
    assert verify_stored(RedisStore(memory), own).ok


def cut_in_line(lines: list[bytes]) -> list[bytes]:
    return [*lines[:5], lines[5][:40]]


def double(lines: list[bytes]) -> list[bytes]:
    return [*lines[:5], lines[5].replace(b'{"version":6', b'{"version":6,"version":6'), *lines[6:]]


def spoil(lines: list[bytes]) -> list[bytes]:
    return [*lines[:5], lines[5][:-1] + b",}", *lines[6:]]


def add_key(lines: list[bytes]) -> list[bytes]:
    return [*lines[:5], lines[5][:-1] + b',"key":"k"}', *lines[6:]]


def cut_after_line(lines: list[bytes]) -> list[bytes]:
    return lines[:6]


@pytest.mark.parametrize("with_header", [True, False])
@pytest.mark.parametrize("spoiled", [cut_in_line, double, spoil, add_key, cut_after_line])
def test_the_commit_is_named_that_nobody_can_read(
    memory: Redis,
    api: ApiClient,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    spoiled: Any,
    with_header: bool,
) -> None:
    header, *lines = finished_file().splitlines()
    file = b"\n".join([*([header] if with_header else []), *spoiled(lines)])
    problem = bring(api, file).get_json()
    assert (problem["code"], problem["commit"]) == ("bad_file", 6)
    assert memory.keys() == []
    (tmp_path / "game").write_bytes(file)
    assert croupier(["verify", str(tmp_path / "game")]) == 1
    assert "NOT verified at version 6: " in capsys.readouterr().out
    assert verify_path(str(tmp_path / "game"))[1].startswith("NOT verified: commit 6: ")


def test_of_a_first_commit_and_a_header_that_nobody_can_read(api: ApiClient) -> None:
    header, first, *lines = finished_file().splitlines()
    assert bring(api, b"\n".join([header, first[:-1], *lines])).get_json()["commit"] == 1
    assert "commit" not in bring(api, b"\n".join([header[:-1], first, *lines])).get_json()


@pytest.mark.parametrize("with_header", [True, False])
def test_however_a_file_is_written_its_export_is_that_of_the_first_service(
    memory: Redis, api: ApiClient, elsewhere: ApiClient, with_header: bool
) -> None:
    """No hash tells the order of members: one that was brought in another is the same game, and file."""
    options = {"neutral_dice": True, "hide_money": True, "turn_seconds": 600}
    body = {"edition": "classic", "options": options, "seats": [{"name": "Anna"}, {"name": "Ben"}]}
    game = Game(api, api.call("POST", "/v1/games", body))
    for _ in play_answers(build_backend(memory).games, game.id):
        pass
    first = api.get(f"{game.address}/export")
    lines = [json.dumps(turn_around(json.loads(line)), indent=None) for line in first.data.splitlines()]
    assert bring(elsewhere, "\n".join(lines[not with_header :]).encode()).status_code == 201
    there = elsewhere.get(f"{game.address}/export")
    assert (there.data, there.headers["ETag"]) == (first.data, first.headers["ETag"])
    assert list(elsewhere.get(f"{game.address}/events").get_json()["commits"][0]["command"]["options"]) == [
        *sorted(options)
    ]


def turn_around(thing: Any) -> Any:
    """Every object with its last member first."""
    if isinstance(thing, dict):
        return {name: turn_around(part) for name, part in reversed(thing.items())}
    return [*map(turn_around, thing)] if isinstance(thing, list) else thing


def test_the_reply_says_that_an_import_counts_nowhere(api: ApiClient) -> None:
    told = api.post("/v1/imports", finished_file(), Content_Type=NDJSON).get_json()
    assert told["counted"] is False
    assert "no list, statistic, rating or profile" in told["note"]
    german = api.post("/v1/imports", finished_file(), Content_Type=NDJSON, accept_language="de").get_json()
    assert german["note"].startswith("Diese Kopie kann nur gelesen werden.")
