"""Readers of logs whose lines are cut at random bytes, and who go on from what arrived whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.support.http_client import HttpService
from tests.support.http_player import HttpPlayer, SeatedGame

# Longer than any commit, or nobody would get on.
LONGEST_PIECE = 12_000
SILENCE = 0.2


class Item(NamedTuple):
    """The id to go on after, and what was told."""

    id: str
    told: Any


def parse_page(arrived: bytes, cursor: str) -> list[Item]:
    """Half a page is none."""
    with suppress(ValueError):
        page = json.loads(arrived)
        return [Item(str(told[cursor]), told) for told in page.get("commits", page.get("events"))]
    return []


def parse_lines(arrived: bytes, cursor: str) -> list[Item]:
    told = [json.loads(line) for line in arrived.split(b"\n")[:-1]]
    return [Item(str(one[cursor]), one) for one in told]


def parse_frames(arrived: bytes, cursor: str) -> list[Item]:
    frames = [frame.partition(b"\ndata: ") for frame in arrived.split(b"\n\n")[:-1]]
    return [
        Item(head.removeprefix(b"id: ").decode(), json.loads(data))
        for head, _, data in frames
        if head.startswith(b"id: ")
    ]


PARSERS: dict[str, Callable[[bytes, str], list[Item]]] = {
    "application/json": parse_page,
    "application/x-ndjson": parse_lines,
    "text/event-stream": parse_frames,
}
# A page arrives whole or not at all: it must never be longer than a piece.
WAYS = {"application/json": "wait=1&limit=2", "application/x-ndjson": "wait=1", "text/event-stream": "wait=1"}


class CutReader:
    """`cursor` is the member by which an item is told from others; `is_last` knows the end."""

    def __init__(self, address: str, media: str, cursor: str, is_last: Callable[[Any], bool]) -> None:
        self.address, self.media, self.cursor = address, media, cursor
        self.items: list[Item] = []
        self.cuts = 0
        self._is_last = is_last

    def read_all(self, base: str, token: str, random: Random) -> CutReader:
        while not self.items or not self._is_last(self.items[-1].told):
            after = self.items[-1].id if self.items else "0"
            arrived = self._read_piece(base, token, after, random.randint(1, LONGEST_PIECE))
            self.items += PARSERS[self.media](arrived, self.cursor)
        return self

    def _read_piece(self, base: str, token: str, after: str, most: int) -> bytes:
        """What comes until the line is cut: at a byte, or where nothing comes for a while."""
        line, arrived = HTTPConnection(urlsplit(base).netloc, timeout=60), b""
        headers = {"Authorization": f"Bearer {token}", "Accept": self.media}
        line.request("GET", f"{self.address}?after={after}&{WAYS[self.media]}", headers=headers)
        reply = line.getresponse()
        assert reply.status == 200, reply.read()
        line.sock.settimeout(SILENCE)
        with suppress(TimeoutError):
            while len(arrived) < most and (piece := reply.read1(most - len(arrived))):
                arrived += piece
        self.cuts += len(arrived) >= most
        line.close()
        return arrived


def is_last_commit(commit: Any) -> bool:
    return any(event["type"] == "game_ended" for event in commit["events"])


def is_last_news(news: Any) -> bool:
    return bool(news["what"] == "over")


def read_with_cuts(base: str, seed: int) -> tuple[int, bool]:
    """How often lines were cut while a game was played, and whether every reader has the whole log once."""
    service, random = HttpService(base), Random(seed)
    made = service.insist("POST", "/v1/players", {"name": "Anna"})
    plan = {"edition": "cards", "seats": [{"player": True}, {"bot": "random"}]}
    game = SeatedGame(service.insist("POST", "/v1/games", plan, made["token"]))
    game.tokens[0] = made["token"]
    events = f"{game.address}/events"
    readers = [
        CutReader(address, media, cursor, is_last)
        for media in PARSERS
        for address, cursor, is_last in (
            (events, "version", is_last_commit),
            ("/v1/me/events", "id", is_last_news),
        )
    ]
    with ThreadPoolExecutor(len(readers)) as threads:
        reading = [
            threads.submit(reader.read_all, base, made["token"], Random(random.random()))
            for reader in readers
        ]
        HttpPlayer(service.insist, random).play(game)
        whole = [one.result() for one in reading]
    commits = service.insist("GET", f"{events}?limit=1000", None, made["token"])["commits"]
    news = service.insist("GET", "/v1/me/events?limit=1000", None, made["token"])["events"]
    expected = {events: [commit["hash"] for commit in commits], "/v1/me/events": news}
    return sum(reader.cuts for reader in whole), all(
        _told(reader) == expected[reader.address] for reader in whole
    )


def _told(reader: CutReader) -> list[Any]:
    """Secrets are opened by the end, so that commits are told by their hashes."""
    return [item.told.get("hash", item.told) for item in reader.items]
