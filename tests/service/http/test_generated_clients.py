"""Clients that others generate from openapi.yaml, as it is: each plays a game of every edition."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import httpx
import pytest
from flask import Flask

from rules.editions import EDITIONS
from tests.support.api_client import ApiClient
from tests.support.contract import FILE

pytestmark = pytest.mark.long
BIN = Path(sys.executable).parent
CLIENT, MODELS = "generated_client", "generated_models"
editions = pytest.mark.parametrize("edition", EDITIONS.newest)


def generate(program: str, *given: str | Path) -> str:
    done = subprocess.run([BIN / program, *given], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder to import what is generated there from."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "settings.yaml").write_text("post_hooks: []\n")
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture(scope="session")
def client_package(generated: Path) -> str:
    settings = ("--config", generated / "settings.yaml")
    said = generate(
        *("openapi-python-client", "generate", "--path", FILE, "--meta", "none", *settings),
        *("--output-path", generated / CLIENT),
    )
    assert "ERROR" not in said
    return CLIENT


@pytest.fixture(scope="session")
def models(generated: Path) -> ModuleType:
    file = generated / f"{MODELS}.py"
    kind = ("--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel")
    generate("datamodel-codegen", "--input", FILE, *kind, "--formatters", "builtin", "--output", file)
    return import_module(MODELS)


class GeneratedClient:
    """What openapi-python-client makes: a module for every operation."""

    def __init__(self, package: str, app: Flask) -> None:
        self._package, self._transport = package, httpx.WSGITransport(app=app)
        self.models = import_module(f"{package}.models")

    def call(self, group: str, operation: str, token: str | None = None, **given: Any) -> Any:
        module = import_module(f"{self._package}.api.{group}.{operation}")
        reply = module.sync(client=self._connect(token), **given)
        assert not isinstance(reply, self.models.ProblemBody), reply
        return reply

    def _connect(self, token: str | None) -> Any:
        package = import_module(self._package)
        settings = {"base_url": "http://localhost", "httpx_args": {"transport": self._transport}}
        if token is None:
            return package.Client(**settings)
        return package.AuthenticatedClient(token=token, **settings)


@editions
def test_openapi_python_client_plays(app: Flask, log: BytesIO, client_package: str, edition: str) -> None:
    client, random = GeneratedClient(client_package, app), Random(1)
    kinds = client.models
    people = [kinds.NamedSeat(name="Anna"), kinds.NamedSeat(name="Ben")]
    made = client.call("play", "create_game", body=kinds.NewGame(kinds.NewGameEdition(edition), people))
    tokens = [seat.token for seat in made.seats]
    table = client.call("play", "show_table", game=made.id)
    while table.status != "over":
        token = tokens[table.asks[0].seats[0]]
        (ask,) = client.call("play", "show_table", token, game=made.id).asks
        answer = kinds.Choice(ask=ask.ask, choice=random.choice(ask.options).choice)
        table = client.call("play", "choose", token, game=made.id, body=answer).table
    assert table.winners
    page = client.call("follow", "show_events", game=made.id)
    assert isinstance(page.commits[0].events[0], kinds.GameCreated)
    assert client.call("proof", "show_audit", game=made.id).verified.ok


@editions
def test_the_models_of_datamodel_codegen_take_a_whole_game(
    api: ApiClient, models: ModuleType, edition: str
) -> None:
    people = [{"name": "Anna"}, {"name": "Ben"}]
    plan = models.NewGame.model_validate({"edition": edition, "seats": people})
    reply = api.post("/v1/games", plan.model_dump_json(exclude_unset=True).encode())
    made, random = models.GameReply.model_validate_json(reply.data), Random(2)
    address, tokens = f"/v1/games/{made.id}", [seat.token for seat in made.seats]
    table = models.Table.model_validate_json(api.get(address).data)
    while table.status.value != "over":
        token = tokens[table.asks[0].seats[0]]
        (ask,) = models.Table.model_validate_json(api.get(address, token).data).asks
        answer = models.Choice(ask=ask.ask, choice=random.choice(ask.options).choice)
        reply = api.post(f"{address}/choices", answer.model_dump_json().encode(), token)
        table = models.ChoiceReply.model_validate_json(reply.data).table
    page = models.EventsReply.model_validate_json(api.get(f"{address}/events").data)
    assert isinstance(page.commits[0].events[0].root, models.GameCreated)
    refused = models.ProblemBody.model_validate_json(api.get(f"{address}x").data)
    assert refused.code == models.ProblemCode.unknown_game
