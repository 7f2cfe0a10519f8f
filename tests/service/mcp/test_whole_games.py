"""A client of the official SDK plays whole games with the tools alone, over both transports."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from random import Random

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.support.guides import ADDRESS, FOLDER, MARK, ROOT, check_output, read_blocks
from tests.support.models import call, find_game, play, try_call
from tests.support.service_process import CROUPIER, RunningService, free_port
from tests.support.waiting import PATIENCE, wait_until

EDITIONS = {
    "classic": {"chip_cards": True, "neutral_dice": True},
    "modern": {},
    "royale": {"tiles": 6},
    "cards": {},
}
MODES = ["legacy", "2026-07-28"]


def make_player(running: RunningService, name: str) -> str:
    return str(running.http.insist("POST", "/v1/players", {"name": name})["token"])


def accepts(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def run_http(base: str, folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """`croupier mcp --port N`: its address and process; its log is in the folder."""
    port = free_port()
    given = {**os.environ, "CROUPIER_URL": base, "LOG_LEVEL": "debug"}
    with (folder / "mcp.log").open("ab") as log:
        process = subprocess.Popen([*CROUPIER, "mcp", "--port", str(port)], env=given, stdout=log, stderr=log)
        try:
            wait_until(lambda: accepts(port), "the port being open")
            yield f"http://127.0.0.1:{port}/mcp", process
        finally:
            process.terminate()
            process.wait(PATIENCE)


@asynccontextmanager
async def connect_http(address: str, token: str, mode: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=90) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def connect_stdio(base: str, token: str, mode: str) -> AsyncIterator[Client]:
    environment = {"CROUPIER_URL": base, "CROUPIER_TOKEN": token, "PATH": os.environ["PATH"]}
    command = StdioServerParameters(command=sys.executable, args=[*CROUPIER[1:], "mcp"], env=environment)
    async with Client(command, mode=mode) as client:
        yield client


async def play_every_edition(client: Client) -> None:
    for seed, (edition, options) in enumerate(EDITIONS.items()):
        text = await call(client, "create_game", edition=edition, bots=["random", "greedy"], options=options)
        game = find_game(text)
        text = await play(client, text, Random(seed))
        assert "The game is over. Winner: " in text
        assert game in await call(client, "list_games")
        assert "1: " in await call(client, "show_history", game=game)
        assert (await call(client, "explain", game=game)).startswith("Version ")


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
def test_client_plays_every_edition_over_stdio(running: RunningService, mode: str) -> None:
    token = make_player(running, "Mind at a pipe")

    async def run() -> None:
        async with connect_stdio(running.http.base, token, mode) as client:
            await play_every_edition(client)

    anyio.run(run)


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
def test_client_plays_every_edition_over_http(running: RunningService, tmp_path: Path, mode: str) -> None:
    token = make_player(running, "Mind far away")

    async def run(address: str) -> None:
        async with connect_http(address, token, mode) as client:
            await play_every_edition(client)

    with run_http(running.http.base, tmp_path) as (address, process):
        anyio.run(run, address)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert token.encode() not in (tmp_path / "mcp.log").read_bytes()
    assert not [line for line in running.logs() if token.encode() in line]


def count_waits(running: RunningService) -> int:
    return sum(b"/events" in line for line in running.logs())


async def wait_in_vain(client: Client, game: str) -> None:
    with suppress(MCPError, httpx2.HTTPError):
        text, is_refused = await try_call(client, "wait_for_turn", game=game, seconds=50)
        assert is_refused, text


@pytest.mark.long
def test_waits_and_advice_are_bounded_and_a_stop_does_not_wait_for_them(
    running: RunningService, tmp_path: Path
) -> None:
    token = make_player(running, "Patient mind")

    async def run(address: str, process: subprocess.Popen[bytes]) -> None:
        async with connect_http(address, token, "2026-07-28") as client:
            text = await call(
                client, "create_game", edition="classic", bots=["random"], options={"start_seat": 0}
            )
            advice = await call(client, "ask_advice", game=find_game(text))
            assert advice.startswith("Advice of the bot expert, best first:\n")
            text = await call(client, "create_game", edition="classic", open_seats=1)
            game = find_game(text)
            begin = anyio.current_time()
            waiting = await call(client, "wait_for_turn", game=game, seconds=2)
            assert anyio.current_time() - begin < 10
            assert waiting.startswith("It is not your turn yet, after 2 seconds. Call wait_for_turn again.\n")
            async with anyio.create_task_group() as tasks:
                ended = count_waits(running)
                tasks.start_soon(wait_in_vain, client, game)
                # A wait is several requests one after another: one has ended, so the next is under way.
                await anyio.to_thread.run_sync(wait_until, lambda: count_waits(running) > ended, "a wait")
                process.send_signal(signal.SIGTERM)
                assert await anyio.to_thread.run_sync(process.wait, 15) == 0
                tasks.cancel_scope.cancel()

    with run_http(running.http.base, tmp_path) as (address, process):
        anyio.run(run, address, process)


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({}, "croupier: CROUPIER_TOKEN must be the token of a player, from POST /v1/players\n"),
        ({"CROUPIER_TOKEN": "s3cret with spaces"}, "croupier: CROUPIER_TOKEN must be"),
        ({"CROUPIER_TOKEN": "player_good", "CROUPIER_URL": "x"}, "croupier: CROUPIER_URL must be"),
    ],
)
@pytest.mark.long
def test_wrong_settings_are_one_line(environment: dict[str, str], told: str) -> None:
    given = {"PATH": os.environ["PATH"], **environment}
    done = subprocess.run([*CROUPIER, "mcp"], env=given, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith(told)
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.long
def test_a_missing_extra_is_one_sentence() -> None:
    program = (
        "import sys; sys.modules['mcp'] = None; from service.cli import main; raise SystemExit(main(['mcp']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "croupier: the package mcp is missing: install croupier[mcp]\n"


@pytest.mark.long
def test_guide_plays_as_it_stands_there(running: RunningService, tmp_path: Path) -> None:
    """The blocks of let-a-model-play.md that need the SDK."""
    blocks = {(block.language, *block.flags): block for block in read_blocks(FOLDER / "let-a-model-play.md")}
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    start = next(block for block in read_blocks(FOLDER / "quickstart.md") if block.language == "python")
    whole_game = blocks["python", "mcp"]
    program = f"{start.code}\n{whole_game.code}".replace(ADDRESS, running.http.base)
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    check_output([whole_game], f"{done.stdout}\n{MARK}\n")
    token = make_player(running, "Mind of the guide")
    configured = json.loads(blocks["json",].code)["mcpServers"]["croupier"]
    environment = {**configured["env"], "CROUPIER_URL": running.http.base, "CROUPIER_TOKEN": token}
    assert environment.keys() == configured["env"].keys()
    command = StdioServerParameters(
        command=configured["command"], args=configured["args"], env=environment, cwd=tmp_path
    )

    async def list_games() -> None:
        async with Client(command) as client:
            assert await call(client, "list_games") == "There are no such games."

    anyio.run(list_games)
    port = free_port()
    line = blocks["sh",].code.strip().replace(ADDRESS, running.http.base).replace("8100", str(port))
    with subprocess.Popen(["sh", "-c", f"exec env {line}"], cwd=tmp_path) as process:
        wait_until(lambda: accepts(port), "the port being open")
        process.terminate()
        assert process.wait(PATIENCE) == 0
