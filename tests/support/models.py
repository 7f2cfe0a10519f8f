"""A player that knows only text, as a language model does, and the tools it plays with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from threading import Thread
from typing import Any

from flask import Flask
from mcp import Client
from mcp.types import TextContent
from werkzeug.serving import make_server

from tests.support.text_tables import read_question


def is_over(text: str) -> bool:
    return "The game is over" in text


def find_game(text: str) -> str:
    (game,) = set(re.findall(r"g_[A-Za-z0-9_-]{22}", text))
    return str(game)


async def call(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool and return its text; a refusal fails the test."""
    text, is_refused = await try_call(client, tool, **arguments)
    assert not is_refused, text
    return text


async def try_call(client: Client, tool: str, **arguments: Any) -> tuple[str, bool]:
    """Call a tool and return its text, and whether that is a refusal."""
    result = await client.call_tool(tool, arguments)
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert result.structured_content is None
    return block.text, bool(result.is_error)


async def play(client: Client, text: str, random: Random) -> str:
    """Play on from a table to the end of its game, with the tools alone, and return the last table."""
    game = find_game(text)
    for _ in range(2_000):
        if is_over(text):
            return text
        question = read_question(text)
        if question is None:
            text = await call(client, "wait_for_turn", game=game, seconds=20)
        else:
            choice = random.choice(question.choices)
            text = await call(client, "choose", game=game, ask=question.ask, choice=choice)
    raise AssertionError("the game does not end")


@contextmanager
def serve_app(app: Flask) -> Iterator[str]:
    """The application on a port of this process; yields its address."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    # It looks so often whether it shall stop.
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
