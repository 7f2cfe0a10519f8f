"""The tools of language models, called in this process: what they return, and what they refuse."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import anyio
import pytest
from flask import Flask
from mcp import Client
from mcp.shared.exceptions import MCPError

from service.mcp.server import Clients, TableServer, make_server
from tests.support.api_client import ApiClient
from tests.support.models import call, find_game, serve_app, try_call
from tests.support.text_tables import read_question

TOOLS = [
    "list_games",
    "create_game",
    "sit_down",
    "show_table",
    "choose",
    "wait_for_turn",
    "ask_advice",
    "explain",
    "show_history",
]


@pytest.fixture
def base(app: Flask) -> Iterator[str]:
    with serve_app(app) as base:
        yield base


@pytest.fixture
def token(api: ApiClient) -> str:
    return str(api.post("/v1/players", {"name": "Mind"}).get_json()["token"])


def as_player(base: str, token: str) -> TableServer:
    return make_server(Clients(base, lambda _: token), "1")


def use(server: TableServer, steps: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Client(server) as client:
            await steps(client)

    anyio.run(run)


def test_tools_are_those_of_the_contract_and_allow_no_further_arguments(base: str, token: str) -> None:
    async def steps(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS
        for tool in tools:
            assert tool.description
            assert tool.input_schema["additionalProperties"] is False
            assert not {"token", "key", "player"} & tool.input_schema["properties"].keys()

    use(as_player(base, token), steps)


def test_two_models_find_each_other_and_play_with_the_tools_alone(
    base: str, token: str, api: ApiClient
) -> None:
    other = str(api.post("/v1/players", {"name": "Other mind"}).get_json()["token"])

    async def run() -> None:
        async with Client(as_player(base, token)) as one, Client(as_player(base, other)) as two:
            text = await call(one, "create_game", edition="classic", open_seats=1, options={"start_seat": 0})
            game = find_game(text)
            assert "You are #0. The game has not started." in text
            assert game in await call(two, "list_games", which="lobby", edition="classic")
            assert "You are #1." in await call(two, "sit_down", game=game)
            assert "There are no such games." in await call(
                two, "list_games", which="my_turn", edition="cards"
            )
            for client in (one, two):
                question = read_question(await call(client, "wait_for_turn", game=game))
                assert question is not None
                choice = question.choices[-1]
                text = await call(client, "choose", game=game, ask=question.ask, choice=choice)
                assert read_question(text) is None
            history = await call(one, "show_history", game=game, after=1, limit=2)
            assert [line.split(":")[0] for line in history.splitlines()[:2]] == ["2", "3"]
            assert history.endswith("There may be more after version 3.")
            assert (await call(one, "explain", game=game, version=3)).startswith("Version 3:\n")
            assert (await call(one, "explain", game=game)).startswith("Version 4:\n")
            assert "version 1," in await call(one, "show_table", game=game, at=1)

    anyio.run(run)


HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("show_table", {"game": "g_x"}, "Arguments are not valid. game: String should match pattern"),
    ("show_table", {"game": "../me/token"}, "Arguments are not valid. game: "),
    ("show_table", {"game": f"g_{'x' * 22}"}, "(code unknown_game)"),
    ("show_table", {}, "Arguments are not valid. game: Field required."),
    ("show_table", {"game": f"g_{'x' * 22}", "token": "s3cret"}, "has no such argument. Its arguments are"),
    ("choose", {"game": f"g_{'x' * 22}", "ask": "nine", "choice": "pass"}, "ask: Input should be a valid"),
    ("choose", {"game": f"g_{'x' * 22}", "ask": 1, "choice": "x" * 201}, "choice: String should have at"),
    ("create_game", {"edition": "poker", "bots": ["random"]}, "(code unknown_edition)"),
    ("create_game", {"edition": "classic", "bots": ["genius"]}, "seats[1].bot"),
    ("create_game", {"edition": "classic/../x"}, "Arguments are not valid. edition: "),
    ("wait_for_turn", {"game": f"g_{'x' * 22}", "seconds": 51}, "seconds: Input should be less than"),
    ("wait_for_turn", {"game": f"g_{'x' * 22}"}, "(code unknown_game)"),
    ("list_games", {"limit": 1_000}, "limit: Input should be less than"),
    ("shell", {"command": "id"}, "Unknown tool. The tools are list_games, create_game, "),
]


def test_hostile_arguments_get_a_sentence_that_does_not_repeat_them(base: str, token: str) -> None:
    async def steps(client: Client) -> None:
        for tool, arguments, told in HOSTILE:
            text, is_refused = await try_call(client, tool, **arguments)
            assert is_refused, (tool, arguments)
            assert told in text
            assert len(text) < 1_000
            assert "s3cret" not in text
            assert token not in text

    use(as_player(base, token), steps)


def test_a_token_that_is_not_good_is_refused_and_not_repeated(base: str) -> None:
    async def steps(client: Client) -> None:
        text, is_refused = await try_call(client, "list_games")
        assert is_refused
        assert "(code unauthorized)" in text
        assert "player_wrong" not in text

    use(as_player(base, "player_wrong"), steps)


def test_a_service_that_is_away_is_told_in_a_sentence() -> None:
    async def steps(client: Client) -> None:
        text, is_refused = await try_call(client, "list_games")
        assert is_refused
        assert "The service did not answer in time. Call this again." in text

    server = make_server(Clients("http://127.0.0.1:9", lambda _: "player_x", patience=0.1), "1")
    use(server, steps)


def test_bots_of_other_players_are_seated(base: str, token: str, api: ApiClient) -> None:
    owner = api.post("/v1/players", {"name": "Olga"}).get_json()["token"]
    bot = api.post("/v1/remote-bots", {"name": "Carlo", "build": "1"}, owner).get_json()["id"]

    async def steps(client: Client) -> None:
        text = await call(client, "create_game", edition="classic", remote_bots=[bot])
        assert "\n#1 Carlo: remote program, " in text

    use(as_player(base, token), steps)


def test_there_is_no_turn_to_wait_for_without_a_seat(base: str, token: str, api: ApiClient) -> None:
    game = api.create_for(2).id

    async def steps(client: Client) -> None:
        text, is_refused = await try_call(client, "wait_for_turn", game=game)
        assert is_refused
        assert "You have no seat in this game" in text

    use(as_player(base, token), steps)


def test_prompts_have_the_rules_and_resources_the_rulings(base: str, token: str) -> None:
    async def steps(client: Client) -> None:
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == [
            "rules-classic",
            "rules-modern",
            "rules-royale",
            "rules-cards",
        ]
        for prompt in prompts:
            (message,) = (await client.get_prompt(prompt.name)).messages
            assert message.content.type == "text"
            assert "## Options" in message.content.text
        for name in ("rules-poker", "rules-../x", "other"):
            with pytest.raises(MCPError):
                await client.get_prompt(name)
        (whole,) = (await client.read_resource("croupier://rulings")).contents
        assert whole.mime_type == "text/markdown"
        (one,) = (await client.read_resource("croupier://rulings/P1")).contents
        assert getattr(one, "text").startswith("- **P1** · ")  # noqa: B009
        assert getattr(one, "text") in getattr(whole, "text")  # noqa: B009
        with pytest.raises(MCPError, match="no ruling"):
            await client.read_resource("croupier://rulings/P999")

    use(as_player(base, token), steps)
