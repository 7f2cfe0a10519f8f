"""The client of tests/play_random_games.py, which may pick from the options and knows nothing else."""

from collections.abc import Callable
from http.client import HTTPMessage
from typing import Any

import pytest

from tests.play_random_games import Session, play_games
from tests.support.api_client import ApiClient
from tests.support.http_client import Refused, Reply


def call_app(api: ApiClient, choice: str | None = None) -> Callable[[str, str, Any, str | None], Reply]:
    """Calls on the application; a `choice` replaces whatever the client picks."""

    def call(method: str, address: str, body: Any, token: str | None) -> Reply:
        if choice and body and "choice" in body:
            body = {**body, "choice": choice}
        reply = api.get(address, token) if method == "GET" else api.post(address, body, token)
        return Reply(reply.status_code, HTTPMessage(), reply.data)

    return call


@pytest.mark.parametrize(
    "number", [0, *(pytest.param(number, marks=pytest.mark.long) for number in range(1, 4))]
)
def test_who_knows_no_rule_plays_six_tiles_to_the_end_and_is_never_refused(
    api: ApiClient, number: int
) -> None:
    """Two to five players; every reply is held against the contract too."""
    session = Session(call_app(api))
    table = session.play(number)
    assert (len(table["seats"]), len(table["options"]), table["options"]["tiles"]) == (2 + number, 10, 6)
    assert table["winners"]
    assert session.replies.keys() == {200, 201}
    assert session.replies.total() == 2 + 2 * session.choices


def test_a_refusal_breaks_the_game_off_and_is_told(
    api: ApiClient, capsys: pytest.CaptureFixture[str]
) -> None:
    session = Session(call_app(api, choice="place-9"))
    with pytest.raises(Refused, match="place-9"):
        session.play(0)
    assert play_games(session, 2) == 2
    told = capsys.readouterr().out
    assert "0 of 2 games finished" in told
    assert "\n  409: 3\n" in told
