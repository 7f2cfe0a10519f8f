"""kill -9 of any process in the middle of play: what was acknowledged is in the log, once."""

from io import BytesIO
from pathlib import Path
from typing import Any

from service.fairness.exported import read_export
from service.fairness.verify import main
from tests.support.http_player import HttpPlayer, HttpService, Promise, SeatedGame
from tests.support.parallel_players import ParallelPlayers
from tests.support.process_tree import descendants, descendants_matching, kill
from tests.support.service_process import run_service

NDJSON = {"Accept": "application/x-ndjson"}
API, PROJECTOR, WORKER, REDIS = "gunicorn", r"workers\.project", r"workers\.work", "(redis|valkey)-server"


def test_no_answer_is_lost_or_doubled_whatever_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with run_service(folder) as (base, house), ParallelPlayers(HttpService(base)) as company:
        company.play_further()
        for pattern in (API, WORKER, PROJECTOR, REDIS):
            victims = descendants_matching(house.pid, pattern)
            company.await_answering()
            # Of the workers only one.
            kill(victims[:1] if pattern == WORKER else victims)
            company.play_further()
        victims = [house.pid, *descendants(house.pid)]
        company.await_answering()
        kill(victims)
        house.wait()
        with run_service(folder) as (company.door.base, _):
            company.play_further()
            company.finish()
            for regular in company.regulars:
                check(regular, tmp_path)
    told = (tmp_path / "data.log").read_text()
    assert not [token for regular in company.regulars for token in regular.tokens if token in told]


def check(regular: HttpPlayer, folder: Path) -> None:
    """Whoever asks until there is an answer knows every commit of their seats, and each is there once."""
    answers = [answer for game in regular.games for answer in logged(regular.door, game, folder)]
    assert sorted(answers) == sorted(regular.promises)


def logged(door: HttpService, game: SeatedGame, folder: Path) -> list[Promise]:
    """What the people of a game answered, from an export that verifies: chain, seed, every event."""
    export = door.call("GET", f"{game.address}/events", headers=NDJSON).body
    (folder / game.id).write_bytes(export)
    assert main(str(folder / game.id)) == 0
    return [
        promise(game, commit)
        for commit in read_export(BytesIO(export))
        if commit["command"].get("seat") in game.tokens
    ]


def promise(game: SeatedGame, commit: dict[str, Any]) -> Promise:
    command = commit["command"]
    choice = command["choice"]["value"] if isinstance(command["choice"], dict) else command["choice"]
    return Promise(game.id, command["ask"], command["seat"], choice, commit["version"])
