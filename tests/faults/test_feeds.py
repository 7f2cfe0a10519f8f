"""Feeds while every process is killed and the log goes back: nothing missed, twice, or of others."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest

from events.redis import connect
from events.redis_store import RedisStore
from rules.state import EMPTY
from service.feeds.journals import follow_game
from service.keys.keys import SCOPES, ApiKeys
from service.ops.redis_server import RedisServer
from tests.support.http_client import HttpService
from tests.support.service_process import descendants_matching, kill, run_service
from tests.support.waiting import PATIENCE, wait_until

JSON, NDJSON, SSE = "application/json", "application/x-ndjson", "text/event-stream"
FORMS = (JSON, NDJSON, SSE)
# What is killed, and whether all of that kind are: of the workers one is left.
VICTIMS = {
    "gunicorn": True,
    r"workers\.projector": True,
    r"workers\.reconciler": True,
    r"workers\.worker": False,
    r"workers\.webhooks": True,
}
ANSWERS = 12
Fact = tuple[str, int, str, int | None]


class Reader:
    """Follows a feed in one form as a careful client does: it keeps its place and comes back after a cut."""

    def __init__(self, service: HttpService, name: str, form: str, headers: Mapping[str, str]) -> None:
        self.name = f"{name} by {form}"
        self.facts: list[Fact] = []
        self.resets = 0
        self.replies: list[bytes] = []
        self._service = service
        self._form = form
        self._headers = {**headers, "Accept": form}
        self._after = "0"

    def follow(self, stopped: Event) -> None:
        """Read until told to stop; a broken line and a 503 are no reason to give up."""
        read: Mapping[str, Callable[[HTTPResponse], None]] = {
            JSON: self._read_page,
            NDJSON: self._read_lines,
            SSE: self._read_frames,
        }
        while not stopped.is_set():
            try:
                with self._ask() as reply:
                    if reply.status == 503:
                        stopped.wait(0.2)
                    elif reply.status == 410 and self._form == NDJSON:
                        self._begin_anew("0")
                    else:
                        assert reply.status == 200, (self.name, reply.status, reply.read())
                        read[self._form](reply)
            except (OSError, HTTPException):
                stopped.wait(0.2)

    @contextmanager
    def _ask(self) -> Iterator[HTTPResponse]:
        with closing(HTTPConnection(urlsplit(self._service.base).netloc, timeout=10)) as connection:
            connection.request("GET", f"/v1/feed?after={self._after}&wait=1&limit=40", headers=self._headers)
            with closing(connection.getresponse()) as reply:
                yield reply

    def _read_page(self, reply: HTTPResponse) -> None:
        page = json.loads(self._keep(reply.read()))
        if page.get("reset"):
            self._begin_anew("0")
        for event in page["events"]:
            self._hear(event)
        self._after = page["next"]

    def _read_lines(self, reply: HTTPResponse) -> None:
        for line in reply:
            if line.endswith(b"\n"):
                self._hear(json.loads(self._keep(line)))

    def _read_frames(self, reply: HTTPResponse) -> None:
        frame: dict[str, str] = {}
        for line in reply:
            self._keep(line)
            if line.strip():
                name, _, value = line.decode().strip().partition(": ")
                frame[name] = value
                continue
            if frame.get("event") == "reset":
                self._begin_anew(json.loads(frame["data"])["next"])
            elif "data" in frame and "event" not in frame:
                self._hear(json.loads(frame["data"]))
            frame = {}

    def _keep(self, text: bytes) -> bytes:
        self.replies.append(text)
        return text

    def _hear(self, event: Mapping[str, Any]) -> None:
        self.facts.append((event["game"], event["version"], event["type"], event["seat"]))
        self._after = event["id"]

    def _begin_anew(self, after: str) -> None:
        self.facts = []
        self.resets += 1
        self._after = after


class Table:
    """A game with its people's tokens, by seat."""

    def __init__(self, made: Mapping[str, Any], tokens: Mapping[int, str]) -> None:
        self.id = str(made["id"])
        own = {seat["seat"]: seat["token"] for seat in made["seats"] if seat.get("token")}
        self.tokens = {**own, **tokens}


