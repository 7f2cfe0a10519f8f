"""Bots that are commands: `python -m tests.support.foreign_bots KIND`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

KINDS: dict[str, Callable[[dict[str, Any]], str]] = {
    "last": lambda asked: json.dumps({"choice": asked["options"][-1]}),
    "wrong": lambda asked: json.dumps({"choice": "place-9"}),
    "naming": lambda asked: json.dumps([[seat["name"], seat.get("bot")] for seat in asked["table"]["seats"]]),
    "babbling": lambda asked: "place-1 it is",
    "short": lambda asked: sys.exit(0),
    "silent": lambda asked: sys.stdin.read(),
}


def command(kind: str) -> tuple[str, ...]:
    return sys.executable, "-m", "tests.support.foreign_bots", kind


if __name__ == "__main__":
    for line in sys.stdin:
        print(KINDS[sys.argv[1]](json.loads(line)), flush=True)
