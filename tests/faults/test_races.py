"""Two clients with the same token answer the same ask at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter
from threading import Barrier
from typing import Any

import pytest

from events.commands import Choose
from tests.support.http_client import HttpService, Reply, SeatedGame
from tests.support.parallel_players import create_game
from tests.support.service_process import RunningService
from tests.support.waiting import PATIENCE

RACES = 12
by_status = attrgetter("status")


@pytest.fixture
def game(running: RunningService) -> SeatedGame:
    return create_game(running.http, {"name": "Anna"}, {"name": "Ben"})


def asked(http: HttpService, game: SeatedGame, table: Any) -> tuple[str, int, list[str]]:
    """Token, ask and options of whoever is awaited."""
    token = game.tokens[table["asks"][0]["seats"][0]]
    (ask,) = http.insist("GET", game.address, token=token)["asks"]
    return token, ask["ask"], [option["choice"] for option in ask["options"]]


def at_once(http: HttpService, game: SeatedGame, token: str, ask: int, *choices: str) -> list[Reply]:
    start = Barrier(len(choices))

    def answer(choice: str) -> Reply:
        start.wait(PATIENCE)
        return http.call("POST", f"{game.address}/choices", {"ask": ask, "choice": choice}, token)

    with ThreadPoolExecutor(len(choices)) as pool:
        return list(pool.map(answer, choices))


def test_of_two_different_answers_one_wins_and_the_other_is_refused(
    running: RunningService, game: SeatedGame
) -> None:
    table, races = running.http.insist("GET", game.address), 0
    while races < RACES:
        token, ask, options = asked(running.http, game, table)
        replies = at_once(running.http, game, token, ask, options[0], options[-1])
        if len(options) > 1:
            won, lost = sorted(replies, key=by_status)
            assert (won.status, lost.status) == (200, 409), (won.body, lost.body)
            assert lost.json["code"] == "already_answered"
            races += 1
        table = min(replies, key=by_status).json["table"]
    commands = [commit.command for commit in running.store.read(game.id)]
    asks = [command.ask for command in commands if isinstance(command, Choose)]
    assert len(set(asks)) == len(asks)


def test_the_same_answer_sent_twice_counts_once_and_gives_the_same_reply(
    running: RunningService, game: SeatedGame
) -> None:
    table = running.http.insist("GET", game.address)
    for _ in range(RACES):
        token, ask, options = asked(running.http, game, table)
        one, other = at_once(running.http, game, token, ask, options[0], options[0])
        assert (one.status, other.status) == (200, 200), (one.body, other.body)
        assert one.body == other.body
        assert one.json["version"] == table["version"] + 1
        table = one.json["table"]
    assert running.store.head(game.id)[0] == 1 + RACES
