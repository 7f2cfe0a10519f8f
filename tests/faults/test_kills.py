"""kill -9 of any process in the middle of play: what was acknowledged is in the log, once."""

from io import BytesIO
from pathlib import Path

import pytest

from service.fairness.export_file import read_export
from service.fairness.verify_files import main
from service.load.ledger import list_answers
from tests.support.http_client import HttpService, Promise, SeatedGame
from tests.support.parallel_players import EditionPlayer, ParallelPlayers
from tests.support.service_process import descendants, descendants_matching, kill, run_service

NDJSON = {"Accept": "application/x-ndjson"}
API, PROJECTOR, WORKER, REDIS = "gunicorn", r"workers\.project", r"workers\.work", "(redis|valkey)-server"


@pytest.mark.long
def test_no_answer_is_lost_or_doubled_whatever_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with run_service(folder) as (base, process), ParallelPlayers(HttpService(base)) as people:
        people.play_further()
        for pattern in (API, WORKER, PROJECTOR, REDIS):
            victims = descendants_matching(process.pid, pattern)
            people.await_answering()
            # Of the workers only one.
            kill(victims[:1] if pattern == WORKER else victims)
            people.play_further()
        victims = [process.pid, *descendants(process.pid)]
        people.await_answering()
        kill(victims)
        process.wait()
        with run_service(folder) as (people.service.base, _):
            people.play_further()
            people.finish()
            for player in people.players:
                check_promises(player, tmp_path)
    told = (tmp_path / "data.log").read_text()
    assert not [token for player in people.players for token in player.tokens if token in told]


def check_promises(player: EditionPlayer, folder: Path) -> None:
    """Whoever asks until there is an answer knows every commit of their seats, and each is there once."""
    answers = [answer for game in player.games for answer in answers_in_log(player.service, game, folder)]
    assert sorted(answers) == sorted(player.player.promises)


def answers_in_log(service: HttpService, game: SeatedGame, folder: Path) -> list[Promise]:
    """What the people of a game answered, from an export that verifies: chain, seed, every event."""
    export = service.call("GET", f"{game.address}/events", headers=NDJSON).body
    (folder / game.id).write_bytes(export)
    assert main([str(folder / game.id)]) == 0
    return list(list_answers(game, read_export(BytesIO(export))))
