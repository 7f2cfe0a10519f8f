"""The JavaScript client, in Node and in a browser on another origin."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from standardwebhooks import Webhook

from tests.generate_client_types import DECLARATIONS, render_declarations
from tests.support.browser import open_browser, serve_folder
from tests.support.cutting_proxy import cut_lines_to
from tests.support.service_process import RunningService

FOLDER = DECLARATIONS.parent
MODULE = FOLDER / "croupier.js"
README = (FOLDER / "README.md").read_text("utf-8")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
EDITIONS: dict[str, dict[str, Any]] = {
    "classic": {},
    "modern": {"neutral_dice": True},
    "royale": {"tiles": 6},
    "cards": {},
}
# A game of one person and a bot; what is printed is the table at the end.
PLAY = """
const croupier = new Croupier(%(base)s);
const seats = [{ name: "Anna" }, { bot: "random" }];
const game = await croupier.createGame({ edition: %(edition)s, seats, options: %(options)s });
const anna = croupier.as(game.seats[0].token);
for await (const ask of anna.turns(game.id)) await anna.choose(game.id, ask.ask, ask.options.at(-1).choice);
const table = await anna.table(game.id);
"""
# Two people, so that no answer waits for a bot; the whole game is followed over the same line.
FOLLOW = """
const croupier = new Croupier(%(base)s);
const game = await croupier.createGame({ edition: "classic", seats: [{ name: "Anna" }, { name: "Ben" }] });
const seen = [];
const onCommit = (commit) => seen.push(commit.hash);
const over = new Promise((done) => {
  croupier.follow(game.id, { onCommit, onState: (state) => state === "over" && done() });
});
for (;;) {
  const { status, asks } = await croupier.table(game.id);
  if (status === "over") break;
  const seat = croupier.as(game.seats[asks[0].seats[0]].token);
  const ask = (await seat.table(game.id)).asks[0];
  await seat.choose(game.id, ask.ask, ask.options[0].choice);
}
await over;
console.log(JSON.stringify({ id: game.id, seen }));
"""
needs_node = pytest.mark.needs("node")


def run_node(program: str, imported: str = "Croupier, readWebhook", **given: Any) -> str:
    values = {name: json.dumps(value) for name, value in given.items()}
    text = f'import {{ {imported} }} from "{MODULE}";\n{program % values if values else program}'
    command = ["node", "--input-type=module", "--eval", text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_declarations_are_those_of_the_contract() -> None:
    assert DECLARATIONS.read_text("utf-8") == render_declarations(), "run `make clients`"


@pytest.mark.long
@needs_node
def test_readme_plays_a_game(running: RunningService) -> None:
    (program,) = re.findall(r"```js\n(.*?)```", README, re.DOTALL)
    assert len(program.splitlines()) <= 15
    body = program.split("\n", 1)[1].replace("http://127.0.0.1:8000", running.http.base)
    assert run_node(body, "Croupier").startswith("won by [ '")


@pytest.mark.long
@needs_node
@pytest.mark.parametrize("edition", EDITIONS)
def test_client_plays_every_edition(running: RunningService, edition: str) -> None:
    program = PLAY + "console.log(table.status, table.winners.length > 0);"
    told = run_node(program, base=running.http.base, edition=edition, options=EDITIONS[edition])
    assert told == "over true\n"


@needs_node
@pytest.mark.long
def test_client_plays_and_follows_over_lines_that_are_cut(running: RunningService) -> None:
    """Each answer is in the log once, and the follower has every commit once."""
    with cut_lines_to(running.http.base, longest=12_000) as line:
        told = json.loads(run_node(FOLLOW, base=line.base))
    log = running.http.insist("GET", f"/v1/games/{told['id']}/events?limit=1000")["commits"]
    assert line.cuts > 20
    assert told["seen"] == [commit["hash"] for commit in log]
    asked = [commit["command"]["ask"] for commit in log if commit["command"]["type"] == "choose"]
    assert len(asked) == len(set(asked))


@needs_node
def test_a_refusal_has_its_code_and_sentence(running: RunningService) -> None:
    program = """
    const plan = { edition: "poker", seats: [{ name: "Anna" }, { bot: "random" }] };
    const refusal = await new Croupier(%(base)s).createGame(plan).catch((fault) => fault);
    console.log(refusal.status, refusal.code, refusal.message.includes("classic"));
    """
    assert run_node(program, base=running.http.base) == "422 unknown_edition true\n"


# Webhooks, against the reference library


def sign(body: str, at: datetime, secret: str = SECRET) -> dict[str, str]:
    return {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign("msg_1", at, body),
    }


@needs_node
def test_webhooks_are_read_if_their_signature_fits() -> None:
    now = datetime.now(UTC)
    body = '{"game":"g_1"}'
    good = sign(body, now)
    both = good | {"webhook-signature": f"v1,bm9uZQ== {good['webhook-signature']}"}
    wrong = [
        {},
        good | {"webhook-id": "msg_2"},
        good | {"webhook-timestamp": "junk"},
        good | {"webhook-signature": "v1,bm9uZQ== v1 v1,%%%"},
        sign(body, datetime(2026, 1, 1, tzinfo=UTC)),
        sign(body, now, "whsec_" + "A" * 32),
        sign('{"game":"g_2"}', now),
    ]
    program = """
    for (const headers of %(headers)s) {
      const reading = readWebhook(%(secret)s, headers, %(body)s);
      console.log(await reading.then((event) => event.game, (fault) => fault.constructor.name));
    }
    """
    told = run_node(program, headers=[good, both, *wrong], secret=SECRET, body=body).split()
    assert told == ["g_1", "g_1", *["InvalidWebhook"] * len(wrong)]


# In a browser


@pytest.fixture
def other_origin(tmp_path: Path) -> Iterator[str]:
    """A frontend of its own: an empty page and the module."""
    (tmp_path / "index.html").write_text("<!doctype html><title>Another frontend</title>")
    (tmp_path / "croupier.js").write_bytes(MODULE.read_bytes())
    with serve_folder(tmp_path) as address:
        yield address


@pytest.fixture
def browser(chromium: str) -> Iterator[Browser]:
    with open_browser(chromium) as browser:
        yield browser


@pytest.mark.long
def test_client_plays_every_edition_in_a_browser_on_another_origin(
    browser: Browser, running: RunningService, other_origin: str
) -> None:
    page = browser.new_page()
    page.goto(other_origin)
    for edition, options in EDITIONS.items():
        given = {"base": running.http.base, "edition": edition, "options": options}
        values = {name: json.dumps(value) for name, value in given.items()}
        program = (
            f'const {{ Croupier }} = await import("/croupier.js");\n{PLAY % values}\nreturn table.status;'
        )
        assert page.evaluate(f"async () => {{ {program} }}") == "over", edition
