"""The client of tests/stranger.py, which may pick from the options and knows nothing else."""

import json
from typing import Any

import pytest

from tests.stranger import Call, Refused, Stranger, evening
from tests.support.api_client import ApiClient


def through(api: ApiClient, choice: str | None = None) -> Call:
    """Calls on the application; a `choice` replaces whatever the stranger picks."""

    def call(method: str, address: str, body: Any, token: str | None) -> tuple[int, Any]:
        if choice and body and "choice" in body:
            body = {**body, "choice": choice}
        reply = api.get(address, token) if method == "GET" else api.post(address, body, token)
        return reply.status_code, json.loads(reply.data)

    return call


@pytest.mark.parametrize("number", range(4))
def test_a_stranger_plays_six_tiles_to_the_end_and_is_never_refused(api: ApiClient, number: int) -> None:
    """Two to five players; every reply is held against the contract too."""
    stranger = Stranger(through(api))
    table = stranger.play(number)
    assert (len(table["seats"]), len(table["options"]), table["options"]["tiles"]) == (2 + number, 6, 6)
    assert table["winners"]
    assert stranger.replies.keys() == {200, 201}
    assert stranger.replies.total() == 2 + 3 * stranger.choices


def test_a_refusal_breaks_the_game_off_and_is_told(
    api: ApiClient, capsys: pytest.CaptureFixture[str]
) -> None:
    stranger = Stranger(through(api, choice="place-9"))
    with pytest.raises(Refused, match="place-9"):
        stranger.play(0)
    assert evening(stranger, 2) == 2
    told = capsys.readouterr().out
    assert "0 of 2 games finished" in told
    assert "\n  409: 3\n" in told