class House:
    """A service with an API key, a player of it, another key and another player, and readers of all kinds."""

    def __init__(self, service: HttpService, url: str) -> None:
        self.service = service
        self.url = url
        with connect(url) as client:
            keys = ApiKeys(client)
            self._key = keys.create("arcade", SCOPES).key
            other_key = keys.create("other", SCOPES).key
        made = service.insist("POST", "/v1/players", {"name": "Anna"}, self._key)
        self.player, self.token = made["id"], made["token"]
        stranger = service.insist("POST", "/v1/players", {"name": "Eve"})["token"]
        of_key = {"Authorization": f"Bearer {self._key}"}
        names: Mapping[str, Mapping[str, str]] = {
            "player": {**of_key, "Croupier-Player": self.player},
            "key": of_key,
            "public": {},
        }
        others = {"other key": other_key, "other player": stranger}
        self.readers = {
            name: [Reader(service, name, form, headers) for form in FORMS] for name, headers in names.items()
        }
        self.others = [
            Reader(service, name, form, {"Authorization": f"Bearer {token}"})
            for name, token in others.items()
            for form in FORMS
        ]
        self.tables: list[Table] = []
        self.hidden: set[str] = set()
        self.answers = 0

    def create(self, visibility: str) -> Table:
        """A game of the key: its player, another person and a bot."""
        seats = [{"player": self.player}, {"name": "Ben"}, {"bot": "random"}]
        body = {"edition": "classic", "seats": seats, "visibility": visibility}
        made = self.service.insist("POST", "/v1/games", body, self._key)
        table = Table(made, {0: self.token})
        self.tables.append(table)
        if visibility != "public":
            self.hidden.add(table.id)
        return table

    def answer(self, table: Table) -> bool:
        """Answer for a person as soon as one is asked; False if the game is over."""
        address = f"/v1/games/{table.id}"
        while True:
            version = 0
            for token in table.tokens.values():
                shown = self.service.insist("GET", address, None, token)
                version = shown["version"]
                if shown["status"] == "over":
                    return False
                for ask in shown["asks"]:
                    if ask["yours"]:
                        body = {"ask": ask["ask"], "choice": ask["options"][0]["choice"]}
                        self.service.insist("POST", f"{address}/choices", body, token)
                        self.answers += 1
                        return True
            self.service.insist("GET", f"{address}/events?after={version}&limit=1&wait=2", None, self.token)

    def play(self, answers: int = ANSWERS) -> None:
        """Answer so often in every game; where one is over, another begins."""
        for table in list(self.tables):
            for _ in range(answers):
                if not self.answer(table):
                    self.create("private" if table.id in self.hidden else "public")
                    self.tables.remove(table)
                    break

    @contextmanager
    def play_meanwhile(self, pool: ThreadPoolExecutor) -> Iterator[None]:
        """Play in another thread, which has begun when the block does, and ends after it."""
        before = self.answers
        playing = pool.submit(self.play)
        wait_until(lambda: self.answers > before + 2 or playing.done(), "some answers")
        yield
        playing.result(PATIENCE)
        self.play(4)

    def expect(self, name: str) -> Counter[Fact]:
        """What the logs mean for a reader now."""
        with connect(self.url) as client:
            store = RedisStore(client)
            news = {game: follow_game(EMPTY, store.read(game))[0] for game in store.list_games()}
        found: Counter[Fact] = Counter()
        for game, events in news.items():
            for event in events:
                if name == "player" and event.seat in (None, 0):
                    found[game, event.version, event.what, 0] += 1
                elif name == "key" or (name == "public" and game not in self.hidden):
                    found[game, event.version, event.what, event.seat] += 1
        return found

    def await_all(self) -> None:
        """Wait until every reader has heard all that the logs say, and no more."""
        for name, readers in self.readers.items():
            for reader in readers:
                self._await(name, reader)

    def _await(self, name: str, reader: Reader) -> None:
        seen: list[Counter[Fact]] = []

        def has_all() -> bool:
            seen[:] = [self.expect(name), Counter(reader.facts)]
            return seen[0] == seen[1]

        try:
            wait_until(has_all, f"all news for {reader.name}")
        except AssertionError as fault:
            missed, extra = seen[0] - seen[1], seen[1] - seen[0]
            raise AssertionError(
                f"{fault}: missed {missed}, too many {extra}, resets {reader.resets}"
            ) from None
        versions: dict[str, int] = {}
        for game, version, *_ in reader.facts:
            assert version >= versions.get(game, 0), f"{reader.name}: {game} went back"
            versions[game] = version

    def check_secrecy(self) -> None:
        """No reply to others, and none to everybody, names a hidden game."""
        replies = [reply for reader in (*self.others, *self.readers["public"]) for reply in reader.replies]
        assert replies
        for game in self.hidden:
            assert not [reply for reply in replies if game.encode() in reply]


