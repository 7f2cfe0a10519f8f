"""The Python client: it plays, follows, repeats what was cut, and checks webhooks."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any
from venv import EnvBuilder

import pytest
from croupier_client import Croupier, InvalidWebhook, NoAnswer, Refused, Seat, read_webhook
from standardwebhooks import Webhook

from tests.generate_client_types import TYPES, render_types
from tests.support.cutting_proxy import cut_lines_to
from tests.support.service_process import RunningService

FOLDER = TYPES.parents[1]
README = (FOLDER / "README.md").read_text("utf-8")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
EDITIONS: dict[str, dict[str, Any]] = {
    "classic": {"chip_cards": True},
    "modern": {"neutral_dice": True},
    "royale": {"tiles": 6},
    "cards": {},
}


def play(seat: Seat, random: Random) -> None:
    for ask in seat.turns():
        seat.choose(ask, random.choice(ask["options"])["choice"])


def test_types_are_those_of_the_contract() -> None:
    assert TYPES.read_text("utf-8") == render_types(), "run `make clients`"


def read_program(base: str) -> str:
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(program.splitlines()) <= 15
    return str(program).replace("http://127.0.0.1:8000", base)


def test_readme_plays_a_game(running: RunningService, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(read_program(running.http.base), "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("won by ['")


@pytest.mark.parametrize("edition", EDITIONS)
def test_client_plays_every_edition(running: RunningService, edition: str) -> None:
    croupier = Croupier(running.http.base)
    game = croupier.create_game(edition, [{"name": "Anna"}, {"bot": "random"}], EDITIONS[edition])
    (anna,) = croupier.seats_of(game)
    play(anna, Random(1))
    table = anna.table()
    assert (table["status"], bool(table["winners"])) == ("over", True)


def test_a_game_that_bots_finish_is_signed(running: RunningService) -> None:
    croupier = Croupier(running.http.base)
    game = croupier.create_game("classic", [{"bot": "random"}, {"bot": "random"}])
    list(croupier.commits(game["id"]))
    header = running.http.call("GET", f"/v1/games/{game['id']}/export").body.partition(b"\n")[0]
    keys = running.http.insist("GET", "/.well-known/croupier-keys")["keys"]
    assert json.loads(header)["signature"]["key"] in {key["id"] for key in keys}


@pytest.mark.long
def test_client_plays_and_follows_over_lines_that_are_cut(running: RunningService) -> None:
    """Each answer is in the log once, and the follower has every commit once."""
    with cut_lines_to(running.http.base, longest=12_000) as line:
        croupier = Croupier(line.base)
        game = croupier.create_game("classic", [{"name": "Anna"}, {"name": "Ben"}])
        seats = croupier.seats_of(game)
        chosen: Counter[int] = Counter()
        while (table := croupier.table(game["id"]))["status"] != "over":
            seat = seats[table["asks"][0]["seats"][0]]
            ask = next(iter(seat.turns()))
            seat.choose(ask, ask["options"][0]["choice"])
            chosen[ask["ask"]] += 1
        followed = list(croupier.commits(game["id"]))
    log = Croupier(running.http.base).call("GET", f"/games/{game['id']}/events", limit=1000)["commits"]
    assert line.cuts > 20
    assert [commit["hash"] for commit in followed] == [commit["hash"] for commit in log]
    asked = [commit["command"]["ask"] for commit in log if commit["command"]["type"] == "choose"]
    assert Counter(asked) == chosen
    assert set(chosen.values()) == {1}


def test_player_sits_down_and_gets_a_ticket(running: RunningService) -> None:
    stranger = Croupier(running.http.base)
    player = stranger.create_player("Anna")
    anna = Croupier(running.http.base, player["token"], language="de")
    game = stranger.create_game("classic", [{"name": "Ben"}, {"open": True}])
    seat = anna.sit_down(game["id"])
    assert seat.table()["you"] == 1
    assert anna.ticket(game["id"]) != anna.ticket()
    assert {edition["id"] for edition in anna.editions()} == set(EDITIONS)


def test_a_refusal_has_its_code_and_sentence(running: RunningService) -> None:
    with pytest.raises(Refused) as refusal:
        Croupier(running.http.base).create_game("poker", [{"name": "Anna"}, {"bot": "random"}])
    assert (refusal.value.status, refusal.value.code) == (422, "unknown_edition")
    assert "classic" in str(refusal.value)


def test_no_answer_is_told_in_time() -> None:
    croupier = Croupier("http://127.0.0.1:9", patience=0.2)
    with pytest.raises(NoAnswer):
        croupier.editions()


@pytest.mark.parametrize("base", ["croupier.example", "ftp://croupier.example", ""])
def test_an_address_that_is_none_is_refused(base: str) -> None:
    with pytest.raises(ValueError, match="address"):
        Croupier(base)


# Webhooks, against the reference library


def sign(body: str, secret: str = SECRET, at: datetime | None = None) -> dict[str, str]:
    at = at or datetime.now(UTC)
    return {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": str(int(at.timestamp())),
        "Webhook-Signature": Webhook(secret).sign("msg_1", at, body),
    }


def test_webhooks_are_read_if_their_signature_fits() -> None:
    body = '{"game": "g_1", "type": "asked"}'
    assert read_webhook(SECRET, sign(body), body.encode()) == {"game": "g_1", "type": "asked"}
    both = sign(body)
    both["Webhook-Signature"] = f"v1,bm9uZQ== {both['Webhook-Signature']}"
    assert read_webhook(SECRET, both, body.encode())


def forge(**changed: Any) -> dict[str, str]:
    return {**sign("{}"), **changed}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        forge(**{"Webhook-Id": "msg_2"}),
        forge(**{"Webhook-Signature": "v1,bm9uZQ=="}),
        forge(**{"Webhook-Signature": "v2," + sign("{}")["Webhook-Signature"][3:]}),
        forge(**{"Webhook-Timestamp": "junk"}),
        sign("{}", "whsec_" + "A" * 32),
        sign("{}", at=datetime(2026, 1, 1, tzinfo=UTC)),
        sign('{"other": true}'),
    ],
)
def test_other_webhooks_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(InvalidWebhook):
        read_webhook(SECRET, headers, b"{}")


@pytest.mark.long
def test_client_works_in_a_fresh_environment(running: RunningService, tmp_path: Path) -> None:
    """Installed by pip, without anything of the service."""
    EnvBuilder(with_pip=True).create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(FOLDER)], check=True)
    done = subprocess.run(
        [python, "-c", read_program(running.http.base)],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.stdout.startswith("won by ['")
