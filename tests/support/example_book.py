"""Examples for the contract, picked from what the tests send and get: `make examples`.

What stands there and still fits stays. Of what is missing, the fullest is kept, and of those the shortest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "service" / "http" / "openapi" / "examples.json"
# What says that examples are wanted; the tests then run in one process.
WANTED = "CROUPIER_EXAMPLES"
LONGEST = 900
# Two of a list show what the others are like.
MOST_OF_A_LIST = 2
Place = tuple[str, str, str]


class ExampleBook:
    """By kind (requests, replies, problems), by operation or code, by media type.

    `fits` says of such a place and a body whether the contract would still take it there.
    """

    def __init__(self, fits: Callable[[Place, Any], bool], file: Path = FILE) -> None:
        self._file = file
        self._book = {place: body for place, body in _read(file).items() if fits(place, body)}
        self._old = set(self._book)

    def offer(self, place: Place, body: Any) -> None:
        if place in self._old:
            return
        body = shorten(body)
        if place not in self._book or _worth(body) > _worth(self._book[place]):
            self._book[place] = body
            _write(self._file, self._book)


def _read(file: Path) -> dict[Place, Any]:
    book = json.loads(file.read_text("utf-8"))
    return {
        (kind, name, media): body
        for kind, page in book.items()
        for name, forms in page.items()
        for media, body in forms.items()
    }


def _write(file: Path, book: Mapping[Place, Any]) -> None:
    tree: dict[str, dict[str, dict[str, Any]]] = {}
    for (kind, name, media), body in book.items():
        tree.setdefault(kind, {}).setdefault(name, {})[media] = body
    file.write_text(json.dumps(tree, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")


def shorten(body: Any) -> Any:
    """No list longer than it takes to stay within a page."""
    for most in range(MOST_OF_A_LIST, 0, -1):
        if len(json.dumps(body)) <= LONGEST:
            break
        body = _cut_lists(body, most)
    return body


def _cut_lists(thing: Any, most: int) -> Any:
    if isinstance(thing, list):
        # Of words two are needed: a schema has a list of types.
        kept = max(most, MOST_OF_A_LIST) if all(isinstance(item, str) for item in thing) else most
        return [_cut_lists(item, most) for item in thing[:kept]]
    if isinstance(thing, dict):
        return {name: _cut_lists(item, most) for name, item in thing.items()}
    return "\n".join(thing.split("\n")[: most * 2]) if isinstance(thing, str) else thing


def _worth(body: Any) -> tuple[int, int]:
    told = sum(bool(item) for item in body.values()) if isinstance(body, dict) else 0
    return told, -len(json.dumps(body))