class RedisFolder:
    """A server that is killed, and started again with what it has or had."""

    def __init__(self, server: RedisServer, copy: Path) -> None:
        self.server = server
        self._copy = copy

    def kill(self) -> None:
        assert self.server.process is not None
        self.server.process.kill()
        self.server.process.wait(PATIENCE)

    def start(self) -> None:
        self.server.spawn()
        wait_until(self.server.is_alive, "that the server answers")

    def keep(self) -> None:
        """Copy what is on the disk."""
        self.kill()
        shutil.copytree(self.server.folder, self._copy, ignore=_leave_sockets)
        self.start()

    def put_back(self) -> None:
        """Go back to what was kept."""
        self.kill()
        for path in self.server.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
        shutil.copytree(self._copy, self.server.folder, dirs_exist_ok=True)
        self.start()


def _leave_sockets(folder: str, names: Sequence[str]) -> set[str]:
    return {
        name for name in names if not (Path(folder) / name).is_file() and not (Path(folder) / name).is_dir()
    }


@pytest.mark.long
def test_feeds_miss_and_repeat_nothing_whatever_is_killed_and_restored(tmp_path: Path) -> None:
    stopped = Event()
    with ExitStack() as stack:
        redis_folder = RedisFolder(stack.enter_context(RedisServer(tmp_path / "redis")), tmp_path / "copy")
        url = redis_folder.server.url
        base, process = stack.enter_context(run_service(tmp_path / "data", REDIS_URL=url))
        house = House(HttpService(base), url)
        everyone = [*house.others, *(reader for readers in house.readers.values() for reader in readers)]
        pool = stack.enter_context(ThreadPoolExecutor(len(everyone) + 1))
        stack.callback(stopped.set)
        following = [pool.submit(reader.follow, stopped) for reader in everyone]
        for visibility in ("public", "private", "unlisted"):
            house.create(visibility)

        for pattern, all_of_them in VICTIMS.items():
            with house.play_meanwhile(pool):
                victims = descendants_matching(process.pid, pattern)
                kill(victims if all_of_them else victims[:1])
        with house.play_meanwhile(pool):
            redis_folder.kill()
            redis_folder.start()
        # Everything at once, but for the supervisor that starts it again.
        with house.play_meanwhile(pool):
            redis_folder.kill()
            for pattern in VICTIMS:
                kill(descendants_matching(process.pid, pattern))
            redis_folder.start()
        house.await_all()
        assert not [reader.name for reader in everyone if reader.resets]

        redis_folder.keep()
        tables = list(house.tables)
        house.play()
        house.await_all()
        assert not [reader.name for reader in everyone if reader.resets]
        redis_folder.put_back()
        house.tables = tables
        house.play()
        kill(descendants_matching(process.pid, r"workers\.projector"))
        house.play()
        house.await_all()
        assert [
            reader.name for readers in house.readers.values() for reader in readers if not reader.resets
        ] == []
        house.check_secrecy()
        stopped.set()
        for reading in following:
            reading.result(PATIENCE)
