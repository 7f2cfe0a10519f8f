"""Requests that the contract describes, from its own examples: those of operations that come later, too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from tests.support.contract import JSON, contract

# What stands for a variable of an address, where no game or player does.
VARIABLES = {
    "name": "start.js",
    "code": "unknown_game",
    "version": "1",
    "task": "t_0000000000000000000000",
    "table": "g_0000000000000000000000",
    "build": "0",
    "folder": "app",
}
NO_TOKEN: Mapping[str, Any] = {}
GAME_ID, GAME = r"g_[A-Za-z0-9_-]{22}", "g_" + "x" * 22


class Described(Struct, frozen=True):
    """An operation, as the file has it."""

    method: str
    path: str
    text: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.text["operationId"])

    @property
    def schemes(self) -> set[str]:
        """Whose tokens it takes."""
        return {scheme for needed in self.text["security"] for scheme in needed}

    @property
    def is_open(self) -> bool:
        """Whether it can be called without a token; where the body names a game, it takes one of that."""
        names_game = self.is_about_game and "{game}" not in self.path
        return not self.text["security"] or (NO_TOKEN in self.text["security"] and not names_game)

    def address(self, known: Mapping[str, str]) -> str:
        return re.sub(r"\{(\w+)\}", lambda found: {**VARIABLES, **known}[found[1]], self.path)

    def body(self, known: Mapping[str, str]) -> bytes | None:
        """The example with a game that is there, or where a body may be left out an empty one."""
        if "requestBody" not in self.text:
            return None
        (content,) = self.text["requestBody"]["content"].values()
        examples = contract()["components"]["examples"]
        refs = [example["$ref"].rpartition("/")[2] for example in content.get("examples", {}).values()]
        # The last one: before it stands what needs no game.
        value = examples[refs[-1]]["value"] if refs else {}
        if isinstance(value, str):
            # A whole log: its game is its own.
            return value.encode()
        return re.sub(GAME_ID, known["game"], json.dumps(value)).encode()

    @property
    def is_about_game(self) -> bool:
        """In its address or in its body."""
        return "{game}" in self.path or GAME.encode() in (self.body({"game": GAME}) or b"")

    def headers(self, token: str | None) -> dict[str, str]:
        media = next(iter(self.text.get("requestBody", {}).get("content", {})), JSON)
        given = {"Content-Type": media} if "requestBody" in self.text else {}
        return given if token is None else {**given, "Authorization": f"Bearer {token}"}


def described_operations() -> Iterator[Described]:
    for path, item in contract()["paths"].items():
        for method, text in item.items():
            yield Described(method.upper(), path, text)
